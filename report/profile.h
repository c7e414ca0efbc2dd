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
#include "taken_out.h"
#include "values.h"

enum profile_by { BY_FUNCTION, BY_MODULE, BY_THREAD, BY_PROCESS, BY_LINE, BY_SITE, BY_PATH };

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
	/* BY_LINE: where the line is executed, and how it got there. BY_SITE: what is called, by which instruction. */
	const char *function, *inlined_from, *callee, *address;
	uint32_t n_functions,
		n_inlined; /* texts joined in these; more than PLACES_SHOWN: some are left out */
	uint32_t line;
	uint32_t pid, tid; /* 0: the view has none */
	uint32_t parent_pid;
	const char *host; /* BY_THREAD, BY_PROCESS: the machine; NULL: not known */
	uint64_t calls, open_calls;
	uint64_t entries; /* BY_LINE: calls of the functions that are defined here */
	struct sums sums;
	/* Sums of the inclusive times of all activations, nested ones too (R8). */
	long double activations_elapsed, activations_application;
	long double shortest, longest; /* of a finished activation; < 0: none */
	uint32_t entity; /* BY_FUNCTION, BY_PATH; BY_LINE: of a function whose lines are not known */
	/* BY_PATH: rows are numbered in order of creation, so parents have lower numbers. */
	uint32_t parent, child, sibling; /* UINT32_MAX: none */
	uint32_t depth;
};

struct totals {
	long double elapsed, application; /* the denominators of R7 */
	long double outside;		  /* of `elapsed`: outside any function */
	long double runtime;		  /* the runtime's own work; not part of `elapsed` */
	long double paused;		  /* recording was off; not part of `elapsed` */
	long double attach;		  /* time to attach and patch */
	long double overhead, overhead_low, overhead_high;
	uint64_t conservation_ticks_off; /* sum over threads of what does not add up (R10) */
	uint64_t threads_off;
	uint64_t pauses, repaired;
	uint64_t lines; /* nodes that are source lines */
	uint64_t events, enters, exits, implicit_exits, open_frames, orphans;
	int64_t unbalanced; /* enters - exits - implicit - open */
	uint64_t lost_events, lost_threads, merged_calls, timeline_lost;
	uint64_t voluntary, involuntary;	       /* switches recorded */
	uint64_t kernel_voluntary, kernel_involuntary; /* by the kernel, less the runtime's own: R13 */
	uint64_t processes, threads, sleds_refused;
	uint64_t waiting; /* processes in which recording is off until a start or region */
	uint64_t left_out_by_choice, left_out_by_need; /* functions */
	uint64_t begin_realtime_ns, end_realtime_ns;
	uint64_t restartable, by_threshold, no_source; /* processes by what detects OS events */
	uint64_t uncalibrated, no_frequency, stopped, functions_only; /* processes */
	long double threshold;					      /* the highest, ns */
	struct map modules;					      /* paths seen */
	struct map hosts;					      /* machines, by name and boot */
	struct map chosen; /* what was recorded of processes, in words; "": everything */
	char *title;	   /* command line of the first process */
};

struct profile {
	enum profile_by by;
	struct counting counting;
	struct row *rows;
	size_t n_rows, size_rows;
	struct totals totals;
	struct taken_outs taken_outs;
	struct names names;
	struct map keys;  /* what a row stands for -> its number */
	struct map codes; /* of the process at hand: what makes a node's row -> row_of_code */
	uint32_t *row_of_code;
	size_t n_row_of_code;
	struct map joined; /* row and text: is in row->function, row->inlined_from */
	struct map strings;
};

/* The row that has this number, which begins to exist with all before it. */
struct row *profile_row(struct profile *profile, uint32_t number);

/* places.c: the row of a node BY_LINE and BY_SITE; ROW_NONE: it has none. `entity`: the node's. */
#define ROW_NONE UINT32_MAX
#define PLACES_SHOWN 3
uint32_t place_of_line(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity);
uint32_t place_of_site(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity);
/* Between two processes. */
void places_next_process(struct profile *profile);

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
