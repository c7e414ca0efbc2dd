/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tags.h"

#include "lib/array.h"
#include "thread_build.h"

/* Returns the cell if it is an own one of this part, or NULL. */
static const struct cinstr_tag_sum *sum_at(const struct build *b, uint32_t index, uint32_t part)
{
	const struct cinstr_tag_sum *sum =
		build_number_of(b, index) == NONE ? NULL : (const void *)build_cell_at(b, index);

	return sum && CINSTR_CELL_KIND(sum->tag) == CINSTR_CELL_TAG && sum->part == part ? sum : NULL;
}

int threads_is_tag(const struct build *b, uint32_t index)
{
	const struct cinstr_tag_now *now = (const void *)sum_at(b, index, CINSTR_TAG_NOW);
	const struct cinstr_tag_sum *sum;
	uint32_t n = 0;

	if (!now || !sum_at(b, now->others, CINSTR_TAG_OTHERS))
		return 0;
	for (uint32_t i = now->first; i; i = sum->next) {
		sum = sum_at(b, i, CINSTR_TAG_SUM);
		if (!sum || ++n > CINSTR_TAGS_KEPT)
			return 0;
	}
	return n == now->n;
}

static void item_add(const struct build *b, const struct tag_item *item)
{
	struct tags *tags = &b->thread->tags;

	if (!item->times)
		return;
	ARRAY_ROOM(tags->list, tags->n, tags->size, 16);
	tags->list[tags->n] = *item;
	if (!build_has_path(b, item->cell))
		tags->list[tags->n].cell = 0;
	if (!build_has_path(b, item->slow_cell))
		tags->list[tags->n].slow_cell = 0;
	tags->n++;
}

static void sum_add(const struct build *b, const struct cinstr_tag_sum *sum)
{
	item_add(b, &(struct tag_item){ .name = sum->name,
					.is_others = sum->part == CINSTR_TAG_OTHERS,
					.id = sum->id,
					.times = sum->times,
					.ticks = sum->ticks,
					.waiting = sum->waiting,
					.longest = sum->longest,
					.cell = sum->cell,
					.slow_cell = sum->slow_cell });
}

/* Adds the period that had not ended. */
static void now_add(const struct build *b, const struct cinstr_tag_now *now)
{
	const struct cinstr_thread *t = b->thread->record;
	const struct cinstr_fold_state *state = &t->states[t->commit & 1];
	uint64_t recorded = state->time - state->runtime_ticks - state->paused_ticks - state->between_ticks;
	uint64_t ticks = recorded > now->begin ? recorded - now->begin : 0;

	if (now->is_on)
		item_add(b, &(struct tag_item){ .name = now->name,
						.is_open = 1,
						.id = now->id,
						.times = 1,
						.ticks = ticks,
						.waiting = now->waiting,
						.longest = ticks,
						.cell = now->cell,
						.slow_cell = now->slow_cell });
}

void threads_tags_make(const struct build *b)
{
	for (size_t r = 0; r < b->n_ranges; r++)
		for (uint32_t i = 0; i < b->ranges[r].n; i++) {
			const struct cinstr_cell *cell = build_cell_at(b, b->ranges[r].first + i);

			if (CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_TAG)
				continue;
			if (cell->func == CINSTR_TAG_SUM || cell->func == CINSTR_TAG_OTHERS)
				sum_add(b, (const void *)cell);
			else if (cell->func == CINSTR_TAG_NOW)
				now_add(b, (const void *)cell);
		}
}
