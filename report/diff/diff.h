/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.h - compares the rows of several recordings (runs): those of the first side, A, come before
 * those of B. Rows of two runs are matched by name, module and file; by address only in the same
 * build: see diff_match.c. */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include <stdint.h>

#include "symbols/base_names.h"
#include "diff_stats.h"
#include "output/columns.h"
#include "output/output.h"
#include "rows/profile.h"

#define DIFF_NONE UINT32_MAX
#define DIFF_ALPHA 0.05
/* --single: the least change that counts, in percent of the value; divided by DIFF_FLOOR_PART, in
 * percent of the session. */
#define DIFF_FLOOR 10
#define DIFF_FLOOR_PART 10

/* Values kept of a row of a run. */
enum diff_value {
	DIFF_CALLS,
	DIFF_ELAPSED_INCLUSIVE,
	DIFF_ELAPSED_EXCLUSIVE,
	DIFF_APPLICATION_INCLUSIVE,
	DIFF_APPLICATION_EXCLUSIVE,
	DIFF_COLUMN, /* the column that is compared */
	DIFF_SHARE,  /* percent: share of the session, or of the inclusive time */
	/* possible error of the column by the correction for the probes' cost */
	DIFF_UNCERTAINTY,
	/* variance of the column, if it is an estimate from the samples of a mixed session */
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
	/* NULL but in rows by call site or address (callee), by line or address (function) */
	const char *callee, *function;
	/* by address: build of the module in the last run; NULL: not known */
	const char *build;
	const char *module, *file;
	uint32_t line;
	int is_left_out; /* by the selection */
	int is_variant;	 /* its name differs between runs; this is the base name */
	/* by address: the runs that have it may be of different builds */
	int is_guessed;
	uint32_t parent;	/* BY_PATH: the caller's row */
	uint32_t next_in_group; /* next one of the rows that might be the same thing */
	struct difference difference;
	double means[2][DIFF_VALUES]; /* means of both sides */
	int are_calls_least[2];	      /* in some run there may be more calls */
	/* bits of enum row_source, of the compared times in all runs of a side */
	uint8_t source[2];
	double share; /* the larger side's, percent */
	enum diff_verdict verdict;
};

struct diff_total {
	double elapsed, application;
	double uncertainty; /* DIFF_UNCERTAINTY of the total */
};

struct diff {
	enum profile_by by;
	enum column column;
	const struct measure *counted; /* what the processor counted is compared; NULL: times are */
	int is_relative;	       /* values are percentages of their session */
	int is_unpreempted;	       /* elapsed times are without waiting for a processor */
	double alpha;		       /* how often intervals may be wrong; default: DIFF_ALPHA */
	int is_single; /* --single: a change between two runs counts if it exceeds the floor */
	/* percent of the value; at least floor / DIFF_FLOOR_PART percent of the session */
	double floor;
	size_t n_runs, n_a;
	struct diff_total *totals; /* by run */
	struct difference total;
	enum diff_verdict total_verdict;
	struct diff_row *rows;
	struct diff_cell *cells; /* rows * runs */
	size_t n_rows, size_rows;
	size_t n_compared; /* rows that are not below the threshold */
	struct map exact;  /* exact key of a row -> index in row_of_exact */
	uint32_t *row_of_exact;
	size_t size_exact;
	struct map groups; /* key of what may be the same -> first row, number of rows */
	struct diff_group {
		uint32_t first, in_run;
		size_t run;
	} * group_list;
	size_t size_groups;
	struct map strings;
	struct base_names bases;
	struct shares *shares; /* diff_shares.h; NULL: all runs are instrumented */
	/* diff_processes.h: compares means of processes; NULL: compares sums of sessions */
	struct diff_processes *processes;
	/* Unless NULL, called with the diff's row of each row of a run's profile (DIFF_NONE:
	 * none). */
	void (*matched)(void *arg, size_t run, const struct profile *profile, const uint32_t *rows);
	void *matched_arg;
};

void diff_init(struct diff *diff, enum profile_by by, enum column column, size_t n_a, size_t n_b);
/* Adds a run's rows. Functions must have their assembler names (NAMES_ASSEMBLER). exe: path of the
 * program, which may have another name in other runs; NULL: not known. */
void diff_add(struct diff *diff, size_t run, const struct profile *profile, const char *exe);
/* Compares the rows that have at least `threshold` percent of their session, so that all intervals
 * hold at once but in `alpha` of the cases. */
void diff_compare(struct diff *diff, double threshold);
void diff_release(struct diff *diff);
/* Whether differences have an interval: a side has several runs, there is a floor, or processes are
 * compared. */
int diff_has_interval(const struct diff *diff);

struct diff_cell *diff_cell(const struct diff *diff, uint32_t row, size_t run);
/* Returns the variance of a side's mean due to the samples of its mixed sessions. */
double diff_variance(const struct diff *diff, uint32_t row, int side);
/* Notes the source of a side's value, and whether its calls are a lower bound, from a profile's row
 * in the diff's. */
void diff_note_source(struct diff *diff, uint32_t row, int side, const struct row *from,
		      enum value_kind kind);
extern const char diff_estimate_legend[]; /* what the mark of an estimate means */
/* Returns 1 if some of these rows have estimates of mixed sessions. */
int diff_has_estimates(const struct diff *diff, const uint32_t *rows, size_t n_rows);
/* Returns 1 if the column is a time. */
int diff_is_time(enum column column);
/* Returns the total that the column is a part of: 1: elapsed, 2: application time; 0: none. */
int diff_total_of(enum column column);
/* diff_match.c: returns the diff's row of each row of a run's profile; DIFF_NONE: it has none. The
 * caller frees the array. */
uint32_t *diff_match(struct diff *diff, size_t run, const struct profile *profile, const char *exe);
/* Adds an empty row and returns its number. */
uint32_t diff_row_new(struct diff *diff);
/* diff_names.c: sets the names of rows as they are shown; is_table: those that look the same are
 * told apart. Names may belong to `names`. */
void diff_name_rows(struct diff *diff, struct names *names, int is_table);

/* A diff to show. */
struct diff_view {
	struct view view; /* for view_write() */
	const struct diff *diff;
	const uint32_t *rows; /* in order of output */
	size_t n_rows;
	size_t n_small, n_hidden, n_left_out; /* below --threshold, by --limit, by the selection */
	double threshold;
	const char *const *sources; /* by run */
	const struct selection *selection;
	const struct field_choice *columns; /* from diff_fields; NULL: the format's default */
};
/* Appends the name of a row in a table. */
void diff_put_name(struct strbuf *text, const struct diff *diff, uint32_t row);
/* Appends the last `levels` functions of a call path, from the root on. */
void diff_put_path(struct strbuf *text, const struct diff *diff, uint32_t row, unsigned levels);
#define DIFF_PATH_MAX_LEVELS 1000
extern const char *const diff_verdicts[2][6]; /* for times, for others */
/* Write a diff as table, csv and json; `view` is that of a struct diff_view. */
void diff_table(struct items *items, const struct view *view);
void diff_flat(struct items *items, const struct view *view);
void diff_nested(struct items *items, const struct view *view);

#endif
