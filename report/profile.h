/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile.h - rows of values: by function, module, thread or process (semantics R5-R8, R17), or as
 * a tree of call paths; and the totals of the session. Data files are added one after another and
 * may be released in between.
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include <stdint.h>

#include "data.h"
#include "names.h"
#include "values.h"

enum profile_by { BY_FUNCTION, BY_MODULE, BY_THREAD, BY_PROCESS, BY_PATH };

/* Nanoseconds. */
struct sums {
	long double elapsed_inclusive, elapsed_exclusive;
	long double application_inclusive, application_exclusive;
	long double overhead_inclusive, overhead_exclusive;
	long double off_cpu_inclusive, off_cpu_exclusive;
};

struct row {
	const char *name;
	const char *module, *file; /* NULL: the view has none, or not known */
	uint32_t line;
	uint32_t pid, tid; /* 0: the view has none */
	uint64_t calls, open_calls;
	struct sums sums;
	/* Sums of the inclusive times of all activations, nested ones too (R8). */
	long double activations_elapsed, activations_application;
	long double shortest, longest; /* of a finished activation; < 0: none */
	uint32_t entity;	       /* BY_FUNCTION, BY_PATH */
	/* BY_PATH: rows are numbered in order of creation, so parents have lower numbers. */
	uint32_t parent, child, sibling; /* UINT32_MAX: none */
	uint32_t depth;
};

struct totals {
	long double elapsed, application; /* the denominators of R7 */
	long double outside;		  /* of `elapsed`: outside any function */
	long double runtime;		  /* the runtime's own work; not part of `elapsed` */
	long double attach;		  /* time to attach and patch */
	long double overhead, overhead_low, overhead_high;
	uint64_t conservation_ticks_off; /* sum over threads of what does not add up (R10) */
	uint64_t threads_off;
	uint64_t events, enters, exits, implicit_exits, open_frames, orphans;
	int64_t unbalanced; /* enters - exits - implicit - open */
	uint64_t lost_events, lost_threads, merged_calls, timeline_lost;
	uint64_t voluntary, involuntary;	       /* switches recorded */
	uint64_t kernel_voluntary, kernel_involuntary; /* by the kernel, less the runtime's own: R13 */
	uint64_t processes, threads, functions_left_out, sleds_refused;
	uint64_t begin_realtime_ns, end_realtime_ns;
	uint64_t restartable, by_threshold, no_source; /* processes by what detects OS events */
	uint64_t uncalibrated, no_frequency, stopped, functions_only; /* processes */
	long double threshold;					      /* the highest, ns */
	struct map modules;					      /* paths seen */
	char *title;						      /* command line of the first process */
};

struct profile {
	enum profile_by by;
	struct counting counting;
	struct row *rows;
	size_t n_rows, size_rows;
	struct totals totals;
	struct names names;
	struct map keys; /* what a row stands for -> its number */
	struct map strings;
};

void profile_init(struct profile *profile, enum profile_by by, const struct counting *counting);
void profile_add(struct profile *profile, const struct data *data);
void profile_release(struct profile *profile);

/* Time from the first process's begin to the last end that is known, ns. */
long double totals_duration(const struct totals *totals);
/* R12: whether Application time has a source in every process. */
int totals_has_application(const struct totals *totals);

/* totals.c */
void totals_add_process(struct totals *totals, const struct data *data, long double ns_per_tick, int known);
void totals_add_thread(struct totals *totals, const struct data_thread *thread,
		       const struct node_values *values, long double ns_per_tick);
void totals_release(struct totals *totals);
/* The program's command line as one string that the caller frees. */
char *totals_command_line(const struct data *data);

#endif
