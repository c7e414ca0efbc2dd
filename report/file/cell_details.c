/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cell_details.h"

#include <string.h>

#include "runtime/fold/fold.h"

#define CELL_BYTES sizeof(struct cinstr_cell)

static const void *cell_at(const char *memory, uint32_t index)
{
	return memory + (uint64_t)index * CELL_BYTES;
}

int details_is_node(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind >= CINSTR_CELL_ROOT && kind <= CINSTR_CELL_LINE && kind != CINSTR_CELL_BUCKET;
}

/* ---- check ----------------------------------------------------------------------------------- */

/* A cell of this kind that says it belongs to `owner`: in all of them the first field. NULL: there
 * is none. */
static const void *own_at(const struct details_bounds *bounds, uint32_t index, uint32_t kind, uint32_t owner)
{
	const struct cinstr_cell *cell;

	if (!bounds->is_own(bounds->context, index))
		return NULL;
	cell = cell_at(bounds->memory, index);
	return CINSTR_CELL_KIND(cell->tag) == kind && cell->parent == owner ? cell : NULL;
}

static int buckets_ok(const struct details_bounds *bounds, uint32_t owner, uint32_t first, size_t *n_buckets)
{
	for (uint32_t i = first; i;) {
		const struct cinstr_bucket *bucket = own_at(bounds, i, CINSTR_CELL_BUCKET, owner);

		if (!bucket || ++*n_buckets > 2 * bounds->n_cells)
			return 0;
		i = bucket->next;
	}
	return 1;
}

static int counts_ok(const struct details_bounds *bounds, uint32_t owner, const struct cinstr_more *more)
{
	for (uint32_t group = 0; group < CINSTR_SLOT_GROUPS; group++) {
		const struct cinstr_counts *counts, *carry;

		if (!more->counts[group])
			continue;
		counts = own_at(bounds, more->counts[group], CINSTR_CELL_COUNTS, owner);
		if (!counts || counts->group != group)
			return 0;
		if (!counts->carry)
			continue;
		carry = own_at(bounds, counts->carry, CINSTR_CELL_COUNTS, owner);
		if (!carry || carry == counts || carry->group != group)
			return 0;
	}
	return 1;
}

static int dirty_ok(const struct details_bounds *bounds, uint32_t owner, const struct cinstr_more *more)
{
	uint32_t index = more->dirty;

	for (uint32_t part = 0; index && part < CINSTR_DIRTY_PARTS; part++) {
		const struct cinstr_dirty *dirty = own_at(bounds, index, CINSTR_CELL_DIRTY, owner);

		if (!dirty || dirty->part != part || !dirty->next != (part == CINSTR_DIRTY_PARTS - 1))
			return 0;
		index = dirty->next;
	}
	return 1;
}

const char *details_check(const struct details_bounds *bounds, uint32_t index, size_t *n_buckets)
{
	const struct cinstr_cell *cell = cell_at(bounds->memory, index);
	const struct cinstr_detail *detail;
	const struct cinstr_more *more;

	if (!cell->detail)
		return NULL;
	detail = own_at(bounds, cell->detail, CINSTR_CELL_DETAIL, index);
	if (!detail)
		return "a cell's detail lies nowhere";
	if (detail->window > CINSTR_SLOTS - CINSTR_RECENT_SLOTS)
		return "durations that are out of range";
	if (!buckets_ok(bounds, index, detail->buckets, n_buckets) ||
	    !buckets_ok(bounds, index, detail->after_buckets, n_buckets))
		return "a cell's chain of buckets is broken";
	if (detail->last_counts && !own_at(bounds, detail->last_counts, CINSTR_CELL_COUNTS, index))
		return "a cell's durations lie nowhere";
	if (!detail->more)
		return NULL;
	more = own_at(bounds, detail->more, CINSTR_CELL_MORE, index);
	if (!more)
		return "more of a cell's detail lies nowhere";
	if (!counts_ok(bounds, index, more))
		return "a cell's durations lie nowhere";
	return dirty_ok(bounds, index, more) ? NULL : "a cell's application times lie nowhere";
}

/* ---- read ------------------------------------------------------------------------------------ */

static const struct cinstr_detail *detail_of(const char *memory, const struct cinstr_cell *cell)
{
	return cell->detail ? cell_at(memory, cell->detail) : NULL;
}

static const struct cinstr_more *more_of(const char *memory, const struct cinstr_cell *cell)
{
	const struct cinstr_detail *detail = detail_of(memory, cell);

	return detail && detail->more ? cell_at(memory, detail->more) : NULL;
}

uint32_t details_buckets(const char *memory, const struct cinstr_cell *cell)
{
	const struct cinstr_detail *detail = detail_of(memory, cell);

	return detail ? detail->buckets : 0;
}

uint32_t details_after_buckets(const char *memory, const struct cinstr_cell *cell)
{
	const struct cinstr_detail *detail = detail_of(memory, cell);

	return detail ? detail->after_buckets : 0;
}

uint64_t details_slot_begin(uint32_t slot)
{
	return ((4ull + slot % 4) << (slot / 4 + CINSTR_SLOT_OCTAVE - 2)) - (1u << CINSTR_SLOT_OCTAVE);
}

static uint32_t slot_of(uint64_t ticks)
{
	uint32_t slot = ticks >> 62 ? CINSTR_SLOTS : fold_slot(ticks);

	return slot < CINSTR_SLOTS ? slot : CINSTR_SLOTS - 1;
}

static void slots_add(uint64_t *slots, const struct cinstr_counts *counts, unsigned shift)
{
	for (uint32_t i = 0; i < CINSTR_GROUP_SLOTS; i++)
		slots[counts->group * CINSTR_GROUP_SLOTS + i] += (uint64_t)counts->n[i] << shift;
}

uint64_t details_slots(const char *memory, const struct cinstr_cell *cell, uint64_t slots[CINSTR_SLOTS])
{
	const struct cinstr_detail *detail = detail_of(memory, cell);
	const struct cinstr_more *more = more_of(memory, cell);
	uint64_t n = 0;

	memset(slots, 0, CINSTR_SLOTS * sizeof(*slots));
	if (!details_has_activations(cell) && !details_is_flat(cell))
		return 0;
	if (!detail && !details_is_flat(cell) && cell->first_ticks != UINT64_MAX)
		slots[slot_of(fold_first_ticks(cell->first_ticks, fold_event_cost(memory)))] = 1;
	for (uint32_t i = 0; detail && !details_is_flat(cell) && i < CINSTR_RECENT_SLOTS; i++)
		slots[detail->window + i] += cell->recent[i];
	for (uint32_t group = 0; more && group < CINSTR_SLOT_GROUPS; group++) {
		const struct cinstr_counts *counts =
			more->counts[group] ? cell_at(memory, more->counts[group]) : NULL;

		if (counts)
			slots_add(slots, counts, 0);
		if (counts && counts->carry)
			slots_add(slots, cell_at(memory, counts->carry), 32);
	}
	for (uint32_t i = 0; i < CINSTR_SLOTS; i++)
		n += slots[i];
	return n;
}

static uint64_t counted(const struct cinstr_counts *counts)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < CINSTR_GROUP_SLOTS; i++)
		n += counts->n[i];
	return n;
}

uint64_t details_finished(const char *memory, const struct cinstr_cell *cell)
{
	const struct cinstr_detail *detail = detail_of(memory, cell);
	const struct cinstr_more *more = more_of(memory, cell);
	uint64_t n = 0;

	if (!details_has_activations(cell) && !details_is_flat(cell))
		return 0;
	if (!detail)
		return !details_is_flat(cell) && cell->first_ticks != UINT64_MAX;
	for (uint32_t i = 0; !details_is_flat(cell) && i < CINSTR_RECENT_SLOTS; i++)
		n += cell->recent[i];
	for (uint32_t group = 0; more && group < CINSTR_SLOT_GROUPS; group++) {
		const struct cinstr_counts *counts =
			more->counts[group] ? cell_at(memory, more->counts[group]) : NULL;

		if (counts)
			n += counted(counts);
		if (counts && counts->carry)
			n += counted(cell_at(memory, counts->carry)) << 32;
	}
	return n;
}

/* As they are in the cells. */
struct coded {
	uint64_t shortest[2], longest[2];
};

static void coded_add(struct coded *coded, const uint64_t *shortest, const uint64_t *longest)
{
	for (int i = 0; i < 2; i++) {
		if (shortest[i] < coded->shortest[i])
			coded->shortest[i] = shortest[i];
		if (longest[i] > coded->longest[i])
			coded->longest[i] = longest[i];
	}
}

static void decode(const struct coded *coded, uint32_t cost, struct details_extremes *extremes)
{
	for (int i = 0; i < 2; i++) {
		if (coded->shortest[i] > coded->longest[i])
			continue;
		extremes->shortest[i] =
			fold_extreme_ticks(coded->shortest[i], cost, &extremes->shortest_events[i]);
		extremes->longest[i] =
			fold_extreme_ticks(coded->longest[i], cost, &extremes->longest_events[i]);
	}
}

int details_parts_differ(const char *memory, const struct cinstr_cell *cell)
{
	const struct cinstr_more *more = more_of(memory, cell);

	return more && more->dirty;
}

void details_extremes(const char *memory, const struct cinstr_cell *cell, enum cinstr_dirty_part part,
		      struct details_extremes *extremes)
{
	const struct cinstr_detail *detail = detail_of(memory, cell);
	const struct cinstr_more *more = more_of(memory, cell);
	struct coded coded = { { UINT64_MAX, UINT64_MAX }, { 0, 0 } };
	uint32_t cost = fold_event_cost(memory);
	uint64_t first[2];

	*extremes = (struct details_extremes){ .shortest = { UINT64_MAX, UINT64_MAX } };
	if (!details_has_activations(cell) && !details_is_flat(cell))
		return;
	if (!detail && !details_is_flat(cell) && cell->first_ticks != UINT64_MAX) {
		fold_first_extremes(cell->first_ticks, cell->ticks, cost, first);
		coded_add(&coded, first, first);
	}
	if (detail)
		coded_add(&coded, detail->shortest, detail->longest);
	for (uint32_t i = more ? more->dirty : 0; i;) {
		const struct cinstr_dirty *dirty = cell_at(memory, i);

		if (dirty->part == part)
			coded_add(&coded, dirty->shortest, dirty->longest);
		i = dirty->next;
	}
	decode(&coded, cost, extremes);
}
