/* SPDX-License-Identifier: MIT */
/*
 * fold_flat.c - the budget of paths: decides which new paths get a cell, and accounts for calls on
 * paths without one. Called by the fold's steps (fold_steps.h) where a call leads to a cell that is
 * not there yet; in the same threads.
 *
 * Paths get cells as they come up to hot_from of them; from there on only below a node in which
 * calls without paths have taken HOT_TICKS: each further path is paid for by time, so that code
 * that takes time has its paths however long the program has run, and code that runs once, when the
 * program starts or ends, does not have thousands.
 *
 * Calls with OS events, and those of known wrappers of system calls, always have paths: so all time
 * of FLAT cells is application time.
 *
 * Calls without a path are charged to the MERGED child of the node that they were made from, and
 * also to FLAT cells by function and call site. Cells of one function have an anchor, the one
 * without a call site: it counts the function's activations on the stack (`down`), and is where its
 * calls by code without probes are charged. The others' `down` is the anchor's index, and their
 * `across` what they call first.
 */
#include "fold_steps.h"

#define HOT_TICKS (1u << 18) /* some 50 us */

/* ---- FLAT cells ------------------------------------------------------------------------------ */

static struct cinstr_cell *flat_cell(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	uint32_t parent = CINSTR_FLAT_PARENT(cell_at(w->file, w->root)->site >> 3);
	struct cinstr_cell *cell = fold_index_find(w->fold, parent, site, func);

	return cell ? cell : fold_cell_make(w, parent, kind, site, func);
}

struct cinstr_cell *fold_flat_cell(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *cell, *anchor;

	if (kind != CINSTR_CELL_FRAME)
		return flat_cell(w, CINSTR_CELL_FLAT_CALL, site, func);
	cell = flat_cell(w, CINSTR_CELL_FLAT_FRAME, site, func);
	if (!cell || !site || cell->down)
		return cell;
	anchor = flat_cell(w, CINSTR_CELL_FLAT_FRAME, 0, func);
	touch(w, cell);
	cell->down = index_of(w->file, anchor ? anchor : cell);
	return cell;
}

/* The cell that counts the activations of the cell's function on the stack; NULL: a damaged file
 * has none. */
static struct cinstr_cell *anchor_of(char *file, struct cinstr_cell *cell)
{
	struct cinstr_cell *anchor;

	if (kind_of(cell) != CINSTR_CELL_FLAT_FRAME || !cell->site)
		return cell;
	anchor = cell_at(file, cell->down);
	return likely(anchor != cell) ? anchor : NULL;
}

void fold_flat_link(const struct fold *fold, struct cinstr_cell *cell)
{
	struct cinstr_cell *anchor;

	cell->down = cell->across = 0;
	if (kind_of(cell) != CINSTR_CELL_FLAT_FRAME || !cell->site)
		return;
	anchor = fold_index_find(fold, cell->parent, 0, cell->func);
	cell->down = index_of(fold->file, anchor && is_flat(anchor) ? anchor : cell);
}

void fold_flat_count(char *file, struct cinstr_cell *cell)
{
	struct cinstr_cell *anchor = anchor_of(file, cell);

	if (anchor)
		anchor->down++;
}

void fold_flat_opens(struct walk *w, struct cinstr_cell *cell, uint32_t n)
{
	struct cinstr_cell *anchor = anchor_of(w->file, cell);

	if (unlikely(!anchor))
		return;
	touch(w, anchor);
	anchor->down += n;
}

void fold_count_flat(struct walk *w, struct cinstr_cell *cell, struct cinstr_cell *caller, uint64_t n)
{
	fold_flat_opens(w, cell, (uint32_t)n);
	touch(w, w->merged);
	w->merged->calls += n;
	if (is_flat(caller)) {
		touch(w, caller);
		caller->flat_calls += n;
		w->merged->flat_calls += n;
	}
}

static int is_same_call(const struct cinstr_cell *open, const struct cinstr_cell *flat)
{
	if (kind_of(flat) == CINSTR_CELL_FLAT_FRAME)
		return kind_of(open) == CINSTR_CELL_FRAME && open->func == flat->func;
	return is_call(open) && open->site == flat->site && open->func == flat->func;
}

/* Are there calls of functions without probes on the stack within the budget? `down` of MERGED: 0
 * not known, 1 no, 2 yes. */
static int has_calls(const struct walk *w)
{
	if (w->merged->down)
		return w->merged->down == 2;
	touch(w, w->merged);
	w->merged->down = fold_topmost(w, FOLD_ANY_CALL, w->merged_base) ? 2 : 1;
	return w->merged->down == 2;
}

/*
 * Is the function of a FLAT cell on the stack within the budget as well? Then its time is counted
 * there (R6). That is a matter of the MERGED cell: the stack below it is its path.
 */
static int is_on_path(const struct walk *w, struct cinstr_cell *cell)
{
	uint32_t merged = index_of(w->file, w->merged) << 1, i;

	if (kind_of(cell) == CINSTR_CELL_FLAT_CALL && !has_calls(w))
		return 0;
	if ((cell->across & ~1u) == merged) /* asked before */
		return cell->across & 1;
	cell->across = merged;
	i = fold_topmost(w, kind_of(cell) == CINSTR_CELL_FLAT_CALL ? cell->site : cell->func, w->merged_base);
	while (i-- > 0)
		if (is_same_call(frame_of(w->file, cell_at(w->file, w->stack[i].cell)), cell)) {
			cell->across |= 1;
			return 1;
		}
	return 0;
}

void fold_leave_flat(struct walk *w)
{
	expect_nothing(w);
	if (w->depth == w->merged_base)
		w->merged = NULL;
}

/* Inclusive time of an activation that is off the stack, or goes on as another one. */
static void add_time(struct walk *w, struct cinstr_cell *cell, uint64_t ticks)
{
	struct cinstr_cell *anchor = anchor_of(w->file, cell);

	touch(w, cell);
	if (unlikely(!anchor))
		return;
	touch(w, anchor);
	if (anchor->down && --anchor->down == 0 && !is_on_path(w, anchor))
		cell->flat_ticks += ticks;
}

void fold_pop_flat(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open,
		   const struct ended *ended)
{
	struct cinstr_cell *anchor = anchor_of(w->file, cell);
	uint64_t ticks = ended->ticks[CINSTR_INCLUSIVE];
	struct ended alone = *ended;
	uint32_t caller = w->depth - 1;

	alone.ticks[CINSTR_EXCLUSIVE] = ticks - open->callee_ticks;
	if (likely(anchor && !(open->flags & CINSTR_OPEN_CUT)))
		fold_end_flat(w, anchor, &alone);
	add_time(w, cell, ticks);
	if (w->depth > w->merged_base) {
		/* no more than one: there is one list of them */
		while (unlikely(caller < w->kept_low))
			fold_keep_entry(w, w->kept_low - 1);
		if (unlikely(caller >= w->kept_high))
			fold_keep_entry(w, caller);
		w->stack[caller].callee_ticks += ticks;
	}
	fold_leave_flat(w);
}

void fold_end_flat_times(struct walk *w)
{
	for (uint32_t i = w->depth; i-- > w->merged_base;)
		add_time(w, cell_at(w->file, w->stack[i].cell),
			 w->time - ticks_outside(w) - w->stack[i].start_ticks);
}

struct cinstr_cell *fold_merged_cell(struct walk *w, struct cinstr_cell *parent)
{
	uint32_t index = index_of(w->file, parent);
	struct cinstr_cell *cell = fold_index_find(w->fold, index, 0, 0);

	return cell ? cell : fold_cell_make(w, index, CINSTR_CELL_MERGED, 0, 0);
}

/* ---- calls that are open get paths ----------------------------------------------------------- */

/* The node that stands for a call beyond the budget, below `parent`. NULL: no room. */
static struct cinstr_cell *node_for(struct walk *w, struct cinstr_cell *parent,
				    const struct cinstr_cell *flat)
{
	uint32_t index = index_of(w->file, parent);
	uint32_t kind = is_frame(flat) ? CINSTR_CELL_FRAME
			: flat->func   ? CINSTR_CELL_INDIRECT
				       : CINSTR_CELL_CALL;
	struct cinstr_cell *cell = fold_index_find(w->fold, index, flat->site, flat->func);

	if (!cell)
		cell = fold_cell_make(w, index, kind, flat->site, flat->func);
	if (cell && kind == CINSTR_CELL_INDIRECT)
		cell->last_exit = flat->last_exit;
	return cell;
}

/* All cells that are needed: an activation goes on in its own only if the others have theirs. */
static int has_nodes(struct walk *w)
{
	struct cinstr_cell *cell = cell_at(w->file, w->merged->parent);

	if (w->fold->n_cells + (w->depth - w->merged_base) > w->fold->max_cells)
		return 0;
	for (uint32_t i = w->merged_base; cell && i < w->depth; i++)
		cell = node_for(w, cell, cell_at(w->file, w->stack[i].cell));
	return cell != NULL;
}

static void give_nodes(struct walk *w)
{
	struct cinstr_cell *cell = cell_at(w->file, w->merged->parent);
	uint64_t now = w->time - ticks_outside(w);

	for (uint32_t i = w->merged_base; i < w->depth; i++) {
		struct cinstr_open *open = &w->stack[i];
		uint64_t end = i + 1 < w->depth ? w->stack[i + 1].start_ticks : now;

		cell = node_for(w, cell, cell_at(w->file, open->cell));
		/* The ticks that it keeps itself of its first activation count from ticks_before,
		 * as usual. */
		if (!cell->detail && cell->first_ticks != UINT64_MAX)
			fold_detail_of(w, cell, cell->ticks);
		open->cell = index_of(w->file, cell);
		open->ticks_before = cell->ticks - (end - open->start_ticks - open->callee_ticks);
	}
	w->current = cell;
	expect_first(w, cell);
}

/*
 * The calls that are open beyond the budget go on in the tree. They were counted, and their time up
 * to now; as activations of their nodes they have what comes, and end there with their whole
 * length, as where a phase begins.
 */
static int show(struct walk *w)
{
	if (!w->fold->hot_from || !has_nodes(w))
		return 0;
	for (uint32_t i = w->depth; i-- > w->merged_base;)
		if (i - w->kept_low >= w->kept_high - w->kept_low)
			fold_keep_entry(w, i);
	fold_end_flat_times(w);
	give_nodes(w);
	w->merged = NULL;
	return 1;
}

/* Not while a call is on top that may turn out to have been another one (retract_call()): what was
 * counted of it would have to be taken back where it was counted. */
void fold_flat_expand(struct walk *w)
{
	if (w->merged->ticks >= HOT_TICKS && !is_call(w->current))
		show(w);
}

struct cinstr_cell *fold_flat_charged(struct walk *w, struct cinstr_cell *cell, const struct os_part *os)
{
	if (os->bits & CINSTR_OS_DEFAULT_MASK || os->off_cpu_ticks)
		show(w);
	return is_flat(w->current) ? cell : w->current;
}

/* ---- the callee's cell ----------------------------------------------------------------------- */

/* Is there room for another path below the node with this MERGED child, or without one? */
static int has_room(const struct fold *fold, const struct cinstr_cell *merged, int is_wrapper)
{
	if (fold->n_cells >= fold->max_cells)
		return 0;
	return !fold->hot_from || fold->n_cells < fold->hot_from || is_wrapper ||
	       (merged && merged->ticks >= HOT_TICKS);
}

/* A call of the current cell that has not been seen there before. NULL: there is no room for
 * anything. */
static __attribute__((noinline)) struct cinstr_cell *new_path(struct walk *w, uint32_t kind, uint32_t site,
							      uint32_t func)
{
	uint32_t parent = index_of(w->file, w->current);
	struct cinstr_cell *merged = NULL, *cell;

	if (w->fold->hot_from || w->fold->n_cells >= w->fold->max_cells)
		merged = fold_index_find(w->fold, parent, 0, 0);
	if (likely(has_room(w->fold, merged, kind == CINSTR_CELL_CALL && fold_is_wrapper(w->fold, site)))) {
		cell = fold_cell_make(w, parent, kind, site, func);
		if (cell) {
			*w->slot = index_of(w->file, cell);
			return cell;
		}
	}
	if (!merged)
		merged = fold_merged_cell(w, w->current);
	if (!merged)
		return NULL;
	w->state->merged_calls++;
	cell = fold_flat_cell(w, kind, site, func);
	if (!cell)
		return NULL;
	w->state->merged_spans++;
	w->merged = merged;
	w->merged_base = w->depth;
	return cell;
}

/* Called by a FLAT cell. */
static struct cinstr_cell *flat_child(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *cell = cell_at(w->file, *w->slot);

	w->state->merged_calls++;
	if (*w->slot && cell->site == site && cell->func == func && cell->parent == w->current->parent &&
	    is_flat(cell))
		return cell;
	cell = fold_flat_cell(w, kind, site, func);
	if (cell)
		*w->slot = index_of(w->file, cell);
	return cell;
}

struct cinstr_cell *fold_child_slow(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *cell;

	if (is_flat(w->current) && !(kind == CINSTR_CELL_CALL && fold_is_wrapper(w->fold, site) && show(w)))
		return flat_child(w, kind, site, func);
	cell = fold_index_find(w->fold, index_of(w->file, w->current), site, func);
	if (!cell)
		return new_path(w, kind, site, func);
	*w->slot = index_of(w->file, cell);
	return cell;
}
