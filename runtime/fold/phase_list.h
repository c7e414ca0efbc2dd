/* SPDX-License-Identifier: MIT */
/*
 * phase_list.h - begins a phase in a data file (struct cinstr_phases), by the process or from
 * outside, in steps that a kill between any two leaves in order, and that any number of threads and
 * processes may take at once.
 */
#ifndef CINSTR_PHASE_LIST_H
#define CINSTR_PHASE_LIST_H

#include "cinstr/atomics.h"
#include "cinstr/format.h"

/*
 * Stamps those of the first n moments that have no stamp. now: reads the clock after all memory
 * operations before the call: so a thread that does not see a moment yet has no record after it.
 */
static inline void phase_list_stamp(struct cinstr_phases *list, uint32_t n, uint64_t (*now)(void))
{
	uint32_t i = n;
	uint64_t before, none, stamp;

	while (i > 0 && !atomic_load_acquire(&list->begin_ticks[i - 1]))
		i--;
	for (; i < n; i++) {
		before = i ? atomic_load_acquire(&list->begin_ticks[i - 1]) : 0;
		stamp = now();
		if (stamp <= before)
			stamp = before;
		none = 0;
		atomic_compare_swap(&list->begin_ticks[i], &none, stamp);
	}
}

/* Begins a phase. Returns its number, at most `max`, and sets *ticks to its begin; or returns 0 and
 * counts the mark as left out: no phase is left. */
static inline uint32_t phase_list_begin(struct cinstr_phases *list, uint32_t max, uint64_t (*now)(void),
					uint64_t *ticks)
{
	uint32_t n = atomic_load_acquire(&list->n);

	do
		if (n >= max) {
			atomic_add(&list->left_out, 1);
			return 0;
		}
	while (!atomic_compare_swap(&list->n, &n, n + 1));
	phase_list_stamp(list, n + 1, now);
	*ticks = atomic_load_acquire(&list->begin_ticks[n]);
	return n + 1;
}

#endif
