/* SPDX-License-Identifier: MIT */
/*
 * fold.c - events to call-path tree (fold.h). HOT: a few nanoseconds a record.
 *
 * Runs in the thread that owns the tree (runtime, signals blocked) or in the report (one thread a tree). Touches only the
 * thread's own cells, stack and journal; no libc, no locks, no errno.
 *
 * Each open activation has an entry on the stack: FRAME (instrumented function) or CALL/INDIRECT (function without
 * probes, between its before-call and its after-call).
 *
 * Finding the child of a cell: each cell predicts what is called first from it (`down`) and what its caller calls
 * after it (`across`); the index is asked only when the prediction fails.
 */
#include "fold_walk.h"

static void walk_begin(struct walk *w, struct fold *fold)
{
	struct cinstr_thread *thread = fold->thread;
	const struct cinstr_fold_state *from = &thread->states[thread->commit & 1];
	struct cinstr_fold_state *state = &thread->states[~thread->commit & 1];
	struct cinstr_cell *slot;

	thread->journal_used = 0;
	__atomic_store_n(&thread->journal_commit, thread->commit, __ATOMIC_RELEASE);
	*state = *from;
	slot = cell_at(fold->file, state->slot);
	*w = (struct walk){
		.fold = fold,
		.file = fold->file,
		.stack = (struct cinstr_open *)(fold->file + thread->stack_offset),
		.current = cell_at(fold->file, state->current),
		.slot = state->slot_across ? &slot->across : &slot->down,
		.time = state->time,
		.depth = state->depth,
		.epoch = (uint32_t)(thread->commit + 1) & 0xfffffffu,
		.kept_low = (state->depth + 1) / 2,
		.kept_high = UINT32_MAX,
		.root = thread->root,
		.merged = state->merged ? cell_at(fold->file, state->merged) : NULL,
		.merged_base = state->merged_base,
		.stack_limit = (uint32_t)(thread->stack_bytes / sizeof(struct cinstr_open)),
		.state = state,
	};
}

static void walk_end(struct walk *w)
{
	struct cinstr_fold_state *state = w->state;
	const char *slot = (const char *)w->slot;

	state->time = w->time;
	state->depth = w->depth;
	state->current = index_of(w->file, w->current);
	state->merged = w->merged ? index_of(w->file, w->merged) : 0;
	state->merged_base = w->merged_base;
	if (w->slot == &w->no_slot) {
		state->slot = state->current;
		state->slot_across = 0;
		return;
	}
	state->slot = (uint32_t)((slot - w->file) / (long)sizeof(struct cinstr_cell));
	state->slot_across = w->slot == &cell_at(w->file, state->slot)->across;
}

/* A prediction failed: the child by the index, predicted from now on. NULL: there is none yet. */
static __attribute__((noinline)) struct cinstr_cell *find_child(const struct fold *fold, uint32_t *slot,
								uint32_t parent, uint32_t site, uint32_t func)
{
	struct cinstr_cell *cell = fold_index_find(fold, parent, site, func);

	if (cell)
		*slot = index_of(fold->file, cell);
	return cell;
}

/* Is this EXIT or AFTER one that ends the cell's activation, though not by the usual way out? */
static __attribute__((noinline)) int ends_cell(const struct fold *fold, struct cinstr_cell *cell,
					       uint32_t code)
{
	uint32_t kind = kind_of(cell);
	uint32_t owner = kind == CINSTR_CELL_FRAME ? cell->func : cell->site;

	if (kind != (CINSTR_CODE_KIND(code) == CINSTR_EV_EXIT ? CINSTR_CELL_FRAME : CINSTR_CELL_CALL) ||
	    site_word(fold, code) != owner)
		return 0;
	cell->last_exit = code;
	return 1;
}

/*
 * The hot steps with all they need in registers: down into a known child (BEFORE, fused or alone, and ENTER where no
 * call is announced), and up out of the current cell (EXIT or AFTER). They are on_before, on_enter, push and on_exit,
 * on_after, pop with the rare cases left out; the first record that is one of those ends the run.
 * Returns the number of records done.
 */
static size_t run_hot(struct walk *w, const struct cinstr_record *records, size_t n)
{
	const struct fold *const fold = w->fold;
	char *const file = w->file;
	struct cinstr_open *const stack = w->stack;
	const uint32_t low = w->kept_low * 2;
	const uint32_t high = w->kept_high < w->stack_limit / 2 ? w->kept_high * 2 : w->stack_limit;
	struct cinstr_cell *cell = w->current;
	uint32_t *slot = w->slot, depth = w->depth;
	const uint64_t own = w->state->runtime_ticks;
	uint64_t time = w->time, enters = 0, exits = 0, events = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct cinstr_record *r = &records[i];
		uint32_t code = r->code, second = r->second, kind = CINSTR_CODE_KIND(code);
		uint32_t ticks = r->time_lo - (uint32_t)time;

		if (unlikely(r->time_lo < (uint32_t)time))
			break;
		touch(w, cell);
		if (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_ENTER) {
			uint32_t site = kind == CINSTR_EV_BEFORE ? code : 0;
			uint32_t func = kind == CINSTR_EV_BEFORE ? second : code;
			uint32_t is_frame = func != 0;
			struct cinstr_cell *to = cell_at(file, *slot);

			if (unlikely(depth - low >= high - low))
				break;
			if (unlikely(kind == CINSTR_EV_ENTER && kind_of(cell) > CINSTR_CELL_FRAME))
				break;
			if (unlikely(to->site != site || to->func != func ||
				     to->parent != index_of(file, cell))) {
				to = find_child(fold, slot, index_of(file, cell), site, func);
				if (!to)
					break;
			}
			touch(w, to);
			cell->ticks += ticks;
			time += ticks;
			stack[depth].start_ticks = time - own;
			stack[depth].cell = index_of(file, to);
			stack[depth].where = kind == CINSTR_EV_ENTER ? second & ~1u : r->extra | is_frame;
			depth++;
			cell = to;
			cell->calls++;
			slot = &cell->down;
			enters += is_frame;
			events += 1 + (is_frame & (kind == CINSTR_EV_BEFORE));
		} else if (kind == CINSTR_EV_EXIT || kind == CINSTR_EV_AFTER) {
			const struct cinstr_open *open = &stack[depth - 1];
			uint64_t whole;

			if (unlikely(cell->last_exit != code || kind_of(cell) > CINSTR_CELL_CALL) &&
			    !ends_cell(fold, cell, code))
				break;
			cell->ticks += ticks;
			time += ticks;
			whole = time - own - open->start_ticks;
			if (whole < cell->min_ticks)
				cell->min_ticks = whole;
			if (whole > cell->max_ticks)
				cell->max_ticks = whole;
			slot = &cell->across;
			depth--;
			exits += kind == CINSTR_EV_EXIT;
			events += 1 + (second == CINSTR_SECOND_FUSED_EXIT);
			cell = cell_at(file, depth ? open[-1].cell : w->root);
		} else {
			break;
		}
	}
	w->current = cell;
	w->slot = slot;
	w->depth = depth;
	w->time = time;
	w->state->enters += enters;
	w->state->exits += exits;
	w->state->events += events;
	return i;
}

size_t fold_run(struct fold *fold, const struct cinstr_record *records, size_t n)
{
	struct walk w;
	size_t i = 0, used;

	walk_begin(&w, fold);
	while (i < n) {
		if (!w.target) /* an indirect call is on its way: not for the hot steps */
			i += run_hot(&w, &records[i], n - i);
		if (i == n)
			break;
		used = fold_record(&w, &records[i], n - i);
		if (!used)
			break;
		i += used;
	}
	w.state->records += i;
	walk_end(&w);
	return i;
}

void fold_commit(struct fold *fold)
{
	struct cinstr_thread *thread = fold->thread;

	/* The one store that makes the fold count and the journal void. */
	__atomic_store_n(&thread->commit, thread->commit + 1, __ATOMIC_RELEASE);
}

void fold_close(struct fold *fold)
{
	struct walk w;

	walk_begin(&w, fold);
	fold_pop_to(&w, 0);
	walk_end(&w);
}
