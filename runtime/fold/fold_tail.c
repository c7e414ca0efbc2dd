/* SPDX-License-Identifier: MIT */
/*
 * fold_tail.c - tail calls (R15): a function that leaves by a jump to another one stays on the
 * stack below it, and ends when that ends. Called by the fold's steps (fold_events.c), in the same
 * threads.
 *
 * Functions that were reached from one another by tail calls are a chain; its base was called. A
 * program may jump for ever: a chain that comes to a function a second time, or gets long, is a
 * loop or a state machine, and so are all that begin in the same path (CINSTR_CELL_CYCLIC). In
 * these a function that was reached by a jump ends when it jumps itself, and the next one hangs
 * below the base: as many paths as there are pairs of a jump and its target, however they follow
 * one another.
 */
#include "fold_steps.h"

#define CHAIN_MAX 16 /* functions */

/* The entry of the topmost chain's base. */
static uint32_t base_of(const struct walk *w)
{
	uint32_t i = w->depth - 1;

	while (i && w->stack[i].flags & CINSTR_OPEN_TAILED)
		i--;
	return i;
}

static int is_in_chain(const struct walk *w, uint32_t base, uint32_t func)
{
	for (uint32_t i = base; i < w->depth; i++)
		if (frame_of(w->file, cell_at(w->file, w->stack[i].cell))->func == func)
			return 1;
	return 0;
}

/* Makes room for a callee of the topmost frame. What has no probes needs none: it makes no tail
 * call. */
static void shorten(struct walk *w, uint32_t func)
{
	uint32_t base = base_of(w);
	struct cinstr_cell *cell = frame_of(w->file, cell_at(w->file, w->stack[base].cell));

	if (w->depth - base >= CHAIN_MAX || is_in_chain(w, base, func))
		cell->tag |= CINSTR_CELL_CYCLIC;
	if (!(cell->tag & CINSTR_CELL_CYCLIC))
		return;
	while (w->depth > base + 1) {
		w->state->exits++;
		pop(w);
	}
}

int fold_jumps_to(const struct fold *fold, uint32_t site, uint32_t func)
{
	uint32_t n_words = atomic_load_relaxed(&fold->sites->n_words);
	const uint16_t *names;

	if (!fold->switched)
		return 1;
	if (site_word(fold, site) == func)
		return 0;
	names = atomic_load_acquire(&fold->sites->names);
	if (!names || site >> 3 >= n_words || func >> 3 >= n_words)
		return 1;
	return !names[site >> 3] || !names[func >> 3] || names[site >> 3] == names[func >> 3];
}

int fold_tail_push(struct walk *w, uint32_t kind, uint32_t site, uint32_t func, uint32_t where)
{
	struct cinstr_cell *cell;
	uint32_t depth;

	if (kind == CINSTR_CELL_FRAME)
		shorten(w, func);
	depth = w->depth;
	cell = child(w, kind, site, func);
	if (cell)
		push(w, cell, where);
	if (w->depth > depth) {
		w->stack[depth].flags |= CINSTR_OPEN_TAILED;
		return 1;
	}
	w->state->exits++; /* no room for the callee: nothing else will end its caller */
	fold_tail_pop(w);
	return 0;
}

void fold_tail_pop(struct walk *w)
{
	uint32_t is_tailed = top(w)->flags & CINSTR_OPEN_TAILED;

	pop(w);
	while (is_tailed && w->depth) {
		is_tailed = top(w)->flags & CINSTR_OPEN_TAILED;
		w->state->exits++;
		pop(w);
	}
}

void fold_tail_settle(struct walk *w, const struct cinstr_record *r)
{
	const struct cinstr_open *open = top(w);
	int is_enter;

	if (!w->depth || !is_call(w->current))
		return;
	is_enter = CINSTR_CODE_KIND(r->code) == CINSTR_EV_ENTER && fold_returns_to(open->where, r->extra) &&
		   fold_jumps_to(w->fold, w->current->site, r->code);
	if (!(open->flags & CINSTR_OPEN_TAILED)) { /* its caller is not there: tail_of_unknown() */
		if (CINSTR_CODE_KIND(w->current->site) == CINSTR_EV_TAIL && !is_enter)
			pop(w);
		return;
	}
	if (w->depth < 2)
		return;
	if (is_enter && r->code != frame_of(w->file, cell_at(w->file, open[-1].cell))->func)
		return;
	fold_tail_pop(w);
}
