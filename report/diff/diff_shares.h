/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff_shares.h - diff (diff.h) with samples on a side: compares shares of the session in percent;
 * changes are in points.
 *
 *      sampled and sampled         the test of two proportions; with several runs on a side, their
 *                                  spread if that is larger
 *      sampled and instrumented    how much probes distort. Samples see processor time only, so the
 *                                  instrumented share is that of Application time in the mode
 *                                  `on-cpu`, where that has a source, else of Elapsed
 *
 * In the second case side A is the sampled one, whatever the order of the operands. Samples see
 * functions without probes wherever they run; probes see them only where a function with probes
 * calls them, and elsewhere give their time to the function that does. So shares_fold() makes what
 * only samples can see a part of its caller, and both sides agree on a program that is not
 * distorted.
 *
 * Values of cells: DIFF_ELAPSED_INCLUSIVE, _EXCLUSIVE and DIFF_COLUMN are percentages.
 */
#ifndef REPORT_DIFF_SHARES_H
#define REPORT_DIFF_SHARES_H

#include "diff.h"

enum shares_kind { SHARES_NONE, SHARES_SAMPLED, SHARES_BESIDE };

/* Shares of a row. */
struct shares_row {
	int has_probes; /* the instrumented side has it in a module with probes */
	/* percent of the samples in it that were given to its callers, mean of the runs */
	double folded;
	double by_chance; /* expected difference of the sides if they agree: points */
};

/* A call of a function without probes by one with probes, as seen by probes. */
struct shares_edge {
	uint32_t caller, callee; /* rows */
	double time;
	int is_seen; /* seen by samples */
};

/* A function reached by tail calls (R15): samples see it right below the caller of the first
 * function that jumped, as these have no frame any more. list[n]: rows of the functions that
 * jumped, the last one first. */
#define SHARES_JUMPS_MAX 16
#define SHARES_OUTSIDE (DIFF_NONE - 1) /* the caller: code that probes do not see */
struct shares_jump {
	uint32_t list[SHARES_JUMPS_MAX];
	size_t n;
	int is_unclear; /* others jumped as well, or the caller called it itself */
};

struct shares {
	enum shares_kind kind;
	int is_inclusive; /* compares inclusive shares */
	int is_elapsed;	  /* SHARES_BESIDE: Application time has no source */
	int sees_kernel;  /* all sampled runs hold samples in the kernel */
	double *samples;  /* by run; 0: instrumented */
	struct shares_row *rows;
	size_t n_rows;
	struct map edge_keys; /* (caller, callee) -> index in edges */
	struct shares_edge *edges;
	size_t size_edges;
	struct map jump_keys; /* (caller, callee) -> index in jumps */
	struct shares_jump *jumps;
	size_t size_jumps;
	/* percent of the samples: below tail calls; below unclear ones */
	double jumped, unclear;
	/* SHARES_BESIDE, exclusive: half of the sum of all differences, and its value expected by
	 * chance: points. */
	double distortion, by_chance;
	uint32_t most;	 /* the row with the largest difference, or DIFF_NONE */
	double folded;	 /* percent of the samples that were given to callers */
	size_t n_folded; /* rows of these */
};

/* Limits of a share in percent, with 95 % confidence. */
struct shares_range {
	double low, high;
};

/* side_method.c: finds the methods by which the runs paths[n], of which *n_a are the first side,
 * were recorded, and puts the sampled side first. Returns STATUS_OK, or an exit status after an
 * error message. */
int shares_sides(char **paths, size_t n, size_t *n_a, enum shares_kind *kind);
/* Returns whether shares of these rows, or with_total the whole session, differ by more than
 * `points`, after an error message for each. */
int shares_differ(const struct diff *diff, size_t n, const uint32_t *rows, int with_total, double points);

void shares_init(struct shares *shares, enum shares_kind kind, size_t n_runs);
void shares_release(struct shares *shares);

/* Adds a run's rows. `paths`: NULL, or the same session BY_PATH. */
void shares_add(struct diff *diff, size_t run, const struct profile *profile, const char *exe,
		const struct profile *paths);
/* SHARES_BESIDE: adds a sampled run, read BY_PATH, after all instrumented ones. */
void shares_fold(struct diff *diff, size_t run, const struct profile *profile, const char *exe);
/* For shares_add() and shares_fold(): makes room in shares->rows for all rows of the diff. */
void shares_rows_grow(struct diff *diff);
/* Notes how many samples the run has. */
void shares_run_note(struct diff *diff, size_t run, const struct profile *profile);
/* Marks a cell as there, and sets its compared value, from its two shares. */
void shares_cell_finish(const struct diff *diff, struct diff_cell *cell);

/*
 * callee_names.c. A callee is not always found by the name by which it was called: memcpy() is a
 * variant for the processor, qsort() leaves with a jump. So a function that samples saw right below
 * a function with probes, and probes did not, is taken for one in the same library that that
 * function called, and samples did not see; or for a part of a function that it called, which the
 * name begins with: sha256_block_data_order_avx2.
 */
/* Adds the calls of an instrumented run; rows: of the functions' profile. */
void shares_edges_add(struct diff *diff, const struct profile *functions, const uint32_t *rows,
		      const struct profile *paths);
/* Adds a call, by rows. Ignores it unless the caller has probes. */
void shares_edge_add(struct shares *shares, uint32_t caller, uint32_t callee, double time);
/* Begins a sampled run: none of the calls was seen in it yet. */
void shares_edges_begin(struct diff *diff);
/* Notes that samples of the run saw this call; ignores it if probes did not. */
void shares_edge_seen(struct diff *diff, uint32_t caller, uint32_t callee);
/* Returns the function that `caller` called and samples see as `seen`; DIFF_NONE: there is none
 * that it may be. */
uint32_t shares_edge_other(const struct diff *diff, uint32_t caller, uint32_t seen);

/* shares_jumps.c. Where it is clear which functions jumped between two functions on a sampled
 * stack, the samples are counted for these, too, as probes do. row_of: by entity of an instrumented
 * run's paths. */
void shares_jumps_add(struct diff *diff, const struct profile *profile, const uint32_t *row_of);
/* Returns the jumps between the two, or NULL if the caller calls the callee. */
const struct shares_jump *shares_jump_of(const struct diff *diff, uint32_t caller, uint32_t callee);

/* Compares shares, like diff_compare(). */
void shares_compare(struct diff *diff, double threshold);

/* Returns the limits of a share of a side (0 A, 1 B); `value`: DIFF_ELAPSED_INCLUSIVE or
 * DIFF_ELAPSED_EXCLUSIVE. */
struct shares_range shares_range_of(const struct diff *diff, uint32_t row, int side, enum diff_value value);
/* Returns the number of samples of a side; 0: it was instrumented. */
double shares_samples(const struct diff *diff, int side);
/* Returns the number that a normally distributed one exceeds with probability p, 0 < p <= 0.5. */
double shares_normal(double p);

extern const char *const shares_verdicts[2][6]; /* for SHARES_SAMPLED, SHARES_BESIDE */
/* Write a diff as table, csv and json; `view` is that of a struct diff_view. */
void shares_table(struct items *items, const struct view *view);
void shares_flat(struct items *items, const struct view *view);
void shares_nested(struct items *items, const struct view *view);

#endif
