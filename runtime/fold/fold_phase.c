/* SPDX-License-Identifier: MIT */
/*
 * fold_phase.c - begins a phase (struct cinstr_phases): splits the current interval at that moment;
 * open activations continue in a tree of the new phase. The event that ends the interval has
 * determined its cell by then (charge() in fold_steps.h).
 *
 * A moment in time that belongs to no cell (the runtime's own, a pause) takes effect when the next
 * interval ends: changes of the stack by a record there, and a next event that turns a call into
 * that of a function with probes, belong to the phase before.
 *
 * A record with exactly the stamp of the moment belongs to the phase before. OS events of a split
 * interval: both parts get its bits, as it is not known when they happened, and their share of the
 * time off the processor; the interval and its switches count where it ends.
 */
#include "fold_steps.h"

size_t fold_phase_ahead(const struct walk *w, const struct cinstr_record *r, size_t left)
{
	uint64_t time = w->time;
	size_t i = 0;

	for (; i < left && CINSTR_CODE_KIND(r[i].code) != CINSTR_EV_SPECIAL; i++) {
		if (r[i].time_lo < (uint32_t)time)
			break;
		time += r[i].time_lo - (uint32_t)time;
		if (time > w->next_phase)
			break;
	}
	return i;
}

/* ---- the interval's first part --------------------------------------------------------------- */

/* behind: for the time after the cell's calls */
static void uncount_interval(const struct walk *w, const struct cinstr_cell *cell, int behind, uint32_t bits)
{
	const struct cinstr_detail *detail = detail_at(w->file, cell->detail);
	uint32_t i = !cell->detail ? 0 : behind ? detail->after_buckets : detail->buckets;

	while (i) {
		struct cinstr_bucket *bucket = (struct cinstr_bucket *)(void *)cell_at(w->file, i);

		if (bucket->bits == bits) {
			bucket->intervals--;
			return;
		}
		i = bucket->next;
	}
}

/* What `ticks` of `whole` have of `sum`, which is at most `whole`: there is room for the rest in
 * what is left of it. */
static uint64_t share(uint64_t sum, uint64_t ticks, uint64_t whole)
{
	uint64_t rest = whole - ticks, unit = whole, part = ticks, result;

	for (; unit >> 32; unit >>= 1)
		part >>= 1;
	result = sum / unit * part + sum % unit * part / unit;
	if (result > ticks)
		result = ticks;
	return sum - result > rest ? sum - rest : result;
}

/* The first `ticks` of an interval of `whole`; what is left of *os is for the rest. */
static void charge_part(struct walk *w, uint64_t ticks, uint64_t whole, struct os_part *os)
{
	struct os_part part = { .bits = os->bits };
	struct cinstr_cell *child = returned_from(w, w->current);

	if (!os->bits) {
		charge_here(w, w->current, ticks, NULL);
		return;
	}
	part.off_cpu_ticks = share(os->off_cpu_ticks < whole ? os->off_cpu_ticks : whole, ticks, whole);
	os->off_cpu_ticks -= part.off_cpu_ticks;
	charge_here(w, w->current, ticks, &part);
	uncount_interval(w, w->current, 0, os->bits);
	if (is_flat(w->current))
		uncount_interval(w, w->merged, 0, os->bits);
	if (child)
		uncount_interval(w, child, 1, os->bits);
}

/* ---- what is open, in the new phase's tree --------------------------------------------------- */

/* After a fold that was undone, such cells may be there already. */
static struct cinstr_cell *cell_below(struct walk *w, uint32_t parent, uint32_t kind, uint32_t site,
				      uint32_t func)
{
	struct cinstr_cell *cell = fold_index_find(w->fold, parent, site, func);

	return cell ? cell : fold_cell_make(w, parent, kind, site, func);
}

/* The same call as `cell`, below another parent; of a line: the frame, and the line in it. NULL: no
 * room. */
static struct cinstr_cell *copy_below(struct walk *w, uint32_t parent, struct cinstr_cell *cell)
{
	struct cinstr_cell *frame = frame_of(w->file, cell), *copy, *line;

	copy = cell_below(w, parent, kind_of(frame), frame->site, frame->func);
	if (!copy)
		return NULL;
	copy->last_exit = frame->last_exit;
	copy->tag |= frame->tag & CINSTR_CELL_CYCLIC;
	if (cell == frame)
		return copy;
	line = cell_below(w, index_of(w->file, copy), CINSTR_CELL_LINE, cell->site, 0);
	return line ? line : copy;
}

/* All entries of the stack change: the undo journal keeps those that it does not have. */
static void keep_stack(struct walk *w)
{
	for (uint32_t i = w->depth; i-- > 0;)
		if (i - w->kept_low >= w->kept_high - w->kept_low)
			fold_keep_entry(w, i);
}

/* Entries beyond the budget of paths have cells by function, of each phase its own; they begin
 * anew. */
static void move_flat(struct walk *w, uint32_t parent)
{
	struct cinstr_cell *merged = fold_merged_cell(w, cell_at(w->file, parent));

	if (!merged)
		return;
	fold_end_flat_times(w);
	w->merged = merged;
	for (uint32_t i = w->merged_base; i < w->depth; i++) {
		struct cinstr_open *open = &w->stack[i];
		struct cinstr_cell *cell = cell_at(w->file, open->cell), *copy;
		uint32_t kind = is_frame(cell) ? CINSTR_CELL_FRAME : CINSTR_CELL_CALL;

		copy = fold_flat_cell(w, kind, cell->site, cell->func);
		if (copy)
			copy->last_exit = cell->last_exit;
		else
			copy = cell;
		fold_flat_opens(w, copy, 1);
		open->cell = index_of(w->file, copy);
		open->start_ticks = w->time - ticks_outside(w);
		open->callee_ticks = 0;
		open->flags |= CINSTR_OPEN_CUT;
	}
}

/* What the activation has of exclusive ticks, and what is left out of its application time, goes
 * with it. */
static void move_activation(struct walk *w, uint32_t i, struct cinstr_cell *from, struct cinstr_cell *to)
{
	struct cinstr_cell *from_frame = frame_of(w->file, from), *to_frame = frame_of(w->file, to);
	struct cinstr_open *open = &w->stack[i];
	uint64_t ticks = exclusive_ticks(open, from_frame, from);

	fold_move_details(w, from_frame, to_frame, open);
	open->ticks_before = to_frame->ticks - ticks;
	if (to != to_frame) {
		touch(w, to);
		to->line_ticks = to->ticks;
	}
}

/* Without room for a cell the rest stays where it is, until it is over. */
static void move_open(struct walk *w)
{
	uint32_t parent = w->root;

	keep_stack(w);
	for (uint32_t i = 0; i < w->depth; i++) {
		struct cinstr_cell *cell = cell_at(w->file, w->stack[i].cell), *copy;

		if (is_flat(cell)) {
			move_flat(w, parent);
			return;
		}
		copy = copy_below(w, parent, cell);
		if (!copy)
			return;
		move_activation(w, i, cell, copy);
		parent = w->stack[i].cell = index_of(w->file, copy);
	}
}

/* The call that has just ended: the time after it goes on. */
static void move_child(struct walk *w, struct cinstr_cell *child)
{
	struct cinstr_cell *copy = copy_below(w, index_of(w->file, w->current), child);

	if (!copy)
		return;
	touch(w, copy);
	expect_after(w, copy);
}

/* The moment behind the one that is due. */
static uint64_t phase_behind(const struct walk *w)
{
	return phase_at(w->fold, w->state->phase + 1);
}

static void begin_tree(struct walk *w)
{
	const struct fold *fold = w->fold;
	struct cinstr_cell *root = NULL, *child;
	/* with their lines, the root, MERGED, and what has just ended */
	uint64_t needed = 2ull * w->depth + 3;

	if (fold->n_cells + needed <= fold->max_cells_open)
		root = cell_below(w, fold->thread->root, CINSTR_CELL_ROOT, w->state->phase << 3, 0);
	if (!root) {
		w->state->phases_missed++;
		return;
	}
	child = returned_from(w, w->current);
	w->root = w->state->root = index_of(w->file, root);
	move_open(w);
	stand_on_top(w);
	if (is_flat(w->current)) {
		expect_nothing(w);
	} else {
		expect_first(w, w->current);
		if (child)
			move_child(w, child);
	}
}

/* The moment that is due has come. is_last: time is spent in this phase; in one that is over at
 * once none needs a tree. */
static void begin_phase(struct walk *w, int is_last)
{
	const struct fold *fold = w->fold;

	w->state->phase++;
	w->next_phase = phase_due(fold, w->state);
	if (is_last)
		begin_tree(w);
}

void fold_charge_across(struct walk *w, uint64_t ticks, const struct os_part *os)
{
	struct os_part left = { 0 };
	uint64_t end = w->time + ticks;

	if (os)
		left = *os;
	while (w->next_phase < end) {
		uint64_t at = w->next_phase;

		if (at > w->time)
			charge_part(w, at - w->time, end - w->time, &left);
		begin_phase(w, phase_behind(w) >= end || phase_behind(w) > w->time);
	}
	charge_here(w, w->current, end - w->time, os ? &left : NULL);
}
