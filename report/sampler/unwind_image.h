/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unwind_image.h - unwind.c's part of an image. See unwind_image.c. */
#ifndef SAMPLER_UNWIND_IMAGE_H
#define SAMPLER_UNWIND_IMAGE_H

#include "unwind_parts.h"

#define BLOCKS 32
#define BLOCK_BYTES 4096
#define MADE_ADDRESS (1ull << 52)

struct image_unwind {
	struct block {
		uint64_t number;
		uint8_t *bytes; /* BLOCK_BYTES; NULL: free */
		size_t n;	/* that there were */
	} blocks[BLOCKS];
	struct frames_table tables[N_FRAMES];
	uint8_t is_read[N_FRAMES], has[N_FRAMES];
	uint8_t *made; /* tables and information that were made here, from MADE_ADDRESS on */
	size_t made_bytes;
};

#endif
