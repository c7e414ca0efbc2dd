/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged.c - see merged.h. A damaged segment is left out as a whole: it must be known what a sum
 * consists of.
 */
#include "merged.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "lib/array.h"
#include "merged_items.h"

#define ROOM_EXTRA 4096
#define OPEN_MAX (1u << 24)
/* Keeps up to this many decoded items, which fit the processor's caches; decodes others when they
 * are asked for. */
#define ITEMS_KEPT 4096u

static const struct data_segment *segment_of(const struct data *data)
{
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_MERGED)
			return &data->segments[i];
	return NULL;
}

static int is_known_version(uint32_t version)
{
	return version == CINSTR_MERGED_VERSION || version == CINSTR_MERGED_VERSION_COUNTED;
}

/* The head, if there can be as much behind it as it says: each thing takes bytes. */
static const struct cinstr_merged *head_of(const struct data *data, const struct data_segment *s)
{
	const struct cinstr_merged *head = (const void *)(data->memory + s->offset);

	if (s->used < sizeof(*head) || !is_known_version(head->version) || !head->n_nodes)
		return NULL;
	return (wide)head->n_contributors + head->n_nodes + head->n_flats + head->n_buckets < s->used ? head
												      : NULL;
}

uint64_t merged_room(const struct data *data)
{
	const struct data_segment *s = segment_of(data);
	const struct cinstr_merged *head = s ? head_of(data, s) : NULL;

	if (!head || data->is_to_merge)
		return 0;
	return ROOM_EXTRA + merged_sums_room(data) + sizeof(struct cinstr_thread) +
	       (2ull * ((uint64_t)head->n_nodes + head->n_flats) + head->n_buckets) *
		       sizeof(struct cinstr_cell);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	struct data *data;
	struct merged *merged;
	struct merged_reader reader;
	struct strbuf strings;
	uint32_t depth; /* of the item before */
};

/* Offset of the string in reading->strings. */
static size_t get_string(struct reading *r)
{
	struct varint_reader *in = &r->reader.in;
	uint64_t length = varint_get64(in);
	size_t at = r->strings.length;

	if (length > (size_t)(in->end - in->at)) {
		in->is_bad = 1;
		length = 0;
	}
	strbuf_add(&r->strings, (const char *)in->at, length);
	strbuf_add(&r->strings, "", 1);
	in->at += length;
	return at;
}

static void totals_get(struct reading *r, uint32_t n)
{
	wide *totals = (wide *)(void *)&r->merged->totals;
	const uint32_t known = sizeof(r->merged->totals) / sizeof(*totals);

	for (uint32_t i = 0; i < n && !r->reader.in.is_bad; i++) {
		wide total = varint_get(&r->reader.in);

		if (i < known)
			totals[i] = total;
	}
}

static void contributors_get(struct reading *r)
{
	struct merged *merged = r->merged;
	uint32_t n = merged->head->n_contributors;
	size_t *strings = xcalloc((size_t)n * 3 + 1, sizeof(*strings));

	merged->contributors = xcalloc(n + 1, sizeof(*merged->contributors));
	for (uint32_t i = 0; i < n && !r->reader.in.is_bad; i++) {
		struct merged_contributor *c = &merged->contributors[i];

		for (int k = 0; k < 3; k++)
			strings[3 * i + k] = get_string(r);
		c->rank_after = varint_get32(&r->reader.in);
		c->pid = varint_get32(&r->reader.in);
		c->start_realtime_ns = varint_get64(&r->reader.in);
#define GET(name) c->name = varint_get64(&r->reader.in);
		CINSTR_MERGED_OF_CONTRIBUTOR(GET)
#undef GET
		if (merged->head->version == CINSTR_MERGED_VERSION_COUNTED)
			c->are_calls_least = varint_get32(&r->reader.in) & 1;
	}
	strbuf_add(&r->strings, "", 1);
	merged->strings = r->strings.text;
	for (uint32_t i = 0; i < n; i++) {
		merged->contributors[i].host = merged->strings + strings[3 * i];
		merged->contributors[i].job = merged->strings + strings[3 * i + 1];
		merged->contributors[i].program = merged->strings + strings[3 * i + 2];
	}
	free(strings);
}

/* In order of their codes. */
static void counters_get(struct reading *r)
{
	struct varint_reader *in = &r->reader.in;
	struct merged *merged = r->merged;
	uint64_t n, code = 0;

	if (merged->head->version != CINSTR_MERGED_VERSION_COUNTED)
		return;
	n = varint_get64(in);
	if (n > (uint64_t)(in->end - in->at)) {
		in->is_bad = 1;
		return;
	}
	merged->counters = xcalloc(n + 1, sizeof(*merged->counters));
	for (; merged->n_counters < n && !in->is_bad; merged->n_counters++) {
		struct merged_counter *counter = &merged->counters[merged->n_counters];

		code += varint_get32(in);
		in->is_bad |= code > UINT32_MAX;
		*counter = (struct merged_counter){ .code = (uint32_t)code, .n = varint_get64(in) };
		counter->untimed = varint_get64(in);
	}
}

/* Lists have their place when all items have been read. */
static void lists_place(struct merged *merged)
{
	size_t bucket = 0, slot = 0, mixed = 0, share = 0;

	for (size_t i = 0; i < merged->n_items; i++) {
		struct merged_item *item = &merged->items[i];

		/* without any there is no array to point into */
		item->buckets = merged->buckets ? merged->buckets + bucket : NULL;
		item->slots = merged->slots ? merged->slots + slot : NULL;
		bucket += item->n_buckets;
		item->after_buckets = merged->buckets ? merged->buckets + bucket : NULL;
		bucket += item->n_after_buckets;
		slot += item->n_slots;
		if (!item->has_mixed)
			continue;
		item->mixed = &merged->mixed[mixed++];
		item->mixed->shares = merged->shares ? merged->shares + share : NULL;
		share += item->mixed->n_shares;
	}
}

static size_t items_count(const struct merged *merged)
{
	return (size_t)merged->head->n_nodes + merged->head->n_flats;
}

static void items_get(struct reading *r)
{
	struct merged *merged = r->merged;
	size_t n = items_count(merged);

	merged->items = xcalloc(n, sizeof(*merged->items));
	for (size_t i = 0; i < n && !r->reader.in.is_bad; i++) {
		struct merged_item *item = &merged->items[i];

		merged_get_head(&r->reader, item);
		merged_get_rest(&r->reader, item);
		r->reader.in.is_bad |= !merged_item_has_place(merged, i, item, &r->depth) ||
				       !merged_item_who_is_known(merged, item);
		merged->n_items = i + 1;
	}
	merged->buckets = r->reader.buckets;
	merged->slots = r->reader.slots;
	merged->mixed = r->reader.mixed;
	merged->shares = r->reader.shares;
	r->reader.in.is_bad |= r->reader.n_buckets != merged->head->n_buckets;
	lists_place(merged);
	for (size_t i = 0; i < merged->n_items; i++)
		r->reader.in.is_bad |=
			merged->items[i].mixed && !merged_owners_are_known(merged, merged->items[i].mixed);
}

/* The same without keeping more than where each begins, unless they are read in turn only. */
static void items_check(struct reading *r)
{
	struct merged *merged = r->merged;
	const struct merged_item *item;
	const unsigned char *at = r->reader.in.at;
	struct merged_items items;
	uint64_t n_buckets = 0;

	merged->items_at = at;
	merged->items_end = r->reader.in.end;
	if (r->reader.in.is_bad)
		return;
	if (!r->data->is_to_merge) {
		merged->item_at = xcalloc(items_count(merged), sizeof(*merged->item_at));
		merged->last = xcalloc(1, sizeof(*merged->last));
	}
	for (merged_items_begin(&items, merged); (item = merged_items_next(&items));
	     at = items.reader.in.at) {
		n_buckets += (uint64_t)item->n_buckets + item->n_after_buckets;
		if (merged->item_at)
			merged->item_at[merged->n_items++] = at;
	}
	items.reader.in.is_bad |= n_buckets != merged->head->n_buckets;
	r->reader.in = items.reader.in;
	merged_items_end(&items);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static uint64_t room_at(struct data *data, uint64_t cells)
{
	return data_room(data, cells * sizeof(struct cinstr_cell));
}

static uint32_t bucket_count(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* One behind another from cell index `at` on. The index behind them. */
static uint32_t chain_make(struct data *data, const struct merged *merged, uint32_t at,
			   const struct merged_bucket *buckets, uint32_t n, uint32_t owner)
{
	struct cinstr_bucket *chain = (void *)(data->memory + (uint64_t)at * sizeof(*chain));

	for (uint32_t i = 0; i < n; i++)
		chain[i] = (struct cinstr_bucket){ .owner = owner,
						   .bits = buckets[i].bits,
						   .next = i + 1 < n ? at + i + 1 : 0,
						   .tag = CINSTR_CELL_BUCKET,
						   .intervals = buckets[i].intervals,
						   .ticks = merged_ticks(merged, buckets[i].ticks),
						   .off_cpu_ticks = merged_ticks(merged, buckets[i].off_cpu),
						   .switches = bucket_count(buckets[i].voluntary) |
							       (uint64_t)bucket_count(buckets[i].involuntary)
								       << 32 };
	return at + n;
}

static void buckets_make(struct data *data, const struct merged *merged, const struct merged_item *item,
			 uint32_t owner, struct cinstr_cell *cell)
{
	uint64_t n = (uint64_t)item->n_buckets + item->n_after_buckets, at = n ? room_at(data, 1 + n) : 0;
	struct cinstr_detail *detail = (void *)(data->memory + at);
	uint32_t index = (uint32_t)(at / sizeof(*cell)), next;

	if (!at)
		return;
	next = chain_make(data, merged, index + 1, item->buckets, item->n_buckets, owner);
	chain_make(data, merged, next, item->after_buckets, item->n_after_buckets, owner);
	*detail = (struct cinstr_detail){ .owner = owner,
					  .tag = CINSTR_CELL_DETAIL,
					  .shortest = { UINT64_MAX, UINT64_MAX },
					  .buckets = item->n_buckets ? index + 1 : 0,
					  .after_buckets = item->n_after_buckets ? next : 0 };
	cell->detail = index;
}

/* Durations and extremes are the item's (merged_item_of), so a cell has none. `index`: of the
 * cell. */
static void cell_make(struct data *data, const struct merged *merged, const struct merged_item *item,
		      uint32_t index, struct cinstr_cell *cell)
{
	*cell = (struct cinstr_cell){ .site = item->site,
				      .func = item->func,
				      .tag = item->kind | item->is_cyclic,
				      .calls = item->calls,
				      .first_ticks = UINT64_MAX };
	cell->ticks = merged_ticks(merged, item->elapsed + item->overhead[0]);
	if (item->target) {
		cell->func = (uint32_t)item->target;
		cell->last_exit = (uint32_t)(item->target >> 32);
	}
	if (merged_item_is_flat(item)) {
		cell->parent = CINSTR_FLAT_PARENT(0);
		cell->flat_ticks = merged_ticks(merged, item->flat_ticks);
		cell->flat_calls = item->flat_calls;
	} else {
		cell->after_ticks = merged_ticks(merged, item->after + item->after_overhead);
	}
	buckets_make(data, merged, item, index, cell);
	if (cell->detail)
		cell->first_ticks = 0; /* recent[]: none */
}

/* first: cell index of the first item. */
static void node_make(struct data_thread *thread, uint32_t number, const struct merged_item *item,
		      struct cinstr_cell *cell, uint32_t first)
{
	uint32_t parent = number ? number - 1 : 0;

	for (uint32_t up = item->up; up; up--)
		parent = thread->nodes[parent].parent;
	thread->nodes[number] = (struct data_node){ cell, parent, number };
	if (number)
		cell->parent = first + parent;
}

/* Calls that had not returned, a node for each; none where there are more than OPEN_MAX, which
 * sets `left` to 0. */
static void open_add(struct data_thread *thread, uint32_t node, uint64_t n, uint64_t *left, size_t *size)
{
	if (n > *left)
		thread->n_open = *left = 0;
	if (!*left)
		return;
	*left -= n;
	for (; n; n--) {
		ARRAY_ROOM(thread->open, thread->n_open, *size, 16);
		thread->open[thread->n_open++] = node;
	}
}

/* first: cell index of the first item. */
static void nodes_make(struct data *data, struct data_thread *thread, struct merged *merged, uint32_t first)
{
	const uint32_t n = merged->head->n_nodes;
	uint64_t left = OPEN_MAX;
	size_t size = 0;

	thread->n_nodes = n;
	thread->nodes = xcalloc(n, sizeof(*thread->nodes));
	thread->flat = xcalloc((size_t)merged->head->n_flats + 1, sizeof(*thread->flat));
	for (uint32_t i = 0; i < merged->n_items; i++) {
		const struct merged_item *item = merged_item_at(merged, i);
		struct cinstr_cell *cell = &merged->cells[i];

		cell_make(data, merged, item, first + i, cell);
		if (i < n) {
			node_make(thread, i, item, cell, first);
			open_add(thread, i, item->open, &left, &size);
		} else {
			thread->flat[thread->n_flat++] = cell;
		}
	}
	for (uint32_t i = n; i-- > 1;) {
		struct data_node *parent = &thread->nodes[thread->nodes[i].parent];

		if (parent->last < thread->nodes[i].last)
			parent->last = thread->nodes[i].last;
	}
}

static void record_make(struct data_thread *thread, const struct merged *merged, struct cinstr_thread *record)
{
	const struct merged_totals *t = &merged->totals;
	struct cinstr_fold_state *state = &record->states[0];

	*record = (struct cinstr_thread){ .state = CINSTR_THREAD_ENDED,
					  .name = MERGED_THREADS,
					  .members =
						  t->threads < UINT32_MAX ? (uint32_t)t->threads : UINT32_MAX,
					  .named = 1,
					  .timeline_lost = (uint64_t)t->timeline_lost };
	*state = (struct cinstr_fold_state){ .runtime_ticks = merged_ticks(merged, t->runtime),
					     .paused_ticks = merged_ticks(merged, t->paused),
					     .between_ticks = merged_ticks(merged, t->between),
					     .events = (uint64_t)t->events,
					     .enters = (uint64_t)t->enters,
					     .exits = (uint64_t)t->exits,
					     .implicit_exits = (uint64_t)t->implicit_exits,
					     .orphans = (uint64_t)t->orphans,
					     .lost_events = (uint64_t)t->lost_events,
					     .voluntary = (uint64_t)t->voluntary,
					     .involuntary = (uint64_t)t->involuntary,
					     .merged_calls = (uint64_t)t->merged_calls,
					     .pauses = (uint64_t)t->pauses,
					     .repaired = (uint64_t)t->repaired,
					     .uncounted = (uint64_t)t->uncounted };
	record->counters_last.voluntary = (uint64_t)t->kernel_voluntary;
	record->counters_last.involuntary = (uint64_t)t->kernel_involuntary;
	state->time = state->runtime_ticks + state->paused_ticks + state->between_ticks;
	for (size_t i = 0; i < thread->n_nodes; i++)
		state->time += thread->nodes[i].cell->ticks;
	thread->record = record;
	thread->state = state;
	thread->merged = merged;
	thread->n_open_flat = (size_t)t->open_frames;
}

static int thread_make_merged(struct data *data, struct merged *merged)
{
	uint64_t at = room_at(data, merged->n_items);
	uint64_t record = data_room(data, (sizeof(struct cinstr_thread) + 63) & ~63ull);

	if (!at || !record)
		return -1;
	merged->cells = (struct cinstr_cell *)(void *)(data->memory + at);
	threads_release(data); /* there are none but in a damaged file */
	data->threads = xcalloc(1, sizeof(*data->threads));
	data->n_threads = 1;
	nodes_make(data, data->threads, merged, (uint32_t)(at / sizeof(struct cinstr_cell)));
	record_make(data->threads, merged, (void *)(data->memory + record));
	merged_mixed_make(data);
	return 0;
}

/* ---- builds ---------------------------------------------------------------------------------- */

static int compare_by_name(const void *a, const void *b, void *arg)
{
	const struct module *list = arg, *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];
	int order = strcmp(util_basename(x->path), util_basename(y->path));

	return order ? order : strcmp(x->path, y->path);
}

/*
 * Several builds of a program or a library, each at a path of its own: their functions are the same
 * ones if their names and places in the source are. A name that one process may have loaded twice
 * cannot be told from that.
 */
static void builds_meet(struct modules *modules)
{
	uint32_t *order = xcalloc(modules->n + 1, sizeof(*order));

	for (uint32_t i = 0; i < modules->n; i++)
		order[i] = i;
	util_sort(order, modules->n, sizeof(*order), compare_by_name, modules->list);
	for (size_t i = 1; i < modules->n; i++) {
		const struct module *before = &modules->list[order[i - 1]];
		struct module *module = &modules->list[order[i]];

		if (module->path[0] == '/' && before->path[0] == '/' &&
		    !strcmp(util_basename(module->path), util_basename(before->path)))
			module->known_as = before->known_as ? before->known_as : before->path;
	}
	free(order);
}

/* ---- records of other segments --------------------------------------------------------------- */

const char *merged_get_text(struct varint_reader *in)
{
	uint64_t length = varint_get64(in);
	const char *text = (const char *)in->at;

	if (in->is_bad || length >= (uint64_t)(in->end - in->at) || text[length]) {
		in->is_bad = 1;
		return "";
	}
	in->at += length + 1;
	return text;
}

void merged_put_text(struct strbuf *out, const char *text)
{
	varint_put(out, strlen(text));
	strbuf_add(out, text, strlen(text) + 1);
}

int merged_each_record(struct data *data, uint32_t type,
		       void (*get)(struct merged *merged, struct varint_reader *in), const char *damage)
{
	size_t n;
	const struct data_segment *own = data_segments_of(data, 0, &n);
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned char *at = (const unsigned char *)data->memory + own[i].offset;
		struct varint_reader in = { .at = at, .end = at + own[i].used };

		while (own[i].type == type && in.at < in.end && !in.is_bad)
			get(data->merged, &in);
		if (in.is_bad) {
			data_problem(data, own[i].offset, damage);
			status = -1;
		}
	}
	return status;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* How fine the file's clock is: 1 tick is 1 / 2^shift ns. */
static int shift_of(const struct cinstr_header *header)
{
	uint64_t ns = header->clock_ns[2], ticks = header->clock_ticks[2];

	for (int shift = 0; shift <= CINSTR_MERGED_FRACTION; shift++)
		if (ns && ns <= UINT64_MAX >> CINSTR_MERGED_FRACTION && ticks == ns << shift)
			return shift;
	return -1;
}

void merged_build(struct data *data)
{
	const struct data_segment *s = segment_of(data);
	struct reading r = { .data = data };

	if (!s)
		return;
	r.merged = data->merged = xcalloc(1, sizeof(*r.merged));
	r.merged->head = head_of(data, s);
	r.merged->shift = shift_of(data->header);
	if (!r.merged->head || r.merged->shift < 0) {
		data_problem(data, s->offset,
			     "the head of what was merged is damaged, or of another version");
		merged_release(data);
		return;
	}
	r.reader.in.at = (const unsigned char *)data->memory + s->offset + sizeof(struct cinstr_merged);
	r.reader.in.end = (const unsigned char *)data->memory + s->offset + s->used;
	totals_get(&r, r.merged->head->n_totals);
	contributors_get(&r);
	counters_get(&r);
	if (items_count(r.merged) > ITEMS_KEPT)
		items_check(&r);
	else
		items_get(&r);
	merged_functions_get(r.merged, &r.reader.in);
	if (r.reader.in.is_bad || (!data->is_to_merge && thread_make_merged(data, r.merged))) {
		data_problem(data, (uint64_t)(r.reader.in.at - (const unsigned char *)data->memory),
			     "what was merged is damaged");
		merged_release(data);
		return;
	}
	merged_waits_read(data);
	merged_moved_read(data);
	merged_tags_read(data);
	merged_sums_build(data);
	if (!data->is_to_merge)
		builds_meet(&data->modules);
}

void merged_release(struct data *data)
{
	struct merged *merged = data->merged;

	if (!merged)
		return;
	free(merged->contributors);
	free(merged->items);
	free(merged->item_at);
	if (merged->last)
		merged_items_end(merged->last);
	free(merged->last);
	free(merged->buckets);
	free(merged->slots);
	free(merged->mixed);
	free(merged->shares);
	free(merged->counters);
	free(merged->functions);
	free(merged->waits);
	free(merged->moved);
	free(merged->tags);
	free(merged->strings);
	free(merged->sums);
	free(merged);
	data->merged = NULL;
}

static int has_item(const struct merged *merged, const struct cinstr_cell *cell)
{
	return merged && cell >= merged->cells && cell < merged->cells + merged->n_items;
}

const struct merged_item *merged_item_of(const struct merged *merged, const struct cinstr_cell *cell)
{
	return has_item(merged, cell) ? merged_item_at(merged, (size_t)(cell - merged->cells)) : NULL;
}

const struct merged_item *merged_head_of(const struct merged *merged, const struct cinstr_cell *cell)
{
	return has_item(merged, cell) ? merged_head_at(merged, (size_t)(cell - merged->cells)) : NULL;
}
