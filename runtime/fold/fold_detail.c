/* SPDX-License-Identifier: MIT */
/*
 * fold_detail.c - data of a node besides calls and ticks: finished activations by duration, the
 * extremes of their four values, and intervals with OS events (struct cinstr_detail and the cells
 * below it in cinstr/format.h). Called by the fold's steps where the hot ones (end_activation) do
 * not suffice; in the same threads.
 *
 * After an unfinished fold the undo journal restores cells' contents from byte 16 on, each of which
 * was kept before its first change. This includes the links cell->detail and detail->buckets; other
 * links stay, and lead to cells that are restored to empty.
 */
#include "fold_steps.h"

/* so many activations of one slot outside of the window, and the window is moved */
#define MISSES_MAX 32u

static inline struct cinstr_cell *as_cell(void *cell)
{
	return cell;
}

/* A cell with the usual header, empty. 0: no room. */
static uint32_t cell_new(struct walk *w, uint32_t kind, const struct cinstr_cell *owner)
{
	struct cinstr_cell *cell = fold_cell_new(w->fold);

	if (!cell)
		return 0;
	cell->parent = index_of(w->file, owner);
	cell->tag = kind | w->epoch << 4;
	return index_of(w->file, cell);
}

static void set_empty(uint64_t *shortest)
{
	shortest[CINSTR_INCLUSIVE] = shortest[CINSTR_EXCLUSIVE] = UINT64_MAX;
}

static void extend(uint64_t *shortest, uint64_t *longest, const uint64_t *extremes)
{
	for (int i = 0; i < 2; i++) {
		if (extremes[i] < shortest[i])
			shortest[i] = extremes[i];
		if (extremes[i] > longest[i])
			longest[i] = extremes[i];
	}
}

static void extend_by(const struct walk *w, uint64_t *shortest, uint64_t *longest, const struct ended *ended)
{
	uint64_t extremes[2];

	for (int i = 0; i < 2; i++)
		extremes[i] = fold_extreme(ended->ticks[i], ended->events[i], w->event_cost);
	extend(shortest, longest, extremes);
}

/* ---- durations ------------------------------------------------------------------------------- */

static struct cinstr_more *more_of(struct walk *w, struct cinstr_cell *cell, struct cinstr_detail *detail)
{
	if (!detail->more)
		detail->more = cell_new(w, CINSTR_CELL_MORE, cell);
	return detail->more ? (struct cinstr_more *)(void *)cell_at(w->file, detail->more) : NULL;
}

/* The COUNTS cell that the link leads to, made if need be. NULL: no room. */
static struct cinstr_counts *counts_at(struct walk *w, const struct cinstr_cell *owner, uint32_t *link,
				       uint32_t group)
{
	uint32_t index = *link;
	struct cinstr_counts *counts;

	if (!index) {
		index = cell_new(w, CINSTR_CELL_COUNTS, owner);
		if (!index)
			return NULL;
		counts = (struct cinstr_counts *)(void *)cell_at(w->file, index);
		counts->group = group;
		fold_keep_block(w->fold, counts->n);
		*link = index;
	}
	counts = (struct cinstr_counts *)(void *)cell_at(w->file, index);
	touch(w, as_cell(counts));
	return counts;
}

/* Counts n activations outside of `recent`. Returns how many its slot has then, as far as known; 0:
 * no room. */
static uint32_t add_counts(struct walk *w, struct cinstr_cell *cell, struct cinstr_detail *detail,
			   uint32_t slot, uint32_t n)
{
	uint32_t group = slot / CINSTR_GROUP_SLOTS, i = slot % CINSTR_GROUP_SLOTS;
	struct cinstr_more *more = more_of(w, cell, detail);
	struct cinstr_counts *counts = more ? counts_at(w, cell, &more->counts[group], group) : NULL;
	struct cinstr_counts *carry;

	if (counts && unlikely(counts->n[i] > UINT32_MAX - n)) {
		carry = counts_at(w, cell, &counts->carry, group);
		if (carry)
			carry->n[i]++;
		else
			counts = NULL;
	}
	if (!counts) {
		w->state->uncounted += n;
		return 0;
	}
	counts->n[i] += n;
	return counts->n[i];
}

/* Empties one of the recent ones. */
static void spill(struct walk *w, struct cinstr_cell *cell, struct cinstr_detail *detail, uint32_t place)
{
	if (cell->recent[place])
		add_counts(w, cell, detail, detail->window + place, cell->recent[place]);
	cell->recent[place] = 0;
}

/* Moves the window: slot in the middle. */
static void move_window(struct walk *w, struct cinstr_cell *cell, struct cinstr_detail *detail, uint32_t slot)
{
	uint32_t below = CINSTR_RECENT_SLOTS / 2, last = CINSTR_SLOTS - CINSTR_RECENT_SLOTS;

	for (uint32_t i = 0; i < CINSTR_RECENT_SLOTS; i++)
		spill(w, cell, detail, i);
	touch(w, as_cell(detail));
	detail->window = slot < below ? 0 : slot - below < last ? slot - below : last;
}

/* first_ticks and `recent` use the same bytes: all of `recent` is written at once */
static int is_recent_empty(const struct cinstr_cell *cell)
{
	return !cell->first_ticks;
}

static void count(struct walk *w, struct cinstr_cell *cell, struct cinstr_detail *detail, uint64_t ticks)
{
	uint32_t slot = fold_slot(ticks);

	if (slot >= CINSTR_SLOTS)
		slot = CINSTR_SLOTS - 1;
	if (slot - detail->window >= CINSTR_RECENT_SLOTS) {
		if (!is_recent_empty(cell)) {
			uint32_t n = add_counts(w, cell, detail, slot, 1);

			if (n && n % MISSES_MAX == 0)
				move_window(w, cell, detail, slot);
			return;
		}
		move_window(w, cell, detail, slot);
	}
	if (cell->recent[slot - detail->window] == UINT8_MAX)
		spill(w, cell, detail, slot - detail->window);
	cell->recent[slot - detail->window]++;
}

/* ---- the detail ------------------------------------------------------------------------------ */

int fold_is_wrapper(const struct fold *fold, uint32_t site)
{
	uint32_t word = site >> 3;

	return fold->sites->wrappers && word < atomic_load_relaxed(&fold->sites->n_words) &&
	       fold->sites->wrappers[word >> 3] >> (word & 7) & 1;
}

struct cinstr_detail *fold_detail_new(struct fold *fold, struct cinstr_cell *cell, uint32_t epoch)
{
	struct cinstr_detail *detail = (struct cinstr_detail *)(void *)fold_cell_new(fold);

	if (!detail)
		return NULL;
	detail->owner = index_of(fold->file, cell);
	detail->tag = CINSTR_CELL_DETAIL | epoch << 4;
	detail->flags = fold_is_wrapper_call(fold, cell) ? CINSTR_DETAIL_SYSCALL : 0;
	set_empty(detail->shortest);
	if (has_activations(cell))
		cell->first_ticks = 0;
	atomic_store_release(&cell->detail, index_of(fold->file, detail)); /* reader */
	return detail;
}

void fold_tell_slow(const struct walk *w, uint64_t stamp, const struct os_part *os)
{
	const struct fold_slow slow = { stamp, stamp > w->time ? stamp - w->time : 0, os->off_cpu_ticks,
					os->bits, w->current };

	w->fold->on_slow_event(w->fold, &slow);
}

void fold_keep_long(const struct walk *w, const struct cinstr_cell *cell, uint64_t ticks)
{
	struct fold_long interval = { w->time + ticks, ticks,
				      index_of(w->file, is_flat(cell) ? w->merged : cell) };

	w->fold->keep_long(w->fold, &interval);
}

struct cinstr_detail *fold_detail_of(struct walk *w, struct cinstr_cell *cell, uint64_t before)
{
	uint64_t first = cell->first_ticks, extremes[2];
	struct cinstr_detail *detail;

	if (likely(cell->detail))
		return detail_at(w->file, cell->detail);
	touch(w, cell);
	detail = fold_detail_new(w->fold, cell, w->epoch);
	if (!detail || !has_activations(cell) || first == UINT64_MAX)
		return detail;
	fold_first_extremes(first, before, w->event_cost, extremes);
	extend(detail->shortest, detail->longest, extremes);
	count(w, cell, detail, fold_first_ticks(first, w->event_cost));
	return detail;
}

void fold_end_flat(struct walk *w, struct cinstr_cell *anchor, const struct ended *ended)
{
	struct cinstr_detail *detail = fold_detail_of(w, anchor, 0);
	uint32_t slot = fold_slot(ended->ticks[CINSTR_INCLUSIVE]), group;
	struct cinstr_counts *counts;

	if (!detail) {
		w->state->uncounted++;
		return;
	}
	if (ended->ticks[CINSTR_EXCLUSIVE] > ended->ticks[CINSTR_INCLUSIVE])
		return; /* the activation began in a file of an older version */
	slot = slot < CINSTR_SLOTS ? slot : CINSTR_SLOTS - 1;
	group = slot / CINSTR_GROUP_SLOTS;
	touch(w, as_cell(detail));
	extend_by(w, detail->shortest, detail->longest, ended);
	counts = (struct cinstr_counts *)(void *)cell_at(w->file, detail->last_counts);
	if (likely(detail->last_counts && counts->group == group &&
		   counts->n[slot % CINSTR_GROUP_SLOTS] != UINT32_MAX)) {
		touch(w, as_cell(counts));
		counts->n[slot % CINSTR_GROUP_SLOTS]++;
	} else if (add_counts(w, anchor, detail, slot, 1)) {
		detail->last_counts = more_of(w, anchor, detail)->counts[group];
	}
}

/* ---- dirty activations ----------------------------------------------------------------------- */

struct dirty {
	struct cinstr_dirty *part[CINSTR_DIRTY_PARTS];
};

/* Makes the DIRTY cells. Returns the index of the first one, or 0: no room. */
static uint32_t dirty_new(struct walk *w, const struct cinstr_cell *cell)
{
	uint32_t next = 0;

	for (uint32_t part = CINSTR_DIRTY_PARTS; part-- > 0;) {
		uint32_t index = cell_new(w, CINSTR_CELL_DIRTY, cell);
		struct cinstr_dirty *dirty = (struct cinstr_dirty *)(void *)cell_at(w->file, index);

		if (!index)
			return 0;
		dirty->next = next;
		dirty->part = part;
		set_empty(dirty->shortest);
		fold_keep_block(w->fold, dirty->shortest);
		next = index;
	}
	return next;
}

/* The cell's DIRTY cells, made if need be, ready to be changed. 0, or -1: no room. */
static int dirty_of(struct walk *w, struct cinstr_cell *cell, struct cinstr_detail *detail,
		    struct dirty *dirty)
{
	struct cinstr_more *more = more_of(w, cell, detail);
	uint32_t index;

	if (more && !more->dirty)
		more->dirty = dirty_new(w, cell);
	if (!more || !more->dirty)
		return -1;
	index = more->dirty;
	for (int i = 0; i < CINSTR_DIRTY_PARTS; i++) {
		dirty->part[i] = (struct cinstr_dirty *)(void *)cell_at(w->file, index);
		touch(w, as_cell(dirty->part[i]));
		index = dirty->part[i]->next;
	}
	return 0;
}

/*
 * Something is left out of the application time of the activation at stack entry `i`, by part: of
 * itself, or (CINSTR_INCLUSIVE) of what it has called.
 */
static void leave_out(struct walk *w, uint32_t i, int of, uint64_t interval, uint64_t on_cpu)
{
	struct cinstr_cell *cell = frame_of(w->file, cell_at(w->file, w->stack[i].cell));
	struct cinstr_detail *detail;
	struct dirty dirty;

	if (!has_activations(cell))
		return;
	detail = fold_detail_of(w, cell, w->stack[i].ticks_before);
	if (!detail || dirty_of(w, cell, detail, &dirty)) {
		w->state->uncounted++; /* it counts as a clean one */
		return;
	}
	dirty.part[CINSTR_DIRTY_INTERVAL]->open[of] += interval;
	dirty.part[CINSTR_DIRTY_ON_CPU]->open[of] += on_cpu;
	if (w->stack[i].flags & CINSTR_OPEN_DIRTY)
		return;
	if (i - w->kept_low >= w->kept_high - w->kept_low)
		fold_keep_block(w->fold, &w->stack[i]);
	w->stack[i].flags |= CINSTR_OPEN_DIRTY;
}

static uint64_t less(uint64_t ticks, uint64_t what)
{
	return ticks > what ? ticks - what : 0;
}

/* A dirty activation has ended; NULL: it does not count. */
static void end_dirty(struct walk *w, struct cinstr_cell *cell, struct cinstr_detail *detail,
		      const struct cinstr_open *open, const struct ended *ended)
{
	uint64_t left_out[CINSTR_DIRTY_PARTS] = { 0 };
	struct dirty dirty;

	if (dirty_of(w, cell, detail, &dirty)) {
		w->state->uncounted++;
		return;
	}
	if (detail->flags & CINSTR_DETAIL_SYSCALL && ended)
		dirty.part[CINSTR_DIRTY_INTERVAL]->open[CINSTR_EXCLUSIVE] = ended->ticks[CINSTR_EXCLUSIVE];
	for (int i = 0; i < CINSTR_DIRTY_PARTS; i++) {
		struct cinstr_dirty *part = dirty.part[i];
		uint64_t own = part->open[CINSTR_EXCLUSIVE];

		left_out[i] = own + part->open[CINSTR_INCLUSIVE];
		part->open[CINSTR_INCLUSIVE] = part->open[CINSTR_EXCLUSIVE] = 0;
		if (ended) {
			struct ended rest = *ended;

			rest.ticks[CINSTR_INCLUSIVE] = less(ended->ticks[CINSTR_INCLUSIVE], left_out[i]);
			rest.ticks[CINSTR_EXCLUSIVE] = less(ended->ticks[CINSTR_EXCLUSIVE], own);
			extend_by(w, part->shortest, part->longest, &rest);
		}
	}
	if (open != w->stack)
		leave_out(w, (uint32_t)(open - w->stack) - 1, CINSTR_INCLUSIVE,
			  left_out[CINSTR_DIRTY_INTERVAL], left_out[CINSTR_DIRTY_ON_CPU]);
}

void fold_move_details(struct walk *w, struct cinstr_cell *from, struct cinstr_cell *to,
		       const struct cinstr_open *open)
{
	struct cinstr_detail *old = NULL, *new;
	struct dirty source, target;

	/* The ticks of the node's first activation are known as long as this one is open in the
	 * cell. */
	if (from->detail || from->first_ticks != UINT64_MAX)
		old = fold_detail_of(w, from, open->ticks_before);
	if (!(open->flags & CINSTR_OPEN_DIRTY))
		return;
	new = fold_detail_of(w, to, 0);
	if (!old || !new || dirty_of(w, from, old, &source) || dirty_of(w, to, new, &target)) {
		w->state->uncounted++;
		return;
	}
	for (int i = 0; i < CINSTR_DIRTY_PARTS; i++)
		for (int of = 0; of < 2; of++) {
			target.part[i]->open[of] += source.part[i]->open[of];
			source.part[i]->open[of] = 0;
		}
}

void fold_drop_dirty(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open)
{
	struct cinstr_detail *detail;

	if (!has_activations(cell))
		return;
	detail = fold_detail_of(w, cell, open->ticks_before);
	if (detail)
		end_dirty(w, cell, detail, open, NULL);
}

void fold_end_odd(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open,
		  const struct ended *ended)
{
	uint64_t inclusive = ended->ticks[CINSTR_INCLUSIVE];
	int cut = (open->flags & CINSTR_OPEN_CUT) != 0;
	struct cinstr_detail *detail;

	/* The first one; all of its ticks so far are its own: they need no other place. */
	if (!cell->detail && !(open->flags & (CINSTR_OPEN_DIRTY | CINSTR_OPEN_CUT)) &&
	    cell->first_ticks == UINT64_MAX && ended->ticks[CINSTR_EXCLUSIVE] == cell->ticks &&
	    (!w->event_cost || inclusive <= FOLD_FIRST_TICKS_MAX)) {
		cell->first_ticks = fold_first(inclusive, ended->events[CINSTR_INCLUSIVE],
					       ended->events[CINSTR_EXCLUSIVE], w->event_cost);
		return;
	}
	detail = fold_detail_of(w, cell, open->ticks_before);
	if (!detail) {
		w->state->uncounted++;
		return;
	}
	if (!cut)
		count(w, cell, detail, inclusive);
	if (open->flags & CINSTR_OPEN_DIRTY || detail->flags & CINSTR_DETAIL_SYSCALL) {
		end_dirty(w, cell, detail, open, cut ? NULL : ended);
	} else if (!cut) {
		touch(w, as_cell(detail));
		extend_by(w, detail->shortest, detail->longest, ended);
	}
}

/* ---- intervals with OS events ---------------------------------------------------------------- */

static void add_bucket(struct walk *w, const struct cinstr_cell *cell, struct cinstr_detail *detail,
		       uint32_t *first, uint64_t ticks, const struct os_part *os)
{
	struct cinstr_bucket *bucket = NULL;
	uint32_t i = *first;

	for (; i; i = bucket->next) {
		bucket = (struct cinstr_bucket *)(void *)cell_at(w->file, i);
		if (bucket->bits == os->bits)
			break;
	}
	if (!i) {
		i = cell_new(w, CINSTR_CELL_BUCKET, cell);
		if (!i)
			return;
		bucket = (struct cinstr_bucket *)(void *)cell_at(w->file, i);
		bucket->bits = os->bits;
		bucket->next = *first;
		fold_keep_block(w->fold, &bucket->intervals);
		touch(w, as_cell(detail));
		*first = i;
	}
	touch(w, as_cell(bucket));
	bucket->intervals++;
	bucket->ticks += ticks;
	bucket->off_cpu_ticks += os->off_cpu_ticks < ticks ? os->off_cpu_ticks : ticks;
	bucket->switches += os->switches;
}

/* The activation that the interval lies in is dirty, if the interval is. Beyond the budget of
 * paths: the innermost one within it. */
static void mark_dirty(struct walk *w, uint64_t ticks, const struct os_part *os)
{
	uint64_t off_cpu = os->off_cpu_ticks < ticks ? os->off_cpu_ticks : ticks;
	uint32_t depth = w->merged ? w->merged_base : w->depth;

	if (depth && (os->bits & CINSTR_OS_DEFAULT_MASK || off_cpu))
		leave_out(w, depth - 1, w->merged ? CINSTR_INCLUSIVE : CINSTR_EXCLUSIVE,
			  os->bits & CINSTR_OS_DEFAULT_MASK ? ticks : 0, off_cpu);
}

void fold_charge_os(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os)
{
	uint64_t before = has_activations(cell) ? w->stack[w->depth - 1].ticks_before : 0;
	struct cinstr_detail *detail = fold_detail_of(w, cell, before);
	struct cinstr_cell *child = returned_from(w, cell);

	if (detail)
		add_bucket(w, cell, detail, &detail->buckets, ticks, os);
	if (cell != w->merged)
		mark_dirty(w, ticks, os);
	/* The child has ended: when it keeps its first activation itself, that has all of its
	 * ticks. */
	detail = child ? fold_detail_of(w, child, child->ticks) : NULL;
	if (detail)
		add_bucket(w, child, detail, &detail->after_buckets, ticks, os);
}
