/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged_sums.c - the tree of executed instructions of a merged file (cinstr/call_sums.h): cells as
 * those that the fold makes of one thread, so that views need not tell them apart. See merged.h.
 */
#include <stdlib.h>

#include "data.h"
#include "merged.h"
#include "merged_items.h"

#define CELL_BYTES sizeof(struct cinstr_cell)
#define OPEN_MAX (1u << 24)

static const struct data_segment *segment_of(const struct data *data)
{
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_MERGED_SUMS)
			return &data->segments[i];
	return NULL;
}

/* Returns the segment's head, or NULL if the segment is too short for what the head says. */
static const struct cinstr_merged *head_of(const struct data *data, const struct data_segment *s)
{
	const struct cinstr_merged *head = (const void *)(data->memory + s->offset);

	if (s->used < sizeof(*head) || head->version != CINSTR_MERGED_VERSION || !head->n_nodes ||
	    head->n_flats || head->n_contributors)
		return NULL;
	return head->n_nodes < s->used && head->n_buckets / 4 < s->used ? head : NULL;
}

uint64_t merged_sums_room(const struct data *data)
{
	const struct data_segment *s = segment_of(data);
	const struct cinstr_merged *head = s ? head_of(data, s) : NULL;

	return head ? (head->n_nodes + head->n_buckets) * CELL_BYTES : 0;
}

static int has_carry(uint64_t n)
{
	return n > UINT32_MAX;
}

uint32_t merged_sums_details(const struct merged_slot *slots, uint32_t n_slots)
{
	uint32_t n = n_slots ? 2 : 0, groups = 0, carries = 0;

	for (uint32_t i = 0; i < n_slots; i++) {
		uint32_t bit = 1u << slots[i].slot / CINSTR_GROUP_SLOTS;

		groups |= bit;
		carries |= has_carry(slots[i].n) ? bit : 0;
	}
	return n + (uint32_t)__builtin_popcount(groups) + (uint32_t)__builtin_popcount(carries);
}

/* ---- cells ----------------------------------------------------------------------------------- */

struct making {
	struct data *data;
	struct data_thread *thread;
	struct cinstr_cell *cells;
	uint32_t first; /* index of the first node's cell */
	uint32_t free;	/* index of the next cell for details */
};

static void *cell_take(struct making *m, uint32_t owner, uint32_t tag, uint32_t *index)
{
	struct cinstr_detail *cell = (void *)(m->data->memory + (uint64_t)m->free * CELL_BYTES);

	*index = m->free++;
	cell->owner = owner;
	cell->tag = tag;
	return cell;
}

static struct cinstr_counts *counts_at(struct making *m, uint32_t owner, uint32_t *index, uint32_t group)
{
	struct cinstr_counts *counts = *index ? (void *)(m->data->memory + (uint64_t)*index * CELL_BYTES)
					      : cell_take(m, owner, CINSTR_CELL_COUNTS, index);

	counts->group = group;
	return counts;
}

/* Gives the cell its item's finished calls: how many there were by duration, the least and the
 * most. */
static void calls_make(struct making *m, struct cinstr_cell *cell, uint32_t owner,
		       const struct merged_item *item)
{
	struct cinstr_detail *detail = cell_take(m, owner, CINSTR_CELL_DETAIL, &cell->detail);
	struct cinstr_more *more = cell_take(m, owner, CINSTR_CELL_MORE, &detail->more);

	cell->first_ticks = 0; /* recent[]: none */
	for (int i = 0; i < 2; i++) {
		detail->shortest[i] = item->shortest[i];
		detail->longest[i] = item->longest[i];
	}
	for (uint32_t i = 0; i < item->n_slots; i++) {
		uint32_t group = item->slots[i].slot / CINSTR_GROUP_SLOTS;
		uint32_t slot = item->slots[i].slot % CINSTR_GROUP_SLOTS;
		struct cinstr_counts *counts = counts_at(m, owner, &more->counts[group], group);

		counts->n[slot] = (uint32_t)item->slots[i].n;
		if (has_carry(item->slots[i].n))
			counts_at(m, owner, &counts->carry, group)->n[slot] =
				(uint32_t)(item->slots[i].n >> 32);
	}
}

static void node_make(struct making *m, uint32_t number, const struct merged_item *item)
{
	struct cinstr_cell *cell = &m->cells[number];
	uint32_t parent = number ? number - 1 : 0;

	*cell = (struct cinstr_cell){ .site = item->site,
				      .func = item->func,
				      .tag = item->kind | item->is_cyclic,
				      .calls = item->calls,
				      .ticks = (uint64_t)item->elapsed,
				      .first_ticks = UINT64_MAX };
	if (item->target) {
		cell->func = (uint32_t)item->target;
		cell->last_exit = (uint32_t)(item->target >> 32);
	}
	if (item->n_slots)
		calls_make(m, cell, m->first + number, item);
	for (uint32_t up = item->up; up; up--)
		parent = m->thread->nodes[parent].parent;
	m->thread->nodes[number] = (struct data_node){ cell, parent, number };
	for (uint64_t k = 0; k < item->open; k++)
		m->thread->open[m->thread->n_open++] = number;
}

static void lasts_make(struct data_thread *thread)
{
	for (size_t i = thread->n_nodes; i-- > 1;) {
		struct data_node *parent = &thread->nodes[thread->nodes[i].parent];

		if (parent->last < thread->nodes[i].last)
			parent->last = thread->nodes[i].last;
	}
}

static int tree_make(struct data *data, const struct merged *sums, uint64_t n_open)
{
	uint32_t n = sums->head->n_nodes;
	uint64_t n_cells = n + sums->head->n_buckets, at = data_room(data, n_cells * CELL_BYTES);
	struct making m = { .data = data };
	const struct merged_item *item;
	struct merged_items items;

	if (!at)
		return -1;
	data->sums = xcalloc(1, sizeof(*data->sums));
	data->n_sums = 1;
	m.thread = data->sums;
	m.thread->sums_flags = data->merged->sums_flags;
	m.thread->n_nodes = n;
	m.thread->nodes = xcalloc(n, sizeof(*m.thread->nodes));
	m.thread->open = xcalloc(n_open + 1, sizeof(*m.thread->open));
	m.cells = (struct cinstr_cell *)(void *)(data->memory + at);
	m.first = (uint32_t)(at / CELL_BYTES);
	m.free = m.first + n;
	merged_items_begin(&items, sums);
	while ((item = merged_items_next(&items)))
		node_make(&m, (uint32_t)items.number - 1, item);
	merged_items_end(&items);
	lasts_make(m.thread);
	return 0;
}

/* ---- the segment ----------------------------------------------------------------------------- */

/* Returns whether cells can hold the item. */
static int is_right(const struct merged_item *item)
{
	for (uint32_t i = 0; i < item->n_slots; i++)
		if (item->slots[i].slot >= CINSTR_SLOTS)
			return 0;
	return item->elapsed <= UINT64_MAX && !item->n_buckets && !item->n_after_buckets && !item->mixed;
}

/* Returns 0, or -1 if an item is damaged. Counts the open calls; none, where there are too many. */
static int items_check(const struct merged *sums, uint64_t *n_open)
{
	const struct merged_item *item;
	struct merged_items items;
	uint64_t details = 0;
	int is_bad = 0;

	*n_open = 0;
	merged_items_begin(&items, sums);
	while (!is_bad && (item = merged_items_next(&items))) {
		is_bad = !is_right(item) || item->open > OPEN_MAX - *n_open;
		details += is_bad ? 0 : merged_sums_details(item->slots, item->n_slots);
		*n_open += item->open;
	}
	is_bad |= items.reader.in.is_bad || details != sums->head->n_buckets;
	merged_items_end(&items);
	return is_bad ? -1 : 0;
}

void merged_sums_build(struct data *data)
{
	const struct data_segment *s = segment_of(data);
	struct merged *sums;
	struct varint_reader in;
	uint64_t n_open = 0;

	if (!s)
		return;
	sums = data->merged->sums = xcalloc(1, sizeof(*sums));
	sums->head = head_of(data, s);
	in.at = (const unsigned char *)data->memory + s->offset + sizeof(*sums->head);
	in.end = (const unsigned char *)data->memory + s->offset + s->used;
	in.is_bad = !sums->head;
	for (uint32_t i = 0; !in.is_bad && i < sums->head->n_totals; i++) {
		uint64_t total = varint_get64(&in);

		data->merged->sums_flags = i ? data->merged->sums_flags : (uint32_t)total;
	}
	sums->items_at = in.at;
	sums->items_end = in.end;
	if (in.is_bad || items_check(sums, &n_open) ||
	    (!data->is_to_merge && tree_make(data, sums, n_open))) {
		data_problem(data, s->offset, "what was executed on the merged paths is damaged");
		free(sums);
		data->merged->sums = NULL;
		return;
	}
	if (!data->is_to_merge && data->n_threads && !(data->merged->sums_flags & CINSTR_CALL_SUMS_UNKNOWN))
		data->threads[0].sums = data->sums;
}
