/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_image.c - what unwinding reads of an image: its memory as the program headers lay it out,
 * and where the tables of its unwind information are. See internal.h.
 *
 * Files are read, not mapped: one that is made shorter meanwhile must not end the collector. A few
 * blocks are kept of each, which is enough, as each address is looked up once.
 */
#include "unwind_image.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "sampler/images/image.h"

static struct image_unwind *state(struct image *image)
{
	if (!image->unwind)
		image->unwind = xcalloc(1, sizeof(*image->unwind));
	return image->unwind;
}

void unwind_image_release(struct image *image)
{
	if (!image->unwind)
		return;
	for (size_t i = 0; i < BLOCKS; i++)
		free(image->unwind->blocks[i].bytes);
	for (int i = 0; i < N_FRAMES; i++)
		free(image->unwind->made[i].bytes);
	free(image->unwind);
	image->unwind = NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct block *block_at(struct image *image, uint64_t number)
{
	struct block *block = &state(image)->blocks[number % BLOCKS];

	if (block->bytes && block->number == number)
		return block;
	if (!block->bytes)
		block->bytes = xcalloc(BLOCK_BYTES, 1);
	block->number = number;
	block->n = image_read(image, number * BLOCK_BYTES, block->bytes, BLOCK_BYTES);
	return block;
}

static size_t read_file(struct image *image, uint64_t offset, uint8_t *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const struct block *block = block_at(image, (offset + done) / BLOCK_BYTES);
		size_t at = (size_t)((offset + done) % BLOCK_BYTES), some = n - done;

		if (at >= block->n)
			break;
		if (some > block->n - at)
			some = block->n - at;
		memcpy(bytes + done, block->bytes + at, some);
		done += some;
	}
	return done;
}

static size_t read_made(const struct image_unwind *u, uint64_t address, void *bytes, size_t n)
{
	for (int i = 0; i < N_FRAMES; i++) {
		const struct made *made = &u->made[i];
		uint64_t at = address - made->address;

		if (at >= made->n)
			continue;
		if (n > made->n - at)
			n = (size_t)(made->n - at);
		memcpy(bytes, made->bytes + at, n);
		return n;
	}
	return 0;
}

size_t image_unwind_read(struct image *image, uint64_t address, void *bytes, size_t n)
{
	if (address >= MADE_ADDRESS)
		return image->unwind ? read_made(image->unwind, address, bytes, n) : 0;
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *s = &image->segments[i];
		uint64_t at = address - s->address;

		if (at < s->file_bytes)
			return read_file(image, s->offset + at, bytes,
					 n < s->file_bytes - at ? n : (size_t)(s->file_bytes - at));
	}
	return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* DW_EH_PE_*: the ones that linkers write. */
enum { SDATA4 = 0x0b, UDATA4 = 0x03, PC_RELATIVE = 0x10, DATA_RELATIVE = 0x30 };

/* The header that linkers write: version 1, .eh_frame's address, number of functions, then pairs of
 * offsets from the header. */
static int read_header(struct image *image, struct frames_table *table)
{
	uint8_t head[12];
	uint32_t n;

	if (!image->eh_frame_hdr ||
	    image_unwind_read(image, image->eh_frame_hdr, head, sizeof(head)) != sizeof(head) ||
	    head[0] != 1 || (head[1] & 0x0f) != SDATA4 || head[2] != UDATA4 ||
	    head[3] != (DATA_RELATIVE | SDATA4))
		return 0;
	memcpy(&n, head + 8, sizeof(n));
	table->segment_base = table->function_base = image->eh_frame_hdr;
	table->entries = image->eh_frame_hdr + sizeof(head);
	table->n = n;
	return n != 0;
}

const struct frames_table *image_frames(struct image *image, enum frames_kind kind)
{
	struct image_unwind *u = state(image);

	if (!u->is_read[kind]) {
		u->is_read[kind] = 1;
		u->made[kind].address = MADE_ADDRESS + ((uint64_t)kind << 40);
		u->has[kind] = (kind == FRAMES_EH && read_header(image, &u->tables[kind])) ||
			       unwind_tables_make(image, kind, &u->made[kind], &u->tables[kind]);
	}
	return u->has[kind] ? &u->tables[kind] : NULL;
}
