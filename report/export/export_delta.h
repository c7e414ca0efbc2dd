/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_delta.h - of a session that is exported again and again only what is new since the last
 * time (cinstr push --every). A sample is known by a key that is the same each time.
 */
#ifndef REPORT_EXPORT_EXPORT_DELTA_H
#define REPORT_EXPORT_EXPORT_DELTA_H

#include <stddef.h>
#include <stdint.h>

struct export_tree;

/* Of a node: hashes of what it is, in its process, thread and phase. */
struct sample_key {
	uint64_t half[2];
	uint32_t pid;
	uint32_t reserved;
};

struct export_delta {
	/* Takes from the values, which are those of all the time, what there was the last time;
	 * what is left may be less than 0 (two's complement). 0: nothing is left. */
	int (*take)(void *arg, const struct sample_key *key, uint64_t *values, unsigned n_values);
	void *arg;
	uint64_t begin_ns, length_ns; /* since the last time; begin: time of day */
	size_t n_samples;	      /* that have been written */
};

/* By node; the caller frees it. Nodes that look the same are told apart by their order. */
struct sample_key *sample_keys_make(const struct export_tree *tree);

#endif
