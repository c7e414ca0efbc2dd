/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code_samples.h - at which instructions threads have sampled themselves: what findings need to
 * know of a function's code, where its calls tell nothing. Part of a profile; gathered if shares
 * are.
 */
#ifndef REPORT_ROWS_CODE_SAMPLES_H
#define REPORT_ROWS_CODE_SAMPLES_H

#include "lib/int_map.h"
#include "lib/util.h"

struct data;

struct code_sample {
	uint64_t address; /* link address */
	uint64_t n;
	uint64_t ms; /* of its threads' time on a processor */
};

struct code_count {
	uint64_t n, ms;
};

/* Zero-initialised is empty. */
struct code_samples {
	struct map modules;	   /* by path */
	struct int_map places;	   /* of module and address */
	struct code_count *counts; /* by place */
	size_t size;
	uint64_t taken;	  /* in all, but for those in the recording's own code */
	uint64_t ms;	  /* of the threads' time on a processor, for these */
	uint64_t squares; /* of each one's ms */
	uint64_t lost;
};

/* Adds the samples of a process. */
void code_samples_add(struct code_samples *samples, const struct data *data);
void code_samples_release(struct code_samples *samples);
/*
 * Returns the samples in [begin, end) of the module with that path, sorted by address; *n of them.
 * The caller frees the list.
 */
struct code_sample *code_samples_in(const struct code_samples *samples, const char *path, uint64_t begin,
				    uint64_t end, size_t *n);

#endif
