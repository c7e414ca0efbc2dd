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

static struct merged_wait get_wait(struct varint_reader *in)
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
	return wait;
}

void merged_put_wait(struct strbuf *out, const struct merged_wait *wait)
{
	const char *const texts[] = { wait->object, wait->module, wait->thread };

	varint_put(out, wait->kind);
	varint_put(out, wait->known | wait->is_unlike << KNOWN_UNLIKE_AT | wait->readers << KNOWN_READERS_AT);
	varint_put(out, wait->waiter);
	varint_put(out, wait->giver);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		varint_put(out, strlen(texts[i]));
		strbuf_add(out, texts[i], strlen(texts[i]) + 1);
	}
	varint_put(out, wait->n_objects);
	varint_put(out, wait->waits);
	varint_put(out, wait->time);
	varint_put(out, wait->longest);
}

void merged_waits_read(struct data *data)
{
	struct merged *merged = data->merged;
	size_t n, size = 0;
	const struct data_segment *own = data_segments_of(data, 0, &n);

	for (size_t i = 0; i < n; i++) {
		const unsigned char *at = (const unsigned char *)data->memory + own[i].offset;
		struct varint_reader in = { .at = at, .end = at + own[i].used };

		while (own[i].type == CINSTR_SEG_WAITS && in.at < in.end) {
			struct merged_wait wait = get_wait(&in);

			if (in.is_bad) {
				data_problem(data, own[i].offset, "what was waited for is damaged");
				break;
			}
			ARRAY_ROOM(merged->waits, merged->n_waits, size, 64);
			merged->waits[merged->n_waits++] = wait;
		}
	}
}
