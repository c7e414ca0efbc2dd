/* SPDX-License-Identifier: MIT */
/*
 * fold_tree.c - the fold's cells, their index (a hash table by parent, site and function), and the
 * undo journal that makes a fold atomic.
 */
#include "fold_walk.h"

/* ---- undo journal ---------------------------------------------------------------------------- */

void fold_keep_block(struct fold *fold, const void *block)
{
	struct cinstr_thread *thread = fold->thread;
	struct cinstr_undo *undo;
	uint64_t used = thread->journal_used;
	const uint64_t *from = block;
	uint64_t *to;

	/* One event may end very many activations. */
	if (unlikely((used + 1) * sizeof(*undo) > thread->journal_bytes) &&
	    (!fold->more_journal || fold->more_journal(fold)))
		return;
	undo = (struct cinstr_undo *)(fold->file + thread->journal_offset) + used;
	to = (uint64_t *)(void *)undo->old;
	undo->offset = (uint64_t)((const char *)block - fold->file);
	for (int i = 0; i < 6; i++)
		to[i] = from[i];
	/* The cell is whole before it is linked: program order in the same thread, which a kill
	 * cannot change. */
	atomic_store_release(&thread->journal_used, used + 1); /* reader: undo */
}

void fold_touch_first(const struct walk *w, struct cinstr_cell *cell)
{
	fold_keep_block(w->fold, &cell->calls);
	cell->tag = (cell->tag & (CINSTR_CELL_CYCLIC | 15u)) | w->epoch << 4;
}

size_t fold_undo(char *file, size_t file_bytes, struct cinstr_thread *thread)
{
	const struct cinstr_undo *undo = (const void *)(file + thread->journal_offset);
	size_t n = thread->journal_commit == thread->commit ? thread->journal_used : 0;

	for (size_t i = n; i-- > 0;) {
		uint64_t offset = undo[i].offset;

		if (offset % 16 == 0 && offset + sizeof(undo[i].old) <= file_bytes)
			arch_copy(file + offset, undo[i].old, sizeof(undo[i].old));
	}
	thread->journal_used = 0;
	return n;
}

/* ---- the index of cells ---------------------------------------------------------------------- */

static inline uint32_t hash_of(uint32_t parent, uint32_t site, uint32_t func)
{
	uint64_t h = ((uint64_t)site << 32 | func) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 29 ^ parent) * 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(h >> 32);
}

void fold_index_add(struct fold *fold, uint32_t cell)
{
	const struct cinstr_cell *c = cell_at(fold->file, cell);
	uint32_t mask = fold->index.n_slots - 1;
	uint32_t i = hash_of(c->parent, c->site, c->func) & mask;

	while (fold->index.slots[i])
		i = (i + 1) & mask;
	fold->index.slots[i] = cell;
	fold->index.n_used++;
}

struct cinstr_cell *fold_index_find(const struct fold *fold, uint32_t parent, uint32_t site, uint32_t func)
{
	uint32_t mask = fold->index.n_slots - 1;

	for (uint32_t i = hash_of(parent, site, func) & mask; fold->index.slots[i]; i = (i + 1) & mask) {
		struct cinstr_cell *c = cell_at(fold->file, fold->index.slots[i]);

		if (c->parent == parent && c->site == site && c->func == func)
			return c;
	}
	return NULL;
}

struct cinstr_cell *fold_cell_new(struct fold *fold)
{
	struct cinstr_cell *cell;

	if (fold->cell_next == fold->cell_end && (!fold->more_cells || fold->more_cells(fold)))
		return NULL;
	cell = cell_at(fold->file, fold->cell_next++);
	*cell = (struct cinstr_cell){ 0 };
	return cell;
}

struct cinstr_cell *fold_cell_make(struct walk *w, uint32_t parent, uint32_t kind, uint32_t site,
				   uint32_t func)
{
	struct fold *fold = w->fold;
	struct cinstr_cell *cell;

	if (fold->index.n_used * 2 >= fold->index.n_slots && fold->more_index(fold))
		return NULL;
	cell = fold_cell_new(fold);
	if (!cell)
		return NULL;
	/* An undone fold leaves a FREE cell: the budget of paths goes by which cells there are. */
	fold_keep_block(fold, cell);
	cell->parent = parent;
	cell->site = site;
	cell->func = func;
	cell->tag = kind | w->epoch << 4;
	cell->first_ticks = is_flat(cell) ? 0 : UINT64_MAX; /* flat_ticks */
	/* a wrapper has a detail from the begin */
	if (fold_is_wrapper_call(fold, cell) && !fold_detail_new(fold, cell, w->epoch))
		w->state->uncounted++;
	fold->n_cells++;
	fold_index_add(fold, index_of(fold->file, cell));
	return cell;
}

int fold_begin(struct fold *fold, uint64_t first_ticks)
{
	struct cinstr_cell *root = fold_cell_new(fold);
	struct cinstr_thread *thread = fold->thread;
	struct cinstr_fold_state *state = &thread->states[thread->commit & 1];
	uint32_t index;

	if (!root)
		return -1;
	index = index_of(fold->file, root);
	root->tag = CINSTR_CELL_ROOT;
	root->first_ticks = UINT64_MAX;
	fold->n_cells++;
	thread->first_ticks = first_ticks;
	*state = (struct cinstr_fold_state){
		.time = first_ticks, .current = index, .slot = index, .root = index
	};
	/* Last: a reader of a killed process takes no notice of a thread without a root. */
	atomic_store_release(&thread->root, index); /* reader */
	return 0;
}

uint32_t fold_inherit(struct fold *fold, uint32_t parent, const struct cinstr_cell *from)
{
	struct cinstr_cell *cell;

	if (fold->index.n_used * 2 >= fold->index.n_slots && fold->more_index(fold))
		return 0;
	cell = fold_cell_new(fold);
	if (!cell)
		return 0;
	cell->parent = parent;
	cell->site = from->site;
	cell->func = from->func;
	cell->tag = from->tag & (CINSTR_CELL_CYCLIC | 15u);
	if (is_flat(from)) /* there is room again in the new tree */
		cell->tag = is_frame(from) ? CINSTR_CELL_FRAME
			    : from->func   ? CINSTR_CELL_INDIRECT
					   : CINSTR_CELL_CALL;
	cell->first_ticks = kind_of(cell) == CINSTR_CELL_LINE ? 0 : UINT64_MAX;
	if (kind_of(cell) == CINSTR_CELL_INDIRECT)
		cell->last_exit = from->last_exit;
	fold->n_cells++;
	fold_index_add(fold, index_of(fold->file, cell));
	if (fold_is_wrapper_call(fold, cell))
		fold_detail_new(fold, cell, 0);
	return index_of(fold->file, cell);
}
