/* SPDX-License-Identifier: GPL-3.0-or-later */
/* change.h - changes of a data file in memory that an input of the fuzzer asks for. */
#ifndef FUZZ_CHANGE_H
#define FUZZ_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_FILE_MAX (1u << 20)

struct reader {
	const uint8_t *at;
	size_t left;
};

/* The next n bytes of the input as a number; what is missing is 0. */
uint32_t take(struct reader *r, size_t n);

struct image {
	uint8_t *bytes; /* room for FUZZ_FILE_MAX */
	size_t size;
	int is_flat; /* has no segments: a table, or a packed file */
};

/* Words of the header and of what segments use, until the input ends. */
void change_words(struct image *image, struct reader *r);
/*
 * The same, among changes that know what segments consist of: elements copied, moved, removed,
 * stamps that jump, references to other elements, segments of `donor` taken over. They fall on what
 * is not zero.
 */
void change_elements(struct image *image, struct reader *r, const struct image *donor);
/* Makes the checksums right again, without which no change would get past them. */
void checksums_mend(struct image *image);
/* Packs it as `cinstr pack` does. */
void image_pack(struct image *image);

#endif
