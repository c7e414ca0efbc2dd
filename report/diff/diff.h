/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff.h - the rows of several recordings (runs) side by side: those of the first side, A, then
 * those of B. What is the same thing in two runs is found by name, module and file, by address only
 * in the same build: see diff_match.c.
 */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include <stdint.h>
#include <stdio.h>

#include "symbols/base_names.h"
#include "diff_stats.h"
#include "output/columns.h"
#include "output/output.h"
#include "rows/profile.h"

#define DIFF_NONE UINT32_MAX
#define DIFF_ALPHA 0.05
#define DIFF_FLOOR 10	   /* percent, of a value of a single run */
#define DIFF_FLOOR_PART 10 /* that part of it, of the session */

/* What is kept of a row of a run. */
enum diff_value {
	DIFF_CALLS,
	DIFF_ELAPSED_INCLUSIVE,
	DIFF_ELAPSED_EXCLUSIVE,
	DIFF_APPLICATION_INCLUSIVE,
	DIFF_APPLICATION_EXCLUSIVE,
	DIFF_COLUMN, /* the one that is compared */
	DIFF_SHARE,  /* its share of the session, or that of the inclusive time, in percent */
	/* of the column: what the correction of the probes' cost may be wrong by */
	DIFF_UNCERTAINTY,
	/* ... and the square of one standard deviation of it, where it is an estimate from the
	 * samples of a mixed session */
	DIFF_VARIANCE,
	DIFF_VALUES
};

struct diff_cell {
	int is_there;
	double values[DIFF_VALUES];
};

enum diff_verdict { DIFF_SAME, DIFF_NOISE, DIFF_LESS, DIFF_MORE, DIFF_ADDED, DIFF_REMOVED };

struct diff_row {
	const char *name;
	const char *callee, *function; /* by site, address; by line, address; else NULL */
	const char *build; /* by address: of the module, as the last run has it; NULL: not known */
	const char *module, *file;
	uint32_t line;
	int is_left_out; /* by the selection */
	int is_variant;	 /* it has other names in some runs, of which this is the base name */
	/* by address: not all runs that have it are known to be of one build */
	int is_guessed;
	uint32_t parent;	/* BY_PATH: the caller's row */
	uint32_t next_in_group; /* rows that might be the same thing */
	struct difference difference;
	double means[2][DIFF_VALUES]; /* of both sides */
	int are_calls_least[2];	      /* in some run there may be more */
	/* bits of enum row_source, of the compared times in all runs of a side */
	uint8_t source[2];
	double share; /* the larger side's, percent */
	enum diff_verdict verdict;
};

struct diff_total {
	double elapsed, application;
	double uncertainty; /* as of a row */
};

struct diff {
	enum profile_by by;
	enum column column;
	int is_relative; /* values are percentages of their session */
	int is_single;	 /* by --single: of one run on each side a change counts beyond a floor, */
	/* of so many percent of the value, and DIFF_FLOOR_PART of that of the session */
	double floor;
	size_t n_runs, n_a;
	struct diff_total *totals; /* by run */
	struct difference total;
	enum diff_verdict total_verdict;
	struct diff_row *rows;
	struct diff_cell *cells; /* rows * runs */
	size_t n_rows, size_rows;
	size_t n_compared; /* rows that are not below the threshold */
	struct map exact;  /* what a row is exactly -> row_of_exact */
	uint32_t *row_of_exact;
	size_t size_exact;
	struct map groups; /* what may be the same -> first row, number of rows */
	struct diff_group {
		uint32_t first, in_run;
		size_t run;
	} * group_list;
	size_t size_groups;
	struct map strings;
	struct base_names bases;
	struct shares *shares; /* diff_shares.h; NULL: all runs are instrumented */
	/* diff_processes.h; NULL: sums of sessions are compared, not means of their processes */
	struct diff_processes *processes;
	/* NULL, or who is told the rows that those of a run's profile are (DIFF_NONE: none) */
	void (*matched)(void *arg, size_t run, const struct profile *profile, const uint32_t *rows);
	void *matched_arg;
};

void diff_init(struct diff *diff, enum profile_by by, enum column column, size_t n_a, size_t n_b);
/*
 * Adds a run's rows. Functions must have their assembler names (NAMES_ASSEMBLER). exe: path of the
 * program, which may be called otherwise in other runs; NULL: not known.
 */
void diff_add(struct diff *diff, size_t run, const struct profile *profile, const char *exe);
/* Compares what has at least `threshold` percent of its session, so that all intervals hold at once
 * in 95 % of the cases. */
void diff_compare(struct diff *diff, double threshold);
void diff_release(struct diff *diff);
/* Whether it is known how much a difference may be off: there are runs that differ, or a floor is
 * given. */
int diff_has_interval(const struct diff *diff);

struct diff_cell *diff_cell(const struct diff *diff, uint32_t row, size_t run);
/* The variance of a side's mean by the samples of its mixed sessions. */
double diff_variance(const struct diff *diff, uint32_t row, int side);
/* What the profile's row tells of a side's values besides numbers is the diff row's, too. */
void diff_note_source(struct diff *diff, uint32_t row, int side, const struct row *from,
		      enum value_kind kind);
/* Are some of these rows' values estimates of mixed sessions? */
extern const char diff_estimate_legend[];
int diff_has_estimates(const struct diff *diff, const uint32_t *rows, size_t n_rows);
/* Whether the column is a time, and which total it is a part of: 0 none, 1 elapsed, 2
 * application. */
int diff_is_time(enum column column);
int diff_total_of(enum column column);
/* diff_match.c: the row of each row of a run's profile; DIFF_NONE: it has none. The caller frees
 * it. */
uint32_t *diff_match(struct diff *diff, size_t run, const struct profile *profile, const char *exe);
uint32_t diff_row_new(struct diff *diff);
/* diff_names.c: gives rows the names that are shown; is_table: those that look the same are told
 * apart. Names stay those of `names`. */
void diff_name_rows(struct diff *diff, struct names *names, int is_table);

/* What is to be shown. */
struct diff_view {
	struct view view; /* for view_write() */
	const struct diff *diff;
	const uint32_t *rows; /* in order */
	size_t n_rows;
	size_t n_small, n_hidden, n_left_out; /* below --threshold, by --limit, by the selection */
	double threshold;
	const char *const *sources; /* by run */
	const struct selection *selection;
	const struct field_choice *columns; /* of diff_fields; NULL: as each format has them */
};
/* What a row is called in a table. */
void diff_put_name(struct strbuf *text, const struct diff *diff, uint32_t row);
/* The functions of a call path from the root on, of which the last `levels` are told. */
void diff_put_path(struct strbuf *text, const struct diff *diff, uint32_t row, unsigned levels);
#define DIFF_PATH_MAX_LEVELS 1000
extern const char *const diff_verdicts[2][6]; /* of times, of others */
/* They take the view of a struct diff_view. */
void diff_table(struct sheet *sheet, const struct view *view);
void diff_flat(struct sheet *sheet, const struct view *view);
void diff_nested(struct sheet *sheet, const struct view *view);

#endif
