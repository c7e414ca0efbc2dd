/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * self_samples.h - what threads of a mixed recording have sampled of themselves, without a
 * collector (CINSTR_SEG_SELF_SAMPLES).
 */
#ifndef REPORT_FILE_SELF_SAMPLES_H
#define REPORT_FILE_SELF_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;

/* A thread's samples: those of self_samples_next(), or all. */
struct self_samples {
	const struct data *data;
	uint32_t owner;	    /* index of the thread */
	uint32_t period_ms; /* the longest */
	uint32_t due_ms;    /* processor time since the last one that was returned */
	size_t segment, i;  /* the next one's place */
};

/* Returns the processor time that a sample stands for, in ms. */
static inline uint32_t self_sample_ms(const struct cinstr_self_sample *sample)
{
	return 1u + sample->more_ms;
}

/* Begins with the first sample of the thread whose index is `owner`. */
void self_samples_begin(struct self_samples *samples, const struct data *data, uint32_t owner);
/* Returns the next sample, or NULL behind the last one. Within a segment they are in order of
 * time. */
const struct cinstr_self_sample *self_samples_each(struct self_samples *samples);
/*
 * Returns the next of those that stand for equal times, or NULL behind the last one: of a thread
 * that was sampled more rarely from a moment on, as many are left out before it.
 */
const struct cinstr_self_sample *self_samples_next(struct self_samples *samples);

/* Counts what self_samples_next() returns, of all threads, and samples of no thread. */
uint64_t self_samples_count(const struct data *data);
/* Counts threads that were sampled more rarely than each millisecond. */
uint64_t self_samples_rare(const struct data *data);

#endif
