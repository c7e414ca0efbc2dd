/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * self_samples.h - samples that threads of a mixed recording took of themselves, without a
 * collector (CINSTR_SEG_SELF_SAMPLES).
 */
#ifndef REPORT_FILE_SELF_SAMPLES_H
#define REPORT_FILE_SELF_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;

/* Iterates over a thread's samples: all, or those of self_samples_next(). */
struct self_samples {
	const struct data *data;
	uint32_t owner;	    /* index of the thread */
	uint32_t period_ms; /* the longest time of a sample */
	uint32_t due_ms;    /* processor time since the last sample returned */
	size_t segment, i;  /* position of the next sample */
};

/* Returns the processor time that a sample stands for, in ms. */
static inline uint32_t self_sample_ms(const struct cinstr_self_sample *sample)
{
	return 1u + sample->more_ms;
}

/* Starts with the first sample of the thread with index `owner`. */
void self_samples_begin(struct self_samples *samples, const struct data *data, uint32_t owner);
/* Returns the next sample, or NULL at the end. Samples within a segment are sorted by time. */
const struct cinstr_self_sample *self_samples_each(struct self_samples *samples);
/* Returns the next sample such that all returned ones stand for equal times, or NULL at the end: if
 * a thread was sampled more rarely from some moment on, samples before it are left out. */
const struct cinstr_self_sample *self_samples_next(struct self_samples *samples);

/* Returns the number of samples that self_samples_next() returns for all threads, plus samples of
 * no thread. */
uint64_t self_samples_count(const struct data *data);
/* Returns the number of threads sampled more rarely than each millisecond. */
uint64_t self_samples_rare(const struct data *data);

#endif
