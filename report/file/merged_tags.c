/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged_tags.c - reads and writes the values of tags of merged processes (merged.h). */
#include "cinstr/amounts.h"
#include "data.h"
#include "lib/array.h"
#include "merged.h"

static void get_tag(struct merged *merged, struct varint_reader *in)
{
	uint64_t n_items = (uint64_t)merged->head->n_nodes + merged->head->n_flats;
	struct merged_tag tag = { .name = merged_get_text(in) };

	tag.is_others = varint_get32(in);
	tag.is_open = varint_get32(in);
	tag.id = (int64_t)varint_get64(in);
	tag.times = varint_get64(in);
	tag.time = varint_get(in);
	tag.waiting = varint_get(in);
	tag.longest = varint_get(in);
	tag.cell = varint_get32(in);
	tag.slow_cell = varint_get32(in);
	tag.who = varint_get32(in);
	in->is_bad |= tag.is_others > 1 || tag.is_open > 1 || !tag.times || tag.cell > n_items ||
		      tag.slow_cell > n_items || tag.who >= merged->head->n_contributors;
	if (in->is_bad)
		return;
	ARRAY_ONE_MORE(merged->tags, merged->n_tags);
	merged->tags[merged->n_tags++] = tag;
}

void merged_put_tag(struct strbuf *out, const struct merged_tag *tag)
{
	merged_put_text(out, tag->name);
	varint_put(out, tag->is_others);
	varint_put(out, tag->is_open);
	varint_put(out, (uint64_t)tag->id);
	varint_put(out, tag->times);
	varint_put(out, tag->time);
	varint_put(out, tag->waiting);
	varint_put(out, tag->longest);
	varint_put(out, tag->cell);
	varint_put(out, tag->slow_cell);
	varint_put(out, tag->who);
}

const char *merged_name(const struct merged *merged, uint32_t place)
{
	if (place < merged->n_moved)
		return merged->moved[place].file;
	place -= (uint32_t)merged->n_moved;
	return place < merged->n_tags ? merged->tags[place].name : NULL;
}

static void thread_tags_make(struct data *data)
{
	const struct merged *merged = data->merged;
	struct tags *tags = &data->threads[0].tags;
	uint32_t first = (uint32_t)((uint64_t)((const char *)merged->cells - data->memory) /
				    sizeof(struct cinstr_cell));

	for (size_t i = 0; i < merged->n_tags; i++) {
		const struct merged_tag *from = &merged->tags[i];

		ARRAY_ROOM(tags->list, tags->n, tags->size, 16);
		tags->list[tags->n++] = (struct tag_item){
			.name = *from->name ? CINSTR_FILE_FIRST + (uint32_t)(merged->n_moved + i)
					    : CINSTR_FILE_OTHER,
			.is_others = (int)from->is_others,
			.is_open = (int)from->is_open,
			.id = from->id,
			.times = from->times,
			.ticks = merged_ticks(merged, from->time),
			.waiting = merged_ticks(merged, from->waiting),
			.longest = merged_ticks(merged, from->longest),
			.cell = from->cell ? first + from->cell - 1 : 0,
			.slow_cell = from->slow_cell ? first + from->slow_cell - 1 : 0,
		};
	}
}

void merged_tags_read(struct data *data)
{
	if (merged_each_record(data, CINSTR_SEG_MERGED_TAGS, get_tag, "what was tagged is damaged"))
		data->merged->n_tags = 0;
	if (data->merged->n_tags && !data->is_to_merge)
		thread_tags_make(data);
}
