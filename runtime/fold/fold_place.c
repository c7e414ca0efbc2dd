/* SPDX-License-Identifier: MIT */
/*
 * fold_place.c - finds the open frames that the stack pointer of an event proves to be over (R15),
 * and the place of a function on the stack. Called by the fold's steps (fold_events.c; fold_hot.c
 * leaves odd cases to them), in the same threads.
 *
 * Code without probes may catch a jump or an exception: no event shows the frames that were left.
 * But a frame occupies memory: where another one begins, it is gone, and so are all frames below it
 * on the same stack. So no two open frames are in the same place, except those of a chain of tail
 * calls, and a thread has as many as its stacks have room for, however often the program jumps.
 *
 * A program may have several stacks: alternate ones for signals, those of coroutines. The frames of
 * each are a stretch of the fold's stack, in falling order of addresses. Where the next stretch
 * begins is known by CINSTR_OPEN_STACK (a frame that began above the others), or seen by the
 * distance between two frames. What begins among the frames of a stretch is on its stack. What
 * begins outside of all, and far away, is on a stack of its own: it ends nothing. Of the thread's
 * own stack the end is known (fold_own_stack()), and so what is on it.
 */
#include "fold_steps.h"

/* the same as FRAME_BYTES_MAX, of a stretch's outermost frame: what calls it is not known */
#define OUTERMOST_BYTES_MAX (16u << 10)
/* ... and of what begins below the innermost frame of a stretch that is not the topmost one */
#define INNERMOST_BYTES_MAX (64u << 10)
/* stretches below `sp` that lie on top of the one it belongs to: if there are more, they have been
 * abandoned */
#define STRETCHES_MAX 256

/* The topmost frame among the first `depth` entries, as a depth; 0: there is none. */
static uint32_t frame_below(const struct walk *w, uint32_t depth)
{
	while (depth > 0 && !is_frame(frame_of(w->file, cell_at(w->file, w->stack[depth - 1].cell))))
		depth--;
	return depth;
}

static uint32_t place_of(const struct walk *w, uint32_t depth)
{
	return fold_frame_sp(w->stack[depth - 1].where);
}

/* Is it on the upper part of the thread's own stack, where no other stack can be? */
static int is_own(const struct walk *w, uint32_t sp)
{
	return w->own_high - sp < w->own_bytes;
}

/* Is frame number `inner` the outermost one of its stretch? outer: the frame below it. */
static int begins_stretch(const struct walk *w, uint32_t outer, uint32_t inner)
{
	return !outer || w->stack[inner - 1].flags & CINSTR_OPEN_STACK ||
	       place_of(w, outer) - place_of(w, inner) >= FRAME_BYTES_MAX;
}

/* One stretch of the stack, compared with a stack pointer. */
struct stretch {
	uint32_t top;	/* its innermost frame */
	uint32_t begin; /* its outermost frame */
	uint32_t below; /* the frame below that; 0: none */
	uint32_t gone;	/* outermost frame that is not outside the stack pointer; 0: all are */
};

static struct stretch stretch_from(const struct walk *w, uint32_t top, uint32_t sp)
{
	struct stretch s = { .top = top };
	uint32_t d = top;

	if (is_outside(w->stack[d - 1].where, sp) && place_of(w, d) - sp < INNERMOST_BYTES_MAX)
		return s; /* further in: no need to know where it begins */
	for (;;) {
		if (!is_outside(w->stack[d - 1].where, sp))
			s.gone = d;
		s.below = frame_below(w, d - 1);
		if (begins_stretch(w, s.below, d))
			break;
		if (s.gone == d && is_outside(w->stack[s.below - 1].where, sp))
			break; /* among its frames: no need to know where it begins */
		d = s.below;
	}
	s.begin = d;
	return s;
}

/* Number of entries that stay if the stretch is of the stack that `sp` is on; UINT32_MAX: it is
 * not. above: the outermost frame of the stretch on top of it; 0: it is the topmost one. */
static uint32_t kept_of(const struct walk *w, const struct stretch *s, uint32_t above, uint32_t sp)
{
	if (!s->gone)
		return place_of(w, s->top) - sp < INNERMOST_BYTES_MAX ? above - 1 : UINT32_MAX;
	if (s->gone != s->begin || !begins_stretch(w, s->below, s->begin))
		return s->gone - 1;
	if (is_own(w, sp) && is_own(w, place_of(w, s->begin)))
		return s->gone - 1;
	return sp - place_of(w, s->begin) < OUTERMOST_BYTES_MAX ? s->gone - 1 : UINT32_MAX;
}

void fold_own_stack(struct fold *fold, uint64_t high, uint32_t octave)
{
	struct cinstr_cell *root = cell_at(fold->file, fold->thread->root);

	root->last_exit = ((uint32_t)high & ~15u) | (octave & 15u);
}

void fold_own_stack_as(struct fold *fold, const struct cinstr_cell *root)
{
	cell_at(fold->file, fold->thread->root)->last_exit = root->last_exit;
}

int fold_is_inside(const struct walk *w, uint32_t sp)
{
	uint32_t top = frame_below(w, w->depth);

	return !top || is_around(w->stack[top - 1].where, sp);
}

int fold_place(struct walk *w, uint32_t sp)
{
	uint32_t top = frame_below(w, w->depth), above = 0;

	if (!top || is_around(w->stack[top - 1].where, sp))
		return 0;
	for (uint32_t n = 0; top && n < STRETCHES_MAX;) {
		struct stretch s = stretch_from(w, top, sp);
		uint32_t keep = kept_of(w, &s, above, sp);

		if (keep != UINT32_MAX) {
			fold_pop_to(w, keep);
			if (w->fold->switched)
				fold_end_unseen(w);
			return 0;
		}
		n += s.gone != 0;
		above = s.begin;
		top = s.below;
	}
	if (top)
		fold_pop_to(w, above - 1);
	return 1;
}

void fold_mark_stack(struct walk *w, uint32_t entry, int is_elsewhere)
{
	if (is_elsewhere && entry && w->depth > entry)
		w->stack[entry].flags |= CINSTR_OPEN_STACK;
}

/* ---- where a function is open ---------------------------------------------------------------- */

/* Is the entry a frame of the function, a call from the site, or (FOLD_ANY_CALL) any call? */
static int is_of(const struct walk *w, uint32_t depth, uint32_t code)
{
	const struct cinstr_cell *cell = frame_of(w->file, cell_at(w->file, w->stack[depth - 1].cell));

	if (CINSTR_CODE_KIND(code) == CINSTR_EV_ENTER)
		return is_frame(cell) && cell->func == code;
	return is_call(cell) && (code == FOLD_ANY_CALL || cell->site == code);
}

/* Entries that have not changed since fold number `run` began. */
static uint32_t unchanged_since(const struct walk *w, uint32_t run)
{
	const struct fold *fold = w->fold;
	uint32_t i = 0;

	while (i < fold->n_lows && fold->lows[i].run - run >= 1u << 31)
		i++;
	return i < fold->n_lows && fold->lows[i].lowest < w->lowest ? fold->lows[i].lowest : w->lowest;
}

void fold_note_lowest(struct walk *w)
{
	struct fold *fold = w->fold;

	while (fold->n_lows && fold->lows[fold->n_lows - 1].lowest >= w->lowest)
		fold->n_lows--;
	if (fold->n_lows == FOLD_LOWS) {
		fold->lows[1].lowest = fold->lows[0].lowest;
		for (uint32_t i = 1; i < FOLD_LOWS; i++)
			fold->lows[i - 1] = fold->lows[i];
		fold->n_lows--;
	}
	fold->lows[fold->n_lows++] = (struct fold_low){ fold->run, w->lowest };
}

uint32_t fold_topmost(const struct walk *w, uint32_t code, uint32_t depth)
{
	struct fold_found *found = &w->fold->found[(code >> 3 ^ code) % FOLD_FOUND];
	uint32_t known = 0, d = depth;

	if (found->code == code) {
		known = unchanged_since(w, found->run);
		if (known > found->below)
			known = found->below;
		if (found->at > known)
			known = 0;
		else if (known > depth && found->at <= depth)
			return found->at;
		else if (known > depth)
			known = 0;
	}
	while (d > known && !is_of(w, d, code))
		d--;
	if (known && d == known)
		d = found->at;
	*found = (struct fold_found){ code, d, depth, w->fold->run };
	return d;
}
