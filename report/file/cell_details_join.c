/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cell_details_join.h"

#include "cell_details.h"
#include "runtime/fold/fold.h"

#define CELL_BYTES sizeof(struct cinstr_cell)

static void *cell_at(const struct data *data, uint32_t index)
{
	return data->memory + (uint64_t)index * CELL_BYTES;
}

static uint32_t index_of(const struct data *data, const void *cell)
{
	return (uint32_t)((uint64_t)((const char *)cell - data->memory) / CELL_BYTES);
}

/* An empty cell with the usual header; 0: no room. */
static uint32_t cell_new(struct data *data, uint32_t kind, const struct cinstr_cell *owner)
{
	uint64_t at = data_room(data, CELL_BYTES);
	struct cinstr_cell *cell = at ? (void *)(data->memory + at) : NULL;

	if (!cell)
		return 0;
	*cell = (struct cinstr_cell){ .parent = index_of(data, owner), .tag = kind };
	return index_of(data, cell);
}

static void set_empty(uint64_t *shortest, uint64_t *longest)
{
	shortest[0] = shortest[1] = UINT64_MAX;
	longest[0] = longest[1] = 0;
}

static void extend(uint64_t *shortest, uint64_t *longest, const uint64_t *low, const uint64_t *high)
{
	for (int i = 0; i < 2; i++) {
		shortest[i] = low[i] < shortest[i] ? low[i] : shortest[i];
		longest[i] = high[i] > longest[i] ? high[i] : longest[i];
	}
}

/* ---- parts ----------------------------------------------------------------------------------- */

static struct cinstr_more *more_of(struct data *data, struct cinstr_cell *cell, struct cinstr_detail *detail)
{
	if (!detail->more)
		detail->more = cell_new(data, CINSTR_CELL_MORE, cell);
	return detail->more ? cell_at(data, detail->more) : NULL;
}

static struct cinstr_counts *counts_at(struct data *data, const struct cinstr_cell *cell, uint32_t *link,
				       uint32_t group)
{
	struct cinstr_counts *counts;

	if (!*link)
		*link = cell_new(data, CINSTR_CELL_COUNTS, cell);
	if (!*link)
		return NULL;
	counts = cell_at(data, *link);
	counts->group = group;
	return counts;
}

static int add_slot(struct data *data, struct cinstr_cell *cell, struct cinstr_more *more, uint32_t slot,
		    uint64_t n)
{
	uint32_t group = slot / CINSTR_GROUP_SLOTS, i = slot % CINSTR_GROUP_SLOTS;
	struct cinstr_counts *counts = counts_at(data, cell, &more->counts[group], group), *carry;

	if (!counts)
		return -1;
	n += counts->n[i];
	counts->n[i] = (uint32_t)n;
	if (!(n >> 32))
		return 0;
	carry = counts_at(data, cell, &counts->carry, group);
	if (carry)
		carry->n[i] += (uint32_t)(n >> 32);
	return carry ? 0 : -1;
}

/* Adds durations; all of `to`'s are outside of `recent` then. */
static int add_slots(struct data *data, struct cinstr_cell *to, struct cinstr_detail *detail,
		     const uint64_t *slots)
{
	struct cinstr_more *more = more_of(data, to, detail);
	int failed = !more;

	for (uint32_t slot = 0; more && slot < CINSTR_SLOTS; slot++)
		if (slots[slot])
			failed |= add_slot(data, to, more, slot, slots[slot]) != 0;
	return failed ? -1 : 0;
}

static struct cinstr_dirty *dirty_part(struct data *data, struct cinstr_cell *cell,
				       struct cinstr_detail *detail, uint32_t part)
{
	struct cinstr_more *more = more_of(data, cell, detail);
	struct cinstr_dirty *dirty;
	uint32_t next = 0, index;

	if (!more)
		return NULL;
	for (uint32_t i = CINSTR_DIRTY_PARTS; !more->dirty && i-- > 0;) {
		index = cell_new(data, CINSTR_CELL_DIRTY, cell);
		if (!index)
			return NULL;
		dirty = cell_at(data, index);
		dirty->next = next;
		dirty->part = i;
		set_empty(dirty->shortest, dirty->longest);
		next = index;
		if (!i)
			more->dirty = index;
	}
	for (index = more->dirty; index; index = dirty->next) {
		dirty = cell_at(data, index);
		if (dirty->part == part)
			return dirty;
	}
	return NULL;
}

/* ---- a node's -------------------------------------------------------------------------------- */

struct cinstr_detail *details_make(struct data *data, struct cinstr_cell *cell, uint64_t before)
{
	uint64_t slots[CINSTR_SLOTS];
	uint64_t first[2], n = details_slots(data->memory, cell, slots);
	uint32_t index = cell->detail ? cell->detail : cell_new(data, CINSTR_CELL_DETAIL, cell);
	struct cinstr_detail *detail;

	if (!index)
		return NULL;
	detail = cell_at(data, index);
	if (cell->detail)
		return detail;
	set_empty(detail->shortest, detail->longest);
	fold_first_extremes(cell->first_ticks, before, fold_event_cost(data->memory), first);
	cell->detail = index;
	if (!details_has_activations(cell))
		return detail;
	cell->first_ticks = 0;
	if (!n)
		return detail;
	extend(detail->shortest, detail->longest, first, first);
	return add_slots(data, cell, detail, slots) ? NULL : detail;
}

struct cinstr_bucket *details_bucket(struct data *data, struct cinstr_cell *cell, uint32_t bits)
{
	struct cinstr_detail *detail = details_make(data, cell, cell->ticks);
	struct cinstr_bucket *bucket;
	uint32_t index;

	if (!detail)
		return NULL;
	for (uint32_t i = detail->buckets; i; i = bucket->next) {
		bucket = cell_at(data, i);
		if (bucket->bits == bits)
			return bucket;
	}
	index = cell_new(data, CINSTR_CELL_BUCKET, cell);
	if (!index)
		return NULL;
	bucket = cell_at(data, index);
	bucket->bits = bits;
	bucket->next = detail->buckets;
	detail->buckets = index;
	return bucket;
}

static int add_buckets(struct data *data, struct cinstr_cell *to, uint32_t first)
{
	for (uint32_t i = first; i;) {
		const struct cinstr_bucket *from = cell_at(data, i);
		struct cinstr_bucket *sum = details_bucket(data, to, from->bits);

		if (!sum)
			return -1;
		sum->intervals += from->intervals;
		sum->ticks += from->ticks;
		sum->off_cpu_ticks += from->off_cpu_ticks;
		sum->switches += from->switches;
		i = from->next;
	}
	return 0;
}

/* Clean ones to clean ones, parts of dirty ones to their like. */
static int add_extremes(struct data *data, struct cinstr_cell *to, struct cinstr_detail *detail,
			const struct cinstr_cell *from)
{
	const struct cinstr_detail *own = from->detail ? cell_at(data, from->detail) : NULL;
	const struct cinstr_more *more = own && own->more ? cell_at(data, own->more) : NULL;
	uint64_t first[2];

	if (!own && from->first_ticks != UINT64_MAX) {
		fold_first_extremes(from->first_ticks, from->ticks, fold_event_cost(data->memory), first);
		extend(detail->shortest, detail->longest, first, first);
	}
	if (own)
		extend(detail->shortest, detail->longest, own->shortest, own->longest);
	for (uint32_t i = more ? more->dirty : 0; i;) {
		const struct cinstr_dirty *dirty = cell_at(data, i);
		struct cinstr_dirty *sum = dirty_part(data, to, detail, dirty->part);

		if (!sum)
			return -1;
		extend(sum->shortest, sum->longest, dirty->shortest, dirty->longest);
		i = dirty->next;
	}
	return 0;
}

/* after_buckets are in the order of details_bucket's: swapped in for the while. */
static int add_after(struct data *data, struct cinstr_cell *to, struct cinstr_detail *detail,
		     const struct cinstr_cell *from)
{
	uint32_t own = detail->buckets;
	int failed;

	detail->buckets = detail->after_buckets;
	failed = add_buckets(data, to, details_after_buckets(data->memory, from));
	detail->after_buckets = detail->buckets;
	detail->buckets = own;
	return failed;
}

int details_add(struct data *data, struct cinstr_cell *to, const struct cinstr_cell *from)
{
	struct cinstr_detail *detail;
	uint64_t slots[CINSTR_SLOTS];

	/* `ticks` will be of more than that activation. */
	if (details_has_activations(to) && !to->detail && to->first_ticks != UINT64_MAX &&
	    !details_make(data, to, to->ticks))
		return -1;
	if (!from->detail && (!details_has_activations(from) || from->first_ticks == UINT64_MAX))
		return 0;
	detail = details_make(data, to, to->ticks);
	if (!detail || add_buckets(data, to, details_buckets(data->memory, from)) ||
	    add_after(data, to, detail, from))
		return -1;
	if (!details_has_activations(from))
		return 0;
	if (from->detail)
		detail->flags |= ((const struct cinstr_detail *)cell_at(data, from->detail))->flags;
	details_slots(data->memory, from, slots);
	return add_slots(data, to, detail, slots) || add_extremes(data, to, detail, from) ? -1 : 0;
}

int details_copy(struct data *data, struct cinstr_cell *copy, const struct cinstr_cell *from)
{
	if (!from->detail)
		return 0;
	copy->detail = 0;
	if (details_has_activations(copy))
		copy->first_ticks = UINT64_MAX;
	return details_add(data, copy, from);
}

void details_move_buckets(struct data *data, struct cinstr_cell *from, struct cinstr_cell *to)
{
	uint32_t first = details_buckets(data->memory, from);

	if (first && !add_buckets(data, to, first))
		((struct cinstr_detail *)cell_at(data, from->detail))->buckets = 0;
}

void details_forget_exclusive(struct data *data, struct cinstr_cell *cell)
{
	struct cinstr_detail *detail = details_make(data, cell, cell->ticks);
	const struct cinstr_more *more = detail && detail->more ? cell_at(data, detail->more) : NULL;

	if (!detail)
		return;
	detail->shortest[CINSTR_EXCLUSIVE] = UINT64_MAX;
	detail->longest[CINSTR_EXCLUSIVE] = 0;
	for (uint32_t i = more ? more->dirty : 0; i;) {
		struct cinstr_dirty *dirty = cell_at(data, i);

		dirty->shortest[CINSTR_EXCLUSIVE] = UINT64_MAX;
		dirty->longest[CINSTR_EXCLUSIVE] = 0;
		i = dirty->next;
	}
}

void details_settle(struct data *data, const struct cinstr_thread *thread)
{
	const struct cinstr_fold_state *state = &thread->states[thread->commit & 1];
	const struct cinstr_open *open = (const void *)(data->memory + thread->stack_offset);

	for (uint32_t i = 0; i < state->depth; i++) {
		struct cinstr_cell *cell = cell_at(data, open[i].cell);

		if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE)
			cell = cell_at(data, cell->parent);
		if (details_has_activations(cell) && !cell->detail && cell->first_ticks != UINT64_MAX &&
		    !details_make(data, cell, open[i].ticks_before))
			/* no room: nothing is known of it from now on */
			cell->first_ticks = UINT64_MAX;
	}
}
