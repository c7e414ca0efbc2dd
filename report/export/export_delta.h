/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_delta.h - exports of a session that is exported repeatedly contain only what is new since
 * the last time (cinstr push --every). A sample is identified by a key that is the same each time.
 */
#ifndef REPORT_EXPORT_EXPORT_DELTA_H
#define REPORT_EXPORT_EXPORT_DELTA_H

#include <stddef.h>
#include <stdint.h>

struct export_tree;

/* Key of a node: hashes of the node with its process, thread and phase. */
struct sample_key {
	uint64_t half[2];
	uint32_t pid;
	uint32_t reserved;
};

struct export_delta {
	/* Subtracts the values of the last time from the values of the whole time. Results may be
	 * less than 0 (two's complement). Returns 0 if nothing is left. */
	int (*take)(void *arg, const struct sample_key *key, uint64_t *values, unsigned n_values);
	void *arg;
	uint64_t begin_ns, length_ns; /* since the last time; begin_ns: time of day */
	size_t n_samples;	      /* number of samples written */
};

/* Returns the keys by node; the caller frees them. Nodes that look the same are distinguished by
 * their order. */
struct sample_key *sample_keys_make(const struct export_tree *tree);

#endif
