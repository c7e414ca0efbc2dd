/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged_moved.c - reads and writes what merged processes have read and written (merged.h). */
#include "cinstr/amounts.h"
#include "data.h"
#include "lib/array.h"
#include "merged.h"

static void get_moved(struct merged *merged, struct varint_reader *in)
{
	struct merged_moved moved = { .item = varint_get32(in), .kind = varint_get32(in) };

	moved.is_others = varint_get32(in);
	moved.file = merged_get_text(in);
	moved.calls = varint_get64(in);
	moved.failed = varint_get64(in);
	moved.bytes = varint_get64(in);
	moved.largest = varint_get64(in);
	moved.time = varint_get(in);
	in->is_bad |= moved.item >= (uint64_t)merged->head->n_nodes + merged->head->n_flats ||
		      (merged->n_moved && moved.item < merged->moved[merged->n_moved - 1].item) ||
		      moved.kind >= CINSTR_AMOUNT_KINDS || moved.is_others > 1;
	if (in->is_bad)
		return;
	ARRAY_ONE_MORE(merged->moved, merged->n_moved);
	merged->moved[merged->n_moved++] = moved;
}

void merged_put_moved(struct strbuf *out, const struct merged_moved *moved)
{
	varint_put(out, moved->item);
	varint_put(out, moved->kind);
	varint_put(out, moved->is_others);
	merged_put_text(out, moved->file);
	varint_put(out, moved->calls);
	varint_put(out, moved->failed);
	varint_put(out, moved->bytes);
	varint_put(out, moved->largest);
	varint_put(out, moved->time);
}

static uint32_t file_number(const struct merged_moved *moved, size_t i)
{
	if (moved->is_others)
		return CINSTR_FILE_OTHER;
	return *moved->file ? CINSTR_FILE_FIRST + (uint32_t)i : CINSTR_FILE_UNKNOWN;
}

static void thread_moved_make(struct data *data)
{
	const struct merged *merged = data->merged;
	struct moved *moved = &data->threads[0].moved;
	uint64_t first = (uint64_t)((const char *)merged->cells - data->memory) / sizeof(struct cinstr_cell);

	for (size_t i = 0; i < merged->n_moved; i++) {
		const struct merged_moved *from = &merged->moved[i];

		ARRAY_ROOM(moved->list, moved->n, moved->size, 16);
		moved->list[moved->n++] = (struct moved_item){
			.cell = (uint32_t)first + from->item,
			.file = file_number(from, i),
			.kind = from->kind,
			.sums = { from->calls, from->failed, from->bytes, merged_ticks(merged, from->time),
				  from->largest },
		};
	}
	moved_sort(&data->threads[0]);
}

void merged_moved_read(struct data *data)
{
	if (merged_each_record(data, CINSTR_SEG_FILES, get_moved, "what was read and written is damaged"))
		data->merged->n_moved = 0;
	if (data->merged->n_moved && !data->is_to_merge)
		thread_moved_make(data);
}
