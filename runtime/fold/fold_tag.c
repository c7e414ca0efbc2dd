/* SPDX-License-Identifier: MIT */
/*
 * fold_tag.c - adds up the periods in which the thread had a value of a tag, by name and value
 * (cinstr/tags.h). The values with least time give way to others that have more.
 */
#include "cinstr/tags.h"
#include "fold_steps.h"

/* Returns a new cell, or NULL: no room. */
static struct cinstr_tag_sum *cell_make(struct walk *w, uint32_t next, uint32_t name, uint32_t part)
{
	struct cinstr_tag_sum *cell = (void *)fold_cell_new(w->fold);

	if (!cell)
		return NULL;
	fold_keep_block(w->fold, cell);
	cell->next = next;
	cell->name = name;
	cell->part = part;
	cell->tag = CINSTR_CELL_TAG | w->epoch << 4;
	return cell;
}

static void touch_tag(struct walk *w, void *cell)
{
	touch(w, (struct cinstr_cell *)cell);
}

/* Returns the tag with this name, which is new if need be, or NULL: no room. */
static struct cinstr_tag_now *now_of(struct walk *w, uint32_t name)
{
	for (int i = 0; i < CINSTR_TAG_NAMES; i++) {
		uint32_t *index = &w->fold->tags[i];
		struct cinstr_tag_now *now = (void *)cell_at(w->file, *index);
		struct cinstr_tag_sum *others;

		if (*index && now->name == name)
			return now;
		if (*index)
			continue;
		others = cell_make(w, 0, name, CINSTR_TAG_OTHERS);
		now = others ? (void *)cell_make(w, index_of(w->file, others), name, CINSTR_TAG_NOW) : NULL;
		*index = now ? index_of(w->file, now) : 0;
		return now;
	}
	return NULL;
}

/* Returns the stamp of the present, less the runtime's own time and pauses so far. */
static uint64_t recorded(const struct walk *w)
{
	return w->time - w->state->runtime_ticks - w->state->paused_ticks - w->state->between_ticks;
}

static void add(struct cinstr_tag_sum *to, const struct cinstr_tag_sum *from)
{
	to->times += from->times;
	to->ticks += from->ticks;
	to->waiting += from->waiting;
	if (from->longest < to->longest)
		return;
	to->longest = from->longest;
	to->cell = from->cell;
	to->slow_cell = from->slow_cell;
}

/* Has the OTHERS take what the sum has, which is then free for the value `id`. */
static void give_way(struct walk *w, struct cinstr_tag_sum *others, struct cinstr_tag_sum *sum, int64_t id)
{
	touch_tag(w, others);
	touch_tag(w, sum);
	add(others, sum);
	sum->id = id;
	sum->times = sum->ticks = sum->waiting = sum->longest = 0;
}

/* Returns the sum for a period of `ticks` with this value: that of the value, of one that has less
 * time, or of the others. */
static struct cinstr_tag_sum *sum_of(struct walk *w, struct cinstr_tag_now *now, int64_t id, uint64_t ticks)
{
	struct cinstr_tag_sum *others = (void *)cell_at(w->file, now->others), *least = NULL, *sum;

	for (uint32_t i = now->first; i; i = sum->next) {
		sum = (void *)cell_at(w->file, i);
		if (sum->id == id)
			return sum;
		if (!least || sum->ticks < least->ticks)
			least = sum;
	}
	if (now->n == CINSTR_TAGS_KEPT) {
		if (ticks <= least->ticks)
			return others;
		give_way(w, others, least, id);
		return least;
	}
	sum = cell_make(w, now->first, now->name, CINSTR_TAG_SUM);
	if (!sum)
		return others;
	sum->id = id;
	now->first = index_of(w->file, sum);
	now->n++;
	return sum;
}

static void end_period(struct walk *w, struct cinstr_tag_now *now)
{
	uint64_t ticks = recorded(w) - now->begin;
	const struct cinstr_tag_sum period = { .times = 1,
					       .ticks = ticks,
					       .waiting = now->waiting,
					       .longest = ticks,
					       .cell = now->cell,
					       .slow_cell = now->slow_cell };
	struct cinstr_tag_sum *sum;

	if (!now->is_on)
		return;
	sum = sum_of(w, now, now->id, ticks);
	touch_tag(w, sum);
	add(sum, &period);
	now->is_on = 0;
}

void fold_tag(struct walk *w, uint32_t argument, uint64_t value)
{
	struct cinstr_tag_now *now = now_of(w, CINSTR_TAG_NAME(argument));

	if (!now) {
		w->state->uncounted++;
		return;
	}
	touch_tag(w, now);
	end_period(w, now);
	if (!(argument & CINSTR_TAG_BEGINS))
		return;
	now->id = (int64_t)(value | (argument & CINSTR_TAG_NEGATIVE ? UINT64_C(1) << 63 : 0));
	now->begin = recorded(w);
	now->waiting = 0;
	now->cell = index_of(w->file, fold_frame(w));
	now->slow = now->slow_cell = 0;
	now->is_on = 1;
}

void fold_tag_wait(struct walk *w, uint64_t ticks, uint64_t off_cpu_ticks)
{
	uint64_t slow = ticks >> CINSTR_TAG_SLOW_BITS;

	for (int i = 0; i < CINSTR_TAG_NAMES && w->fold->tags[i]; i++) {
		struct cinstr_tag_now *now = (void *)cell_at(w->file, w->fold->tags[i]);

		if (!now->is_on)
			continue;
		touch_tag(w, now);
		now->waiting += off_cpu_ticks;
		if (slow < now->slow)
			continue;
		now->slow = slow < UINT32_MAX ? (uint32_t)slow : UINT32_MAX;
		now->slow_cell = index_of(w->file, w->current);
	}
}

void fold_tags_end(struct walk *w)
{
	for (int i = 0; i < CINSTR_TAG_NAMES && w->fold->tags[i]; i++) {
		struct cinstr_tag_now *now = (void *)cell_at(w->file, w->fold->tags[i]);

		touch_tag(w, now);
		end_period(w, now);
	}
}
