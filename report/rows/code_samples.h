/* SPDX-License-Identifier: GPL-3.0-or-later */
/* code_samples.h - the instructions at which threads sampled themselves: used by findings on a
 * function's code where its calls say nothing. Part of a profile; collected if shares are
 * wanted. */
#ifndef REPORT_ROWS_CODE_SAMPLES_H
#define REPORT_ROWS_CODE_SAMPLES_H

#include "lib/int_map.h"
#include "lib/util.h"

struct data;

struct code_sample {
	uint64_t address; /* link address */
	uint64_t n;
	uint64_t ms; /* time on a processor that the samples stand for */
};

struct code_count {
	uint64_t n, ms;
};

/* Zero-initialised: empty. */
struct code_samples {
	struct map modules;	   /* paths */
	struct int_map places;	   /* (module, address) -> index in counts */
	struct code_count *counts; /* by place */
	size_t size;
	uint64_t taken;	  /* all samples, except those in the recording's own code */
	uint64_t ms;	  /* time on a processor that these stand for */
	uint64_t squares; /* sum of the squares of their ms */
	uint64_t lost;
};

/* Adds the samples that a process's threads took of themselves. */
void code_samples_add(struct code_samples *samples, const struct data *data);
void code_samples_release(struct code_samples *samples);
/* Returns the samples in [begin, end) of the module with this path, sorted by address; *n: their
 * number. The caller frees the list. */
struct code_sample *code_samples_in(const struct code_samples *samples, const char *path, uint64_t begin,
				    uint64_t end, size_t *n);

#endif
