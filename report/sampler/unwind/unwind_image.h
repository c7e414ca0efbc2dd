/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unwind_image.h - unwind.c's part of an image. See unwind_image.c. */
#ifndef SAMPLER_UNWIND_IMAGE_H
#define SAMPLER_UNWIND_IMAGE_H

#include "internal.h"

#define BLOCKS 32
#define BLOCK_BYTES 4096
#define MADE_ADDRESS (1ull << 52)

/* Tables and information that were made here; they lie where no file's addresses are. */
struct made {
	uint64_t address;
	uint8_t *bytes;
	size_t n;
};

struct image_unwind {
	struct block {
		uint64_t number;
		uint8_t *bytes; /* BLOCK_BYTES; NULL: free */
		size_t n;	/* that there were */
	} blocks[BLOCKS];
	struct frames_table tables[N_FRAMES];
	uint8_t is_read[N_FRAMES], has[N_FRAMES];
	struct made made[N_FRAMES];
};

/* unwind_tables.c. Whether there are functions in the image's section of that kind. */
int unwind_tables_make(struct image *image, enum frames_kind kind, struct made *made,
		       struct frames_table *table);

#endif
