/* SPDX-License-Identifier: MIT */
/*
 * phases.c - the moments at which phases begin (struct cinstr_phases), of this process. Marks begin
 * them, from any thread, or from outside (report/control/control_mark.c); threads see them when
 * they fold.
 */
#include "fold/phase_list.h"
#include "runtime.h"

static struct {
	struct cinstr_phases *list; /* in the file; NULL: none */
	uint32_t max;		    /* number of moments that there is room for */
} phases;

static uint64_t ordered_now(void)
{
	arch_ticks_fence();
	return clock_now();
}

void phases_begin(void)
{
	uint64_t max = 0, bytes;
	struct cinstr_phases *list;

	phases.list = NULL;
	option_size(CINSTR_OPTION_PHASES, &max);
	max = min_of(max, CINSTR_PHASES_MAX);
	bytes = sizeof(*list) + max * sizeof(list->begin_ticks[0]);
	list = max ? store_segment(CINSTR_SEG_PHASES, bytes, 0) : NULL;
	if (!list)
		return;
	list->max = phases.max = (uint32_t)max;
	store_segment_of(list)->used = bytes;
	phases.list = list;
	atomic_store_release(&cinstr.header->phases_at, store_offset(list)); /* control_mark.c */
}

uint32_t phases_next(uint64_t *ticks)
{
	return phases.list ? phase_list_begin(phases.list, phases.max, ordered_now, ticks) : 0;
}

void phases_see(struct fold *fold)
{
	uint32_t n;

	if (!phases.list)
		return;
	n = min_of(atomic_load_acquire(&phases.list->n), phases.max);
	if (likely(n <= fold->n_phases))
		return;
	phase_list_stamp(phases.list, n, ordered_now);
	fold->phases = phases.list->begin_ticks;
	fold->n_phases = n;
}
