/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_totals.h - totals of the sampled processes of a session (semantics S1-S5): part of struct
 * totals. The samples that a view shows are totals->elapsed, where one sample is one unit. These
 * are counts of the recording, whatever range of time was chosen; threads and processes that were
 * not chosen are left out where counts are known for each.
 */
#ifndef REPORT_SAMPLES_TOTALS_H
#define REPORT_SAMPLES_TOTALS_H

#include <stdint.h>

struct data;
struct data_thread;

struct samples_totals {
	/* sampled processes; totals->processes includes instrumented ones */
	uint64_t processes;
	uint64_t kept;		    /* samples of the chosen threads, whenever they were taken */
	uint64_t chosen;	    /* those of `kept` in the chosen range of time; 100 % (S4) */
	uint64_t discarded, paused; /* struct cinstr_task */
	uint64_t truncated;	    /* those of `chosen` with a truncated stack */
	uint64_t lost, throttled;   /* struct cinstr_sampling */
	uint64_t silent;	    /* processes without a sample */
	/* Processes in which the kernel counted the units that passed: the number of samples for
	 * these units, and of samples that were taken (kept or not) or lost. */
	long double counted_samples;
	uint64_t counted_taken;
	/* processes whose collector did not finish */
	uint64_t incomplete;
	uint64_t attached, detached, with_kernel; /* processes, by enum cinstr_sampling_flag */
	/* How the first process was sampled; is_mixed: others were sampled in another way, so that
	 * samples are not comparable. */
	uint64_t interval;
	uint32_t unit, source, stacks; /* enum cinstr_sampling_... */
	uint32_t stack_bytes;
	char *event; /* its name; NULL: not known */
	int is_mixed;
	/* Parts of the samples that are shown: */
	uint64_t guessed; /* in a function without a symbol, of which only the bounds are known */
	uint64_t unknown; /* in code of no known function */
};

/* Add a sampled process, and each of its threads. */
void samples_totals_add(struct samples_totals *totals, const struct data *data);
void samples_totals_add_thread(struct samples_totals *totals, const struct data *data,
			       const struct data_thread *thread);
void samples_totals_release(struct samples_totals *totals);

/* Returns the number of samples missing because the kernel gives none of its own code: time in the
 * kernel, or in pieces shorter than an interval. 0: not known, or none. */
uint64_t samples_unseen(const struct samples_totals *totals);

#endif
