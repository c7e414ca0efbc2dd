/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff_shares.h - diff (diff.h) where samples are on a side: what is compared are shares of the
 * session in percent, and changes are in points.
 *
 *      sampled and sampled         the test of two proportions; with several runs on a side, their
 *                                  spread if that is larger
 *      sampled and instrumented    how much probes distort. Samples see processor time only, so the
 *                                  instrumented share is that of Application time in the mode
 *                                  `on-cpu`, where that has a source, else of Elapsed
 *
 * In the second case side A is the sampled one, whatever the order of the operands. Functions
 * without probes are seen by samples wherever they run, by probes only where a function with probes
 * calls them: elsewhere their time is that of the function that does. So what only samples can see
 * is a part of its caller here (shares_fold()), and both sides say the same of a program that is
 * not distorted.
 *
 * Values of cells: DIFF_ELAPSED_INCLUSIVE, _EXCLUSIVE and DIFF_COLUMN are percentages.
 */
#ifndef REPORT_DIFF_SHARES_H
#define REPORT_DIFF_SHARES_H

#include "diff.h"

enum shares_kind { SHARES_NONE, SHARES_SAMPLED, SHARES_BESIDE };

/* Of a row. */
struct shares_row {
	int has_probes; /* the instrumented side has it in a module with probes */
	/* percent of the samples in it that are its callers' here, mean of the runs */
	double folded;
	double by_chance; /* how much both sides may be expected to differ if they agree: points */
};

/* A call of a function without probes by one that has some, as probes have seen it. */
struct shares_edge {
	uint32_t caller, callee; /* rows */
	double time;
	int is_seen; /* by samples */
};

/*
 * A function that was reached by tail calls (R15): samples see it right below the caller of the
 * first of those who jumped, which have no frame any more. list[n]: rows of these, the last one
 * first.
 */
#define SHARES_JUMPS_MAX 16
#define SHARES_OUTSIDE (DIFF_NONE - 1) /* the caller: code that probes do not see */
struct shares_jump {
	uint32_t list[SHARES_JUMPS_MAX];
	size_t n;
	int is_unclear; /* others have jumped as well, or the caller has called it itself */
};

struct shares {
	enum shares_kind kind;
	int is_inclusive; /* compares inclusive shares */
	int is_elapsed;	  /* SHARES_BESIDE: there is no source of Application time */
	int sees_kernel;  /* all sampled runs hold samples in the kernel */
	double *samples;  /* by run; 0: it was instrumented */
	struct shares_row *rows;
	size_t n_rows;
	struct map edge_keys; /* caller, callee -> edges */
	struct shares_edge *edges;
	size_t size_edges;
	struct map jump_keys; /* caller, callee -> jumps */
	struct shares_jump *jumps;
	size_t size_jumps;
	/* percent of the samples: below tail calls; below such that are not clear */
	double jumped, unclear;
	/* SHARES_BESIDE, exclusive: half of the sum of all differences, and what chance alone would
	 * make of it: points. */
	double distortion, by_chance;
	uint32_t most;	 /* the row with the largest difference; DIFF_NONE */
	double folded;	 /* percent of the samples */
	size_t n_folded; /* rows */
};

/* Limits of a share in percent, with 95 % confidence. */
struct shares_range {
	double low, high;
};

/*
 * side_method.c: by which methods the runs paths[n], of which *n_a are the first side, were
 * recorded. Puts the sampled side first. STATUS_OK, or an exit status after an error message.
 */
int shares_sides(char **paths, size_t n, size_t *n_a, enum shares_kind *kind);
/* Whether shares of these rows, or of all if with_total, differ by more than so many points, which
 * is said. */
int shares_differ(const struct diff *diff, size_t n, const uint32_t *rows, int with_total, double points);

void shares_init(struct shares *shares, enum shares_kind kind, size_t n_runs);
void shares_release(struct shares *shares);

/* Adds a run by rows. `paths`: NULL, or the same session BY_PATH. */
void shares_add(struct diff *diff, size_t run, const struct profile *profile, const char *exe,
		const struct profile *paths);
/* SHARES_BESIDE: adds a sampled run, read BY_PATH, after all instrumented ones. */
void shares_fold(struct diff *diff, size_t run, const struct profile *profile, const char *exe);
/* Of these two: room for rows that are new; the samples of the run; a cell whose shares are set. */
void shares_rows_grow(struct diff *diff);
void shares_run_note(struct diff *diff, size_t run, const struct profile *profile);
void shares_cell_finish(const struct diff *diff, struct diff_cell *cell);

/*
 * callee_names.c. A callee is not always found under the name by which it was called: memcpy() is
 * whatever fits the processor, qsort() leaves with a jump. So what samples have seen right below a
 * function with probes, and probes have not, is taken for what that function called in the same
 * library and samples have not seen.
 */
/* Adds the calls of an instrumented run; rows: those of the functions' profile. */
void shares_edges_add(struct diff *diff, const struct profile *functions, const uint32_t *rows,
		      const struct profile *paths);
/* One, of rows; the callee has no probes, or the edge is never asked for. */
void shares_edge_add(struct shares *shares, uint32_t caller, uint32_t callee, double time);
/* A sampled run begins; it has seen such a call. */
void shares_edges_begin(struct diff *diff);
void shares_edge_seen(struct diff *diff, uint32_t caller, uint32_t callee);
/* What the function `seen` below `caller` was called as; DIFF_NONE: there is nothing that it may
 * be. */
uint32_t shares_edge_other(const struct diff *diff, uint32_t caller, uint32_t seen);

/*
 * shares_jumps.c. Where it is clear who has jumped between two functions on a sampled stack, the
 * samples are theirs, too: as probes have it. row_of: of each entity of an instrumented run's
 * paths.
 */
void shares_jumps_add(struct diff *diff, const struct profile *profile, const uint32_t *row_of);
/* NULL: the caller calls it. */
const struct shares_jump *shares_jump_of(const struct diff *diff, uint32_t caller, uint32_t callee);

/* As diff_compare(). */
void shares_compare(struct diff *diff, double threshold);

/* Of a side (0 A, 1 B); `value`: DIFF_ELAPSED_INCLUSIVE or DIFF_ELAPSED_EXCLUSIVE. */
struct shares_range shares_range_of(const struct diff *diff, uint32_t row, int side, enum diff_value value);
/* All samples of a side; 0: it was instrumented. */
double shares_samples(const struct diff *diff, int side);
/* The number x that a normally distributed one is above with probability p, 0 < p <= 0.5. */
double shares_normal(double p);

extern const char *const shares_verdicts[2][6]; /* of SHARES_SAMPLED, SHARES_BESIDE */
/* They take the view of a struct diff_view. */
void shares_table(struct sheet *sheet, const struct view *view);
void shares_flat(struct sheet *sheet, const struct view *view);
void shares_nested(struct sheet *sheet, const struct view *view);

#endif
