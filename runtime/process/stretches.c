/* SPDX-License-Identifier: MIT */
/*
 * stretches.c - keeps a thread's intervals above the threshold of the slow path, with their stamps
 * (cinstr/stretches.h), for the critical path. A thread has room for some 8,700 of them, in
 * segments of 1, 4, 16 and 64 pages. A thread whose room is full raises the process's level; each
 * thread drops the windows not kept at that level when it has its next interval. Called by folds,
 * in the thread that owns the tree.
 */
#include "cinstr/stretches.h"
#include "runtime.h"

#define BYTES(i) ((CINSTR_PAGE << 2 * (i)) - sizeof(struct cinstr_segment))
#define IN(i) ((uint32_t)(BYTES(i) / sizeof(struct cinstr_stretch)))
#define LEVEL_MAX 40u /* windows that are months apart */

static uint32_t level; /* of the process: it is only raised */

void stretches_begin(struct thread *thread)
{
	struct stretches *all = &thread->stretches;

	for (int i = 0; i < STRETCH_SEGMENTS; i++)
		all->segments[i] = NULL;
	all->n = all->room = all->level = all->n_kept = 0;
	all->window = 0;
}

void stretches_forked(void)
{
	level = 0;
}

/* Returns the place of stretch `number`, whose segment there is. */
static struct cinstr_stretch *place_of(const struct stretches *all, uint32_t number)
{
	int i = 0;

	while (number >= IN(i))
		number -= IN(i++);
	return &all->segments[i][number];
}

/* Adds a segment, if there may be more and the file has room. */
static void make_room(struct thread *thread)
{
	struct stretches *all = &thread->stretches;
	int i = 0;

	while (i < STRETCH_SEGMENTS && all->segments[i])
		i++;
	if (i == STRETCH_SEGMENTS)
		return;
	all->segments[i] = store_segment(CINSTR_SEG_STRETCHES, BYTES(i), thread->record->index);
	all->room += all->segments[i] ? IN(i) : 0;
}

/* Tells the reader how much of the segments is in use, from number `first` on. */
static void tell_used(const struct stretches *all, uint32_t first)
{
	uint32_t begin = 0;

	for (int i = 0; i < STRETCH_SEGMENTS && all->segments[i]; begin += IN(i++)) {
		uint32_t n = all->n > begin ? all->n - begin : 0;
		uint64_t used = (n < IN(i) ? n : IN(i)) * sizeof(struct cinstr_stretch);

		if (begin + IN(i) <= first)
			continue;
		store_segment_of(all->segments[i])->kept = all->level;
		atomic_store_release(&store_segment_of(all->segments[i])->used, used); /* reader */
	}
}

/* Drops of those from number `first` on what is not kept. A kill meanwhile leaves some stretches
 * twice, which the reader sees by their stamps. */
static void drop(struct stretches *all, uint32_t first)
{
	uint32_t n = first;

	for (uint32_t i = first; i < all->n; i++) {
		const struct cinstr_stretch *stretch = place_of(all, i);

		if (cinstr_window_is_kept(stretch->end_ticks - stretch->ticks, stretch->end_ticks,
					  all->level))
			*place_of(all, n++) = *stretch;
	}
	all->n = all->n_kept = n;
	tell_used(all, first);
}

/* Drops what is not kept at this level. */
static void thin(struct stretches *all, uint32_t to)
{
	all->level = to;
	drop(all, 0);
}

/* A window that is not kept goes when the next one begins: so the last one is there. */
static void end_window(struct stretches *all, uint64_t window)
{
	if (all->level && window != all->window)
		drop(all, all->n_kept);
	all->window = window;
}

void stretches_add(struct thread *thread, const struct cinstr_stretch *stretch)
{
	struct stretches *all = &thread->stretches;
	uint32_t now = atomic_load_relaxed(&level);

	if (!stretch->ticks || stretch->ticks < cinstr.threshold)
		return;
	if (all->level < now)
		thin(all, now);
	end_window(all, stretch->end_ticks >> CINSTR_WINDOW_BITS);
	if (all->n == all->room)
		make_room(thread);
	while (all->n && all->n == all->room && all->level < LEVEL_MAX) {
		thin(all, all->level + 1);
		now = all->level - 1; /* others may have raised it meanwhile */
		atomic_compare_swap(&level, &now, all->level);
	}
	if (all->n == all->room)
		return;
	*place_of(all, all->n++) = *stretch;
	tell_used(all, all->n - 1);
}
