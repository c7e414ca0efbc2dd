/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_totals.h - what is said of the sampled processes of a session as a whole (semantics
 * S1-S5): part of struct totals. The samples that a view shows are totals->elapsed: one sample is
 * one unit there. What is here are the counts of the recording, whatever range of time was chosen;
 * threads and processes that were not chosen are left out where the counts are known by them.
 */
#ifndef REPORT_SAMPLES_TOTALS_H
#define REPORT_SAMPLES_TOTALS_H

#include <stdint.h>

struct data;
struct data_thread;

struct samples_totals {
	/* that were sampled; totals->processes has the instrumented ones, too */
	uint64_t processes;
	uint64_t kept;		    /* samples of the threads at hand, whenever they were taken */
	uint64_t chosen;	    /* of these: in the chosen range of time. 100 % (S4) */
	uint64_t discarded, paused; /* struct cinstr_task */
	uint64_t truncated;	    /* of `chosen` */
	uint64_t lost, throttled;   /* struct cinstr_sampling */
	uint64_t silent;	    /* processes without a sample */
	/*
	 * Of processes of which the kernel has counted the units that passed: how many samples
	 * these make, and how many of them were taken (kept or not) or lost.
	 */
	long double counted_samples;
	uint64_t counted_taken;
	/* processes whose collector did not come to its end */
	uint64_t incomplete;
	uint64_t attached, detached, with_kernel; /* processes, by enum cinstr_sampling_flag */
	/* Of the first process; is_mixed: others were sampled another way, so that samples are not
	 * worth the same. */
	uint64_t interval;
	uint32_t unit, source, stacks; /* enum cinstr_sampling_... */
	uint32_t stack_bytes;
	char *event; /* name; NULL: not known */
	int is_mixed;
	/* Of the samples that are shown. */
	uint64_t guessed; /* executing a function that has no symbol: only its bounds are known */
	uint64_t unknown; /* executing code of which no function is known */
};

/* profile.c: a sampled process, and each of its threads. */
void samples_totals_add(struct samples_totals *totals, const struct data *data);
void samples_totals_add_thread(struct samples_totals *totals, const struct data *data,
			       const struct data_thread *thread);
void samples_totals_release(struct samples_totals *totals);

/*
 * Samples that there would be more if the kernel gave those of its own code: time in the kernel, or
 * in pieces shorter than an interval. 0: nothing is known of that, or there are none.
 */
uint64_t samples_unseen(const struct samples_totals *totals);

#endif
