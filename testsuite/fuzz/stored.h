/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stored.h - a file on the disk of which only pages that differ are written again. */
#ifndef FUZZ_STORED_H
#define FUZZ_STORED_H

#include <stddef.h>
#include <stdint.h>

struct stored {
	char path[96];
	uint8_t *bytes; /* what is in the file; zeros from `size` to FUZZ_FILE_MAX */
	size_t size;
	int is_known; /* 0: somebody else may have changed or replaced it */
};

/* Makes the file hold these bytes; aborts if it cannot. */
void stored_write(struct stored *stored, const uint8_t *bytes, size_t n);

#endif
