/* SPDX-License-Identifier: MIT */
/*
 * lost.c - activations that are open when sleds are switched and that no event will end: frames of
 * functions that have lost their probes, calls that have lost their after-call. At the thread's
 * first event after the switch they end as of the moment when their probes were taken out (noted by
 * switch.c); those with open callees end together with these.
 *
 * In the thread itself, its buffer folded; called by slow.c.
 */
#include "runtime.h"

#define MARKED_MAX 65536u /* entries that are looked at, from the top of the stack */

static int is_function(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_FLAT_FRAME;
}

/* Returns the number of the switch in which this sled, an ENTER or a BEFORE, lost what cinstr.lost
 * tells of, or 0: none since the thread looked. */
static uint32_t lost_in(const struct thread *thread, uint32_t code)
{
	uint32_t word = code >> 3, lost;

	if (word >= atomic_load_relaxed(&cinstr.sites.n_words))
		return 0;
	lost = atomic_load_relaxed(&cinstr.lost[word]); /* switches_done was read with acquire */
	return lost && (int32_t)(lost - thread->switches) > 0 ? lost : 0;
}

void lost_note(uint32_t kind, uint32_t word)
{
	if (kind == CINSTR_REC_AFTER)
		word = cinstr.sites.words[word] >> 3;
	if (kind == CINSTR_REC_AFTER || kind == CINSTR_REC_ENTER)
		atomic_store_relaxed(&cinstr.lost[word], cinstr.switches); /* switches_done */
}

static uint64_t ticks_of_switch(uint32_t number)
{
	uint32_t oldest = atomic_load_relaxed(&cinstr.switches_done) - (SWITCHES_KEPT - 2);

	if ((int32_t)(number - oldest) < 0)
		number = oldest;
	return atomic_load_relaxed(&cinstr.lost_ticks[number % SWITCHES_KEPT]);
}

/* Returns the outermost entry of the tail calls that have led to entry i. */
static uint32_t base_of(const struct cinstr_open *open, uint32_t i)
{
	while (i && open[i].flags & CINSTR_OPEN_TAILED)
		i--;
	return i;
}

/* Returns the switch in which the call that began entry i lost its after-call, or 0. */
static uint32_t after_lost_in(const struct thread *thread, uint32_t i)
{
	const struct cinstr_open *open = thread_entries(thread);
	uint32_t site = fold_entry_cell(&thread->fold, &open[base_of(open, i)])->site;

	return CINSTR_CODE_KIND(site) == CINSTR_EV_BEFORE ? lost_in(thread, site) : 0;
}

/* Returns the switch in which entry i lost the event that ends it, or 0. */
static uint32_t end_lost_in(const struct thread *thread, uint32_t i)
{
	const struct cinstr_cell *cell = fold_entry_cell(&thread->fold, &thread_entries(thread)[i]);

	return is_function(cell) ? lost_in(thread, cell->func) : after_lost_in(thread, i);
}

/* Returns whether entry i is a tail call of a function without probes, by one that no before-call
 * announced. Only the next event can tell that such a call is over, and this is it. */
static int is_unannounced(const struct thread *thread, uint32_t i)
{
	const struct cinstr_open *open = thread_entries(thread);
	const struct cinstr_cell *cell = fold_entry_cell(&thread->fold, &open[i]);

	return !is_function(cell) && CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL &&
	       !(open[i].flags & CINSTR_OPEN_TAILED && open[i - 1].where & 1u);
}

uint32_t lost_count_returned(const struct thread *thread, uint32_t code, uint64_t sp)
{
	const struct cinstr_open *open = thread_entries(thread);
	uint32_t n = CINSTR_CODE_KIND(code) == CINSTR_EV_AFTER ? control_count_open(thread) : 0, base;

	for (; n; n = base) {
		base = base_of(open, n - 1);
		if (fold_entry_cell(&thread->fold, &open[base])->site != cinstr.sites.words[code >> 3])
			continue;
		if (!base || !is_function(fold_entry_cell(&thread->fold, &open[base - 1])) ||
		    (int32_t)(fold_frame_sp(open[base - 1].where) - (uint32_t)sp) >= 0)
			return n;
	}
	return 0;
}

/* Returns whether entry i lost the event of its end in a switch before. */
static int is_marked(const struct thread *thread, uint32_t i)
{
	const struct cinstr_open *open = thread_entries(thread);

	if (is_function(fold_entry_cell(&thread->fold, &open[i])))
		return open[i].where & CINSTR_UNSEEN_END;
	return i && is_function(fold_entry_cell(&thread->fold, &open[i - 1])) &&
	       open[i - 1].where & CINSTR_UNSEEN_CALL;
}

int lost_ends_top(const struct thread *thread, uint32_t alive, uint32_t *n, uint64_t *ticks)
{
	const struct cinstr_open *open = thread_entries(thread);
	uint32_t lost = *n ? end_lost_in(thread, *n - 1) : 0;

	if (!*n || (!lost && *n <= alive && !is_unannounced(thread, *n - 1) && !is_marked(thread, *n - 1)))
		return 0;
	*ticks = lost ? ticks_of_switch(lost) : 0;
	*n = base_of(open, *n - 1);
	return 1;
}

int lost_keeps_end(const struct thread *thread, uint32_t i)
{
	return !end_lost_in(thread, i) && !is_marked(thread, i);
}

/* Returns which events of entry i will not come any more: enum cinstr_unseen. */
static uint32_t unseen_of(const struct thread *thread, uint32_t i, uint32_t n)
{
	const struct cinstr_open *open = thread_entries(thread);
	uint32_t what = 0;

	if (!is_function(fold_entry_cell(&thread->fold, &open[i])))
		return 0;
	if (end_lost_in(thread, i))
		what |= CINSTR_UNSEEN_END;
	if (after_lost_in(thread, i))
		what |= CINSTR_UNSEEN_AFTER;
	if (i + 1 < n && !is_function(fold_entry_cell(&thread->fold, &open[i + 1])) &&
	    after_lost_in(thread, i + 1))
		what |= CINSTR_UNSEEN_CALL;
	return what;
}

void lost_note_unseen(struct thread *thread, uint32_t n, uint64_t now)
{
	uint32_t lowest = n > MARKED_MAX ? n - MARKED_MAX : 0, end = n;
	size_t room = (size_t)(thread->probe->end - thread->probe->cursor) / 2;

	while (end > lowest && room) {
		uint32_t what = unseen_of(thread, end - 1, n), begin = end - 1;

		while (begin > lowest && unseen_of(thread, begin - 1, n) == what)
			begin--;
		if (what) {
			slow_note(thread, what << 5 | CINSTR_SP_UNSEEN, now,
				  begin | (uint64_t)(end - begin) << 32);
			room--;
		}
		end = begin;
	}
}
