/* SPDX-License-Identifier: MIT */
/*
 * fold_amount.c - adds up the bytes that calls have read, written and allocated, by call path and
 * file, in AMOUNT cells (cinstr/amounts.h). The index of the tree's cells finds them, too.
 */
#include "cinstr/amounts.h"
#include "cinstr/held.h"
#include "fold_steps.h"

/* Most cells of this kind, 4 MB. Beyond it, a path has one more, for all its other files. */
#define AMOUNTS_MAX 65536u

static struct cinstr_amount *amount_make(struct walk *w, uint32_t owner, uint32_t file, uint32_t part)
{
	struct fold *fold = w->fold;
	struct cinstr_amount *amount;

	if (fold->index.n_used * 2 >= fold->index.n_slots && fold->more_index(fold))
		return NULL;
	amount = (void *)fold_cell_new(fold);
	if (!amount)
		return NULL;
	fold_keep_block(fold, amount);
	amount->owner = owner;
	amount->file = file;
	amount->part = part;
	amount->tag = CINSTR_CELL_AMOUNT | w->epoch << 4;
	fold->n_amounts++;
	fold_index_add(fold, index_of(fold->file, amount));
	return amount;
}

static struct cinstr_amount *amount_of(struct walk *w, uint32_t owner, uint32_t file)
{
	uint32_t part = CINSTR_AMOUNT_PART + CINSTR_AMOUNT_KIND(w->moved);
	struct cinstr_amount *amount = (void *)fold_index_find(w->fold, owner, file, part);

	if (amount)
		return amount;
	if (w->fold->n_amounts < AMOUNTS_MAX || file == CINSTR_FILE_OTHER)
		return amount_make(w, owner, file, part);
	return amount_of(w, owner, CINSTR_FILE_OTHER);
}

static void add(struct walk *w, const void *cell, uint64_t ticks)
{
	uint64_t bytes = CINSTR_AMOUNT_BYTES(w->moved);
	struct cinstr_amount *amount = amount_of(w, index_of(w->file, cell), CINSTR_AMOUNT_FILE(w->moved));

	if (!amount) {
		w->state->uncounted++;
		return;
	}
	touch(w, (struct cinstr_cell *)(void *)amount);
	amount->calls++;
	amount->failed += (w->moved & CINSTR_AMOUNT_FAILED) != 0;
	amount->bytes += bytes;
	amount->ticks += ticks;
	amount->largest = bytes > amount->largest ? bytes : amount->largest;
}

/* The thread may have freed the block since, and got another one: whose record follows. Any other
 * thread's entry stays. */
static void hold(const struct walk *w)
{
	uint64_t at = (w->moved & ~CINSTR_AMOUNT_HOLDS) * sizeof(struct cinstr_held), own, known;
	struct cinstr_held *held = (void *)(w->file + at);

	if (at - w->fold->held_from >= w->fold->held_bytes)
		return;
	own = (uint64_t)index_of(w->file, w->fold->thread) << 32 | index_of(w->file, w->current);
	known = atomic_load_relaxed(&held->owner);
	while (known >> 32 == own >> 32)
		if (atomic_compare_swap(&held->owner, &known, own)) /* held.c */
			return;
}

void fold_add_moved(struct walk *w, uint64_t ticks)
{
	if ((w->moved & CINSTR_AMOUNT_HOLDS) == CINSTR_AMOUNT_HOLDS) {
		hold(w);
		return;
	}
	add(w, w->current, ticks);
	if (is_flat(w->current) && w->merged)
		add(w, w->merged, ticks);
}

struct cinstr_cell *fold_frame(const struct walk *w)
{
	uint32_t i = w->depth;

	while (i && is_call(cell_at(w->file, w->stack[i - 1].cell)))
		i--;
	return cell_at(w->file, i ? w->stack[i - 1].cell : w->root);
}

void fold_add_counted(struct walk *w, uint64_t value)
{
	struct cinstr_cell *frame = fold_frame(w);

	w->moved = value;
	add(w, frame, 0);
	if (is_flat(frame) && w->merged)
		add(w, w->merged, 0);
	w->moved = 0;
}

int fold_note_ahead(struct walk *w, const struct cinstr_record *r)
{
	if (r->code == CINSTR_SPECIAL(CINSTR_SP_TARGET, 0))
		w->target = CINSTR_SPECIAL_VALUE(r);
	else if (r->code == CINSTR_AMOUNT_RECORD &&
		 CINSTR_AMOUNT_KIND(CINSTR_SPECIAL_VALUE(r)) != CINSTR_AMOUNT_COUNTED)
		w->moved = CINSTR_SPECIAL_VALUE(r);
	else if (r->code == CINSTR_AMOUNT_MEMORY_RECORD)
		w->moved = CINSTR_SPECIAL_VALUE(r) | CINSTR_AMOUNT_MEMORY;
	else if (r->code == CINSTR_HELD_RECORD)
		w->moved = CINSTR_SPECIAL_VALUE(r) | CINSTR_AMOUNT_HOLDS;
	else
		return 0;
	return 1;
}
