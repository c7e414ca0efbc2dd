/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shares_fold.c - turns what samples see of a program into what its probes would see
 * (diff_shares.h). A function on a sampled path keeps its row if the instrumented side has it, and
 * it has probes itself or was called by a function with probes (perhaps by another name:
 * callee_names.c); others on the path are a part of the last one that did. Code below which nothing
 * was instrumented (the dynamic loader, a thread's start) stays as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "diff_shares.h"
#include "rows/call_path_walk.h"

struct folding {
	struct diff *diff;
	size_t run;
	const struct profile *profile; /* BY_PATH */
	uint32_t *row_of;	       /* of each entity */
	uint32_t *keeper;	       /* of each path: the row that has its time */
	uint8_t *is_kept;	       /* of each path: that is its own */
	uint32_t *on_stack;	       /* of each row */
	double *inclusive, *exclusive; /* of each row, samples */
	/* of each path that is kept: who has jumped there; NULL: nobody */
	const struct shares_jump **jump_of;
	size_t n_jumps, n_unclear; /* of such that the walk is below now */
	double jumped, unclear;	   /* samples */
	double *folded;		   /* of each row: exclusive samples that are another one's */
};

/* Rows as diff_match() wants them: one for each function on any path. The caller frees rows. */
static void rows_make(struct profile *rows, const struct profile *profile)
{
	size_t n = profile->names->keys.n;

	*rows = (struct profile){ .by = BY_FUNCTION, .n_rows = n };
	rows->rows = xcalloc(n + 1, sizeof(*rows->rows));
	for (size_t i = 1; i < profile->paths.n; i++) {
		const struct path *path = &profile->paths.list[i];
		const struct entity *entity = &profile->names->list[path->entity];
		struct row *row = &rows->rows[path->entity];

		row->name = entity->name;
		row->module = entity->module;
		row->file = entity->file;
		row->line = entity->line;
		row->entries = 1; /* none is empty: each path is to have a row */
	}
}

/* Whether probes have seen the row. */
static int is_known(const struct folding *f, uint32_t row)
{
	for (size_t run = f->diff->n_a; run < f->diff->n_runs; run++)
		if (diff_cell(f->diff, row, run)->is_there)
			return 1;
	return 0;
}

static uint32_t row_of_path(const struct folding *f, uint32_t path)
{
	return f->row_of[f->profile->paths.list[path].entity];
}

/* The row that the path has of its own; DIFF_NONE: its time is its caller's. */
static uint32_t row_kept(const struct folding *f, uint32_t path)
{
	const struct shares_row *rows = f->diff->shares->rows;
	uint32_t parent = f->profile->paths.list[path].parent, row = row_of_path(f, path), caller;
	int is_right_below;

	if (!parent || (is_known(f, row) && rows[row].has_probes))
		return row;
	caller = row_of_path(f, parent);
	is_right_below = f->keeper[parent] == caller && rows[caller].has_probes;
	if (is_known(f, row))
		return is_right_below ? row : DIFF_NONE;
	if (is_right_below)
		return shares_edge_other(f->diff, caller, row);
	return is_known(f, f->keeper[parent]) ? DIFF_NONE : row;
}

static void count_in(struct folding *f, uint32_t row, const struct path *path)
{
	if (!f->on_stack[row]++)
		f->inclusive[row] += path->elapsed_inclusive;
}

/* Who left by tail calls on the way to a path that is kept. */
static const struct shares_jump *jump_to(const struct folding *f, uint32_t number)
{
	uint32_t parent = f->profile->paths.list[number].parent;
	int is_inside = parent && is_known(f, f->keeper[parent]);

	return shares_jump_of(f->diff, is_inside ? f->keeper[parent] : SHARES_OUTSIDE, f->keeper[number]);
}

static void enter_jumps(struct folding *f, uint32_t number)
{
	const struct path *path = &f->profile->paths.list[number];
	const struct shares_jump *jump = f->jump_of[number] = jump_to(f, number);

	f->n_jumps += jump && !jump->is_unclear;
	f->n_unclear += jump && jump->is_unclear;
	for (size_t i = 0; jump && !jump->is_unclear && i < jump->n; i++)
		count_in(f, jump->list[i], path);
}

static void leave_jumps(struct folding *f, uint32_t number)
{
	const struct shares_jump *jump = f->jump_of[number];

	f->n_jumps -= jump && !jump->is_unclear;
	f->n_unclear -= jump && jump->is_unclear;
	for (size_t i = 0; jump && !jump->is_unclear && i < jump->n; i++)
		f->on_stack[jump->list[i]]--;
}

static void enter(void *arg, uint32_t number)
{
	struct folding *f = arg;
	const struct path *path = &f->profile->paths.list[number];
	uint32_t row = row_kept(f, number);

	if (row != row_of_path(f, number))
		f->folded[row_of_path(f, number)] += path->elapsed_exclusive;
	if (row == DIFF_NONE) {
		f->keeper[number] = f->keeper[path->parent];
	} else {
		f->keeper[number] = row;
		f->is_kept[number] = 1;
		count_in(f, row, path);
		enter_jumps(f, number);
	}
	f->jumped += f->n_jumps ? path->elapsed_exclusive : 0;
	f->unclear += f->n_unclear ? path->elapsed_exclusive : 0;
	f->exclusive[f->keeper[number]] += path->elapsed_exclusive;
}

static void leave(void *arg, uint32_t number)
{
	struct folding *f = arg;

	if (!f->is_kept[number])
		return;
	f->on_stack[f->keeper[number]]--;
	leave_jumps(f, number);
}

static void cells_set(struct folding *f)
{
	struct diff *diff = f->diff;
	double whole = diff->shares->samples[f->run] / 100;

	for (uint32_t row = 0; row < diff->n_rows; row++) {
		struct diff_cell *cell = diff_cell(diff, row, f->run);

		if (whole <= 0 || (!cell->is_there && f->inclusive[row] <= 0))
			continue;
		cell->values[DIFF_ELAPSED_INCLUSIVE] = f->inclusive[row] / whole;
		cell->values[DIFF_ELAPSED_EXCLUSIVE] = f->exclusive[row] / whole;
		diff->shares->rows[row].folded += f->folded[row] / whole / (double)diff->n_a;
		shares_cell_finish(diff, cell);
		cell->is_there = f->inclusive[row] > 0;
	}
	if (whole > 0) {
		diff->shares->jumped += f->jumped / whole / (double)diff->n_a;
		diff->shares->unclear += f->unclear / whole / (double)diff->n_a;
	}
}

static void edges_look(const struct folding *f)
{
	shares_edges_begin(f->diff);
	for (uint32_t i = 1; i < f->profile->paths.n; i++) {
		uint32_t parent = f->profile->paths.list[i].parent;

		if (parent)
			shares_edge_seen(f->diff, row_of_path(f, parent), row_of_path(f, i));
	}
}

void shares_fold(struct diff *diff, size_t run, const struct profile *profile, const char *exe)
{
	struct profile rows;
	struct folding f = { .diff = diff, .run = run, .profile = profile };

	rows_make(&rows, profile);
	f.row_of = diff_match(diff, run, &rows, exe);
	shares_rows_grow(diff);
	shares_run_note(diff, run, profile);
	f.keeper = xcalloc(profile->paths.n + 1, sizeof(*f.keeper));
	f.jump_of = xcalloc(profile->paths.n + 1, sizeof(*f.jump_of));
	f.is_kept = xcalloc(profile->paths.n + 1, 1);
	f.on_stack = xcalloc(diff->n_rows + 1, sizeof(*f.on_stack));
	f.inclusive = xcalloc(diff->n_rows + 1, sizeof(*f.inclusive));
	f.exclusive = xcalloc(diff->n_rows + 1, sizeof(*f.exclusive));
	f.folded = xcalloc(diff->n_rows + 1, sizeof(*f.folded));
	edges_look(&f);
	path_walk(&profile->paths, enter, leave, &f);
	cells_set(&f);
	free(f.row_of);
	free(f.keeper);
	free(f.is_kept);
	free(f.jump_of);
	free(f.on_stack);
	free(f.inclusive);
	free(f.exclusive);
	free(f.folded);
	free(rows.rows);
}
