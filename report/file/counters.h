/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters.h - calls that were counted, without times (CINSTR_SEG_COUNTED, CINSTR_SEG_COUNTERS):
 * how often each thread entered each function while the function had no other probes. Activations
 * of a function = calls of its FRAME cells + its counters; CALL and INDIRECT cells that name it are
 * not added. Where sites were counted (CINSTR_COUNTS) also how often each call was made without an
 * event: calls of a site = those of its cells + its counter. And where the recording's own code was
 * (CINSTR_SEG_PROBE_CODE).
 */
#ifndef REPORT_FILE_COUNTERS_H
#define REPORT_FILE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;
struct data_thread;

struct data_counter {
	uint32_t code; /* of the function's ENTER sled, or of the site's: BEFORE, TAIL */
	uint64_t n;    /* > 0 */
	/* of what was merged: of these, those in processes without samples */
	uint64_t untimed;
};

struct counters {
	uint32_t *codes; /* by slot: every function, every site that was ever counted */
	size_t n_codes;
	size_t n_functions;
	uint32_t *sites; /* sorted: those codes that are of sites */
	size_t n_sites;	 /* > 0: calls by site were counted, in this process */
	/* what was merged has processes in which some calls were neither timed nor counted */
	int has_unknown_sites;
	struct counters_thread {
		struct data_counter *list; /* sorted by code */
		size_t n;
	} * threads; /* by index of the thread (struct cinstr_thread) */
	size_t n_threads;
	struct cinstr_probe_code *probe_code;
	size_t n_probe_code;
	struct counters_phase *phases; /* by number: what was counted when it began */
	size_t n_phases;
	/* what is in threads[].list is of the phases that were chosen; before that it was this */
	struct counters_thread *all_phases;
};

/* Of a thread at a moment. code UINT32_MAX: it was there. */
struct counted_then {
	uint32_t thread, code;
	uint64_t n;
};

struct counters_phase {
	struct counted_then *list; /* sorted; NULL: not known */
	size_t n;
};

/* Fills data->counters (NULL: the file has nothing of these), and fold_sites.counted. Behind
 * modules_finish(), before threads are built. */
void counters_read(struct data *data);
/* Fills data->counters of a merged file. Takes over codes and list, which is sorted by code. */
void counters_of_merged(struct data *data, uint32_t *codes, size_t n_codes, struct data_counter *list,
			size_t n);
void counters_release(struct data *data);

/*
 * What the thread has counted; n 0: nothing. For all of its time: also where the tree is that of a
 * range of time, or of some phases, of which the counters say nothing (counters_are_whole).
 */
const struct data_counter *counters_of_thread(const struct data *data, const struct data_thread *thread,
					      size_t *n);
/* counters_phases.c: */
void counters_phases_read(struct data *data);
void counters_phases_release(struct counters *c);
/* threads[].list is of these phases from now on, if that is known; first > last: of none. */
void counters_phases_select(struct data *data, uint32_t first, uint32_t last);
/* Is it known of each phase that is chosen? */
int counters_phases_are_known(const struct data *data);
/* The thread's of one phase, as counters_of_thread; to be freed. NULL: nothing, or not known. */
struct data_counter *counters_of_phase(const struct data *data, const struct data_thread *thread,
				       uint32_t phase, size_t *n);

/* Do the threads' trees cover the same time as their counters? */
int counters_are_whole(const struct data *data);
/* Was the function with this ENTER sled ever counted? */
int counters_have(const struct data *data, uint32_t code);
static inline int counter_is_site(uint32_t code)
{
	return CINSTR_CODE_KIND(code) != CINSTR_EV_ENTER;
}

/* Were all calls of the site counted where they were not timed? */
int counters_have_site(const struct data *data, uint32_t code);
/* Sum over all threads of the file, also those that a selection has left out. */
uint64_t counters_sum(const struct data *data, uint32_t code);
/* The same of all functions, or all sites. */
uint64_t counters_sum_all(const struct data *data, int of_sites);

#endif
