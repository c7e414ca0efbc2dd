/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged_waits.c - reads and writes the waits of threads of merged processes (merged.h). */
#include "cinstr/objects.h"
#include "data.h"
#include "lib/array.h"
#include "merged.h"

#define KNOWN_MAX 2
/* The number that says how much is known: bits 0-1 `known`, bit 2 `is_unlike`, then `readers`. */
#define KNOWN_BITS 3u
#define KNOWN_UNLIKE_AT 2
#define KNOWN_READERS_AT 3

static void get_wait(struct merged *merged, struct varint_reader *in)
{
	struct merged_wait wait = { .kind = varint_get32(in) };
	uint32_t known = varint_get32(in);

	wait.known = known & KNOWN_BITS;
	wait.is_unlike = known >> KNOWN_UNLIKE_AT & 1;
	wait.readers = known >> KNOWN_READERS_AT;
	wait.waiter = varint_get32(in);
	wait.giver = varint_get32(in);
	wait.object = merged_get_text(in);
	wait.module = merged_get_text(in);
	wait.thread = merged_get_text(in);
	wait.n_objects = varint_get64(in);
	wait.waits = varint_get64(in);
	wait.time = varint_get(in);
	wait.longest = varint_get(in);
	in->is_bad |= wait.kind >= CINSTR_OBJECT_KINDS || wait.known > KNOWN_MAX;
	if (in->is_bad)
		return;
	ARRAY_ONE_MORE(merged->waits, merged->n_waits);
	merged->waits[merged->n_waits++] = wait;
}

void merged_put_wait(struct strbuf *out, const struct merged_wait *wait)
{
	varint_put(out, wait->kind);
	varint_put(out, wait->known | wait->is_unlike << KNOWN_UNLIKE_AT | wait->readers << KNOWN_READERS_AT);
	varint_put(out, wait->waiter);
	varint_put(out, wait->giver);
	merged_put_text(out, wait->object);
	merged_put_text(out, wait->module);
	merged_put_text(out, wait->thread);
	varint_put(out, wait->n_objects);
	varint_put(out, wait->waits);
	varint_put(out, wait->time);
	varint_put(out, wait->longest);
}

void merged_waits_read(struct data *data)
{
	merged_each_record(data, CINSTR_SEG_WAITS, get_wait, "what was waited for is damaged");
}
