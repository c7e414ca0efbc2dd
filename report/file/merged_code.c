/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged_code.c - encodes and decodes items of a merged tree (merged.h, doc/format.md). */
#include "lib/array.h"
#include "merged.h"

/* An item's bytes on their way to `out`: what every item has fits, and one entry of a list after
 * another. */
struct item_bytes {
	struct strbuf *out;
	char *to;
	char bytes[128 * VARINT_BYTES_MAX];
};
#define ENTRY_BYTES (8 * VARINT_BYTES_MAX)

static void flush(struct item_bytes *b)
{
	strbuf_add(b->out, b->bytes, (size_t)(b->to - b->bytes));
	b->to = b->bytes;
}

static inline void put(struct item_bytes *b, wide n)
{
	b->to = varint_put_at(b->to, n);
}

static inline void room_for_entry(struct item_bytes *b)
{
	if (b->bytes + sizeof(b->bytes) - b->to < ENTRY_BYTES)
		flush(b);
}

static void put_extremes(struct item_bytes *out, const struct merged_item *item)
{
	for (int i = 0; i < 4; i++) {
		int is_known = item->shortest[i] <= item->longest[i];

		put(out, is_known ? (wide)item->shortest[i] + 1 : 0);
		if (is_known)
			put(out, item->longest[i] - item->shortest[i]);
	}
}

static inline void get_extremes(struct varint_reader *in, struct merged_item *item)
{
	for (int i = 0; i < 4; i++) {
		wide shortest = varint_get(in);

		item->shortest[i] = UINT64_MAX;
		item->longest[i] = 0;
		if (!shortest)
			continue;
		item->shortest[i] = (uint64_t)(shortest - 1);
		item->longest[i] = item->shortest[i] + varint_get64(in);
		if (item->longest[i] < item->shortest[i])
			in->is_bad = 1;
	}
}

static void put_statistics(struct item_bytes *out, const struct merged_item *item)
{
	put(out, item->n_contributors);
	for (int i = 0; item->n_contributors && i < CINSTR_MERGED_VALUES; i++) {
		const struct merged_statistic *s = &item->of[i];

		put(out, s->squares);
		put(out, s->least);
		put(out, s->most - s->least);
		put(out, s->who_least);
		put(out, s->who_most);
	}
}

static inline void get_statistics(struct varint_reader *in, struct merged_item *item)
{
	item->n_contributors = varint_get32(in);
	for (int i = 0; item->n_contributors && i < CINSTR_MERGED_VALUES; i++) {
		struct merged_statistic *s = &item->of[i];

		s->squares = varint_get(in);
		s->least = varint_get64(in);
		s->most = s->least + varint_get64(in);
		s->who_least = varint_get32(in);
		s->who_most = varint_get32(in);
	}
}

static void put_buckets(struct item_bytes *out, const struct merged_bucket *buckets, uint32_t n)
{
	room_for_entry(out);
	put(out, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct merged_bucket *b = &buckets[i];

		room_for_entry(out);
		put(out, b->bits);
		put(out, b->intervals);
		put(out, b->voluntary);
		put(out, b->involuntary);
		put(out, b->ticks);
		put(out, b->off_cpu);
	}
}

/* ---- counted calls, samples ------------------------------------------------------------------ */

enum { KIND_MASK = 15, KIND_CYCLIC = 16, KIND_ESTIMATE = 32, KIND_MORE = 64 };
enum { MORE_BOUNDS = 15, MORE_MIXED = 16, MORE_INHERITED = 32 };

static void put_mixed(struct item_bytes *out, const struct merged_mixed *mixed, int is_estimate)
{
	put(out, mixed->counted);
	put(out, mixed->untimed);
	if (!is_estimate) {
		put(out, mixed->n);
		put(out, mixed->own);
		put(out, mixed->stubs);
		put(out, mixed->ticks);
		put(out, mixed->stub_ticks);
		put(out, mixed->spread);
		put(out, mixed->on_cpu);
		put(out, mixed->kept);
		return;
	}
	put(out, mixed->n_shares);
	for (uint32_t i = 0; i < mixed->n_shares; i++) {
		room_for_entry(out);
		put(out, mixed->shares[i].owner);
		put(out, mixed->shares[i].n);
	}
	flush(out);
}

static int has_more(const struct merged_item *item)
{
	return item->bounds || item->mixed || item->has_inherited;
}

static void put_more(struct item_bytes *out, const struct merged_item *item)
{
	if (!has_more(item))
		return;
	put(out, item->bounds | (item->mixed ? MORE_MIXED : 0) | (item->has_inherited ? MORE_INHERITED : 0));
	for (int i = 0; item->has_inherited && i < 4; i++)
		put(out, item->inherited[i]);
	if (item->mixed)
		put_mixed(out, item->mixed, item->is_estimate);
}

static uint32_t kind_bits(const struct merged_item *item)
{
	return item->kind | (item->is_cyclic ? KIND_CYCLIC : 0) | (item->is_estimate ? KIND_ESTIMATE : 0) |
	       (has_more(item) ? KIND_MORE : 0);
}

static void put_lists(struct item_bytes *out, const struct merged_item *item)
{
	uint32_t before = 0;

	put_buckets(out, item->buckets, item->n_buckets);
	put_buckets(out, item->after_buckets, item->n_after_buckets);
	room_for_entry(out);
	put(out, item->n_slots);
	for (uint32_t i = 0; i < item->n_slots; i++) {
		room_for_entry(out);
		put(out, item->slots[i].slot - before);
		put(out, item->slots[i].n);
		before = item->slots[i].slot;
	}
}

/* Every entry takes bytes: no more of them are believed than there are bytes left. */
static inline uint32_t get_number(struct varint_reader *in)
{
	uint32_t n = varint_get32(in);

	if (n <= (size_t)(in->end - in->at))
		return n;
	in->is_bad = 1;
	return 0;
}

static __attribute__((noinline)) void buckets_get(struct merged_reader *reader, uint32_t n)
{
	struct varint_reader *in = &reader->in;

	for (uint32_t i = 0; i < n; i++) {
		struct merged_bucket *b;

		ARRAY_ROOM(reader->buckets, reader->n_buckets, reader->size_buckets, 64);
		b = &reader->buckets[reader->n_buckets++];
		b->bits = varint_get32(in);
		b->intervals = varint_get64(in);
		b->voluntary = varint_get64(in);
		b->involuntary = varint_get64(in);
		b->ticks = varint_get(in);
		b->off_cpu = varint_get(in);
	}
}

static void shares_get(struct merged_reader *reader, struct merged_mixed *mixed)
{
	struct varint_reader *in = &reader->in;

	mixed->n_shares = get_number(in);
	for (uint32_t i = 0; i < mixed->n_shares; i++) {
		struct merged_share *share;

		ARRAY_ROOM(reader->shares, reader->n_shares, reader->size_shares, 64);
		share = &reader->shares[reader->n_shares++];
		share->owner = varint_get32(in);
		share->n = varint_get64(in);
	}
}

static __attribute__((noinline)) void more_get(struct merged_reader *reader, struct merged_item *item)
{
	struct varint_reader *in = &reader->in;
	uint32_t more = varint_get32(in);
	struct merged_mixed *mixed;

	item->bounds = more & MORE_BOUNDS;
	item->has_mixed = (more & MORE_MIXED) != 0;
	item->has_inherited = (more & MORE_INHERITED) != 0;
	for (int i = 0; item->has_inherited && i < 4; i++)
		item->inherited[i] = varint_get(in);
	if (!item->has_mixed)
		return;
	ARRAY_ROOM(reader->mixed, reader->n_mixed, reader->size_mixed, 64);
	mixed = &reader->mixed[reader->n_mixed++];
	*mixed = (struct merged_mixed){ .counted = varint_get64(in) };
	mixed->untimed = varint_get64(in);
	if (item->is_estimate) {
		shares_get(reader, mixed);
		return;
	}
	mixed->n = varint_get64(in);
	mixed->own = varint_get64(in);
	mixed->stubs = varint_get64(in);
	mixed->ticks = varint_get(in);
	mixed->stub_ticks = varint_get(in);
	mixed->spread = varint_get(in);
	mixed->on_cpu = varint_get(in);
	mixed->kept = varint_get(in);
}

/* Reads the parts that an item has only if a bit of its kind says so: few items have any. */
static inline void get_more(struct merged_reader *reader, struct varint_reader *in, struct merged_item *item,
			    uint32_t kind)
{
	item->bounds = item->has_mixed = item->has_inherited = 0;
	item->mixed = NULL;
	item->is_estimate = (kind & KIND_ESTIMATE) != 0;
	if (!(kind & KIND_MORE))
		return;
	reader->in = *in;
	more_get(reader, item);
	*in = reader->in;
}

/* `in` is reader->in in registers: few items have any. */
static inline uint32_t get_buckets(struct merged_reader *reader, struct varint_reader *in)
{
	uint32_t n = get_number(in);

	if (n) {
		reader->in = *in;
		buckets_get(reader, n);
		*in = reader->in;
	}
	return n;
}

static inline void get_slots(struct merged_reader *reader, struct varint_reader *in, uint32_t n)
{
	uint32_t slot = 0;

	for (uint32_t i = 0; i < n; i++) {
		ARRAY_ROOM(reader->slots, reader->n_slots, reader->size_slots, 64);
		slot += varint_get32(in);
		reader->slots[reader->n_slots++] = (struct merged_slot){ slot, varint_get64(in) };
	}
}

void merged_put_item(struct strbuf *out, const struct merged_item *item)
{
	struct item_bytes b;

	b.out = out;
	b.to = b.bytes;
	put(&b, item->up);
	put(&b, kind_bits(item));
	put_more(&b, item);
	put(&b, item->site);
	put(&b, item->func);
	put(&b, item->target);
	put(&b, item->calls);
	put(&b, item->open);
	put(&b, item->intervals);
	put(&b, item->elapsed);
	for (int i = 0; i < 3; i++)
		put(&b, item->overhead[i]);
	put(&b, merged_item_is_flat(item) ? item->flat_ticks : item->after);
	put(&b, merged_item_is_flat(item) ? item->flat_calls : item->after_overhead);
	put_extremes(&b, item);
	put_statistics(&b, item);
	put_lists(&b, item);
	flush(&b);
}

void merged_get_head(struct merged_reader *reader, struct merged_item *item)
{
	struct varint_reader in = reader->in;
	uint32_t kind;

	item->up = varint_get32(&in);
	kind = varint_get32(&in);
	item->is_cyclic = kind & KIND_CYCLIC ? CINSTR_CELL_CYCLIC : 0;
	item->kind = kind & KIND_MASK;
	get_more(reader, &in, item, kind);
	item->site = varint_get32(&in);
	item->func = varint_get32(&in);
	item->target = varint_get64(&in);
	item->calls = varint_get64(&in);
	item->open = varint_get64(&in);
	item->intervals = varint_get64(&in);
	item->elapsed = varint_get(&in);
	for (int i = 0; i < 3; i++)
		item->overhead[i] = varint_get(&in);
	item->flat_ticks = item->after = varint_get(&in);
	item->flat_calls = item->after_overhead = varint_get(&in);
	if (merged_item_is_flat(item)) {
		in.is_bad |= item->after_overhead > UINT64_MAX;
		item->after = item->after_overhead = 0;
	} else {
		item->flat_ticks = item->flat_calls = 0;
	}
	reader->in = in;
}

void merged_get_rest(struct merged_reader *reader, struct merged_item *item)
{
	struct varint_reader in = reader->in;

	get_extremes(&in, item);
	get_statistics(&in, item);
	item->n_buckets = get_buckets(reader, &in);
	item->n_after_buckets = get_buckets(reader, &in);
	item->n_slots = get_number(&in);
	get_slots(reader, &in, item->n_slots);
	reader->in = in;
}
