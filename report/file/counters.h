/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters.h - calls that were counted, not timed (CINSTR_SEG_COUNTED, CINSTR_SEG_COUNTERS): how
 * often each thread entered each function while the function had no other probes. Activations of
 * a function = calls of its FRAME cells + its counters; CALL and INDIRECT cells that name it are
 * not added. If sites were counted (CINSTR_COUNTS), also how often each call was made without an
 * event: calls of a site = those of its cells + its counter. What was counted where a call leads
 * (CINSTR_SEG_LED) is part of both, the site's counter and the function's. Bytes that counted calls
 * of a site allocate have a counter of their own. Also the addresses of the recording's own code
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
	/* of the function's ENTER sled, or the site's BEFORE or TAIL sled; or COUNTER_BYTES() */
	uint32_t code;
	uint64_t n; /* > 0 */
	/* In merged files: those of the n calls that were in processes without samples. */
	uint64_t untimed;
};

struct counters {
	uint32_t *codes; /* indexed by slot: every function and site ever counted */
	uint32_t *led;	 /* indexed by slot: the function that a site's slot counts, too; 0: none */
	size_t n_codes;
	size_t n_functions;
	uint32_t *sites; /* codes of sites, sorted */
	size_t n_sites;	 /* > 0: calls by site were counted in this process */
	/* In merged files: in some process some calls were neither timed nor counted. */
	int has_unknown_sites;
	struct counters_thread {
		struct data_counter *list; /* sorted by code */
		size_t n;
	} * threads; /* by index of the thread (struct cinstr_thread) */
	size_t n_threads;
	struct cinstr_probe_code *probe_code;
	size_t n_probe_code;
	struct counters_phase *phases; /* by number: counts when the phase began */
	size_t n_phases;
	/* Counts of the whole run, if threads[].list is restricted to the chosen phases; else
	 * NULL. */
	struct counters_thread *all_phases;
};

/* A thread's counter at a moment. code UINT32_MAX: the thread existed. */
struct counted_then {
	uint32_t thread, code;
	uint64_t n;
};

struct counters_phase {
	struct counted_then *list; /* sorted; NULL: not known */
	size_t n;
};

/* Sets data->counters (NULL: the file has none) and fold_sites.counted. To be called after
 * modules_finish() and before threads are built. */
void counters_read(struct data *data);
/* Sets data->counters of a merged file. Takes ownership of `codes` and `list`, which is sorted by
 * code. */
void counters_of_merged(struct data *data, uint32_t *codes, size_t n_codes, struct data_counter *list,
			size_t n);
void counters_release(struct data *data);

/* Returns the thread's counters; n 0: none. They cover its whole time, even if the tree is
 * restricted to a range of time, or to phases for which counts are not known
 * (counters_are_whole()). */
const struct data_counter *counters_of_thread(const struct data *data, const struct data_thread *thread,
					      size_t *n);
#define COUNTERS_OF_SLOT 2
/* Sets out[] to the codes that a slot counts. Returns how many: 0 to COUNTERS_OF_SLOT. */
size_t counters_of_slot(const struct counters *c, size_t slot, uint32_t out[COUNTERS_OF_SLOT]);
/* counters_phases.c: reads the counts at the begin of each phase. */
void counters_phases_read(struct data *data);
void counters_phases_release(struct counters *c);
/* Restricts threads[].list to these phases, if their counts are known; first > last: to none. */
void counters_phases_select(struct data *data, uint32_t first, uint32_t last);
/* Whether the counts of all chosen phases are known. */
int counters_phases_are_known(const struct data *data);
/* Returns the thread's counters in one phase, to be freed; NULL: none, or not known. */
struct data_counter *counters_of_phase(const struct data *data, const struct data_thread *thread,
				       uint32_t phase, size_t *n);

/* Whether the threads' trees cover the same time as their counters. */
int counters_are_whole(const struct data *data);
/* Whether the function with this ENTER sled was ever counted. */
int counters_have(const struct data *data, uint32_t code);
static inline int counter_is_function(uint32_t code)
{
	return CINSTR_CODE_KIND(code) == CINSTR_EV_ENTER;
}

/* Code of the counter of bytes that the calls of the site with this BEFORE sled allocate. */
#define COUNTER_BYTES(site) (CINSTR_CODE_WORD(site) | CINSTR_EV_AFTER)
static inline int counter_is_bytes(uint32_t code)
{
	return CINSTR_CODE_KIND(code) == CINSTR_EV_AFTER;
}

static inline uint32_t counter_site_of_bytes(uint32_t code)
{
	return CINSTR_CODE_WORD(code) | CINSTR_EV_BEFORE;
}

static inline int counter_is_site(uint32_t code)
{
	return !counter_is_function(code) && !counter_is_bytes(code);
}

/* Whether each call of the site was either timed or counted. */
int counters_have_site(const struct data *data, uint32_t code);
/* Returns the sum of all functions' entries, or of all sites' calls. */
uint64_t counters_sum_all(const struct data *data, int of_sites);

#endif
