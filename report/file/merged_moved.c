/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged_moved.c - reads and writes what merged processes have read and written (merged.h). */
#include "cinstr/amounts.h"
#include "data.h"
#include "lib/array.h"
#include "merged.h"

static struct merged_moved get_moved(struct varint_reader *in, const struct cinstr_merged *head)
{
	struct merged_moved moved = { .item = varint_get32(in), .kind = varint_get32(in) };

	moved.is_others = varint_get32(in);
	moved.file = merged_get_text(in);
	moved.calls = varint_get64(in);
	moved.failed = varint_get64(in);
	moved.bytes = varint_get64(in);
	moved.largest = varint_get64(in);
	moved.time = varint_get(in);
	in->is_bad |= moved.item >= (uint64_t)head->n_nodes + head->n_flats ||
		      moved.kind >= CINSTR_AMOUNT_KINDS || moved.is_others > 1;
	return moved;
}

void merged_put_moved(struct strbuf *out, const struct merged_moved *moved)
{
	varint_put(out, moved->item);
	varint_put(out, moved->kind);
	varint_put(out, moved->is_others);
	varint_put(out, strlen(moved->file));
	strbuf_add(out, moved->file, strlen(moved->file) + 1);
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
	struct merged *merged = data->merged;
	size_t n, size = 0;
	const struct data_segment *own = data_segments_of(data, 0, &n);

	for (size_t i = 0; i < n; i++) {
		const unsigned char *at = (const unsigned char *)data->memory + own[i].offset;
		struct varint_reader in = { .at = at, .end = at + own[i].used };

		while (own[i].type == CINSTR_SEG_FILES && in.at < in.end) {
			struct merged_moved moved = get_moved(&in, merged->head);

			if (in.is_bad ||
			    (merged->n_moved && moved.item < merged->moved[merged->n_moved - 1].item)) {
				data_problem(data, own[i].offset, "what was read and written is damaged");
				merged->n_moved = 0;
				break;
			}
			ARRAY_ROOM(merged->moved, merged->n_moved, size, 64);
			merged->moved[merged->n_moved++] = moved;
		}
	}
	if (merged->n_moved && !data->is_to_merge)
		thread_moved_make(data);
}
