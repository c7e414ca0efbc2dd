/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_image.c - reads an image for unwinding: its memory as laid out by the program headers, and
 * the table of its functions. See internal.h. Files are read, not mapped: a file truncated
 * meanwhile must not end the collector. A few blocks are cached for each, which is enough, as each
 * address is looked up once.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "sampler/images/image.h"
#include "unwind_cfi.h"

#define BLOCKS 32
#define BLOCK_BYTES 4096

struct image_unwind {
	struct block {
		uint64_t number;
		uint8_t *bytes; /* BLOCK_BYTES; NULL: free */
		size_t n;	/* that there were */
	} blocks[BLOCKS];
	struct unwind_cfi cfi;
};

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
	unwind_cfi_release(&image->unwind->cfi);
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

size_t image_unwind_read(struct image *image, uint64_t address, void *bytes, size_t n)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *s = &image->segments[i];
		uint64_t at = address - s->address;

		if (at < s->file_bytes)
			return read_file(image, s->offset + at, bytes,
					 n < s->file_bytes - at ? n : (size_t)(s->file_bytes - at));
	}
	return 0;
}

struct unwind_cfi *image_unwind_cfi(struct image *image)
{
	return &state(image)->cfi;
}

/* ---- the table of functions ------------------------------------------------------------------ */

/* DW_EH_PE_*: the ones that linkers write. */
enum { SDATA4 = 0x0b, UDATA4 = 0x03, DATA_RELATIVE = 0x30 };

/* .eh_frame_hdr as linkers write it: version 1, .eh_frame's address, number of functions, pairs. */
int image_functions(struct image *image, struct functions *functions)
{
	uint8_t head[12];
	uint32_t n;

	if (!image->eh_frame_hdr ||
	    image_unwind_read(image, image->eh_frame_hdr, head, sizeof(head)) != sizeof(head) ||
	    head[0] != 1 || (head[1] & 0x0f) != SDATA4 || head[2] != UDATA4 ||
	    head[3] != (DATA_RELATIVE | SDATA4))
		return -1;
	memcpy(&n, head + 8, sizeof(n));
	*functions = (struct functions){ image->eh_frame_hdr, image->eh_frame_hdr + sizeof(head), n };
	return n ? 0 : -1;
}
