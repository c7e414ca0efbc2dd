/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_code.c - what machine code tells where unwind information does not: whether an address is one that a call returns to,
 * where stacks begin, and whether an image's functions keep frame pointers. See internal.h, unwind.h.
 */
#include <string.h>

#include "internal.h"
#include "lib/util.h"
#include "unwind.h"

/* Functions looked at to know the habits of an image. */
#define FUNCTIONS_ASKED 200
#define RBP 6

/* Bytes [address, address + n) of the code; 0: not all of them can be read. */
static int read_code(const struct space *space, uint64_t address, uint8_t *bytes, size_t n)
{
	const struct mapped_image *mapped = space_find(space, address);

	return mapped && mapped->image &&
	       image_unwind_read(mapped->image, address - mapped->base, bytes, n) == n;
}

/* Length of `call *operand`, of which n bytes are there; 0: it is none. */
static size_t indirect_call_bytes(const uint8_t *code, size_t n)
{
	static const uint8_t displacement[] = { 0, 1, 4, 0 };
	uint8_t mode, operand;
	size_t bytes;

	if (n < 2 || code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return 0;
	mode = code[1] >> 6;
	operand = code[1] & 7;
	bytes = 2u + displacement[mode];
	if (mode != 3 && operand == 4) {
		bytes++;
		if (mode == 0 && n > 2 && (code[2] & 7) == 5)
			bytes += 4;
	}
	if (mode == 0 && operand == 5)
		bytes += 4;
	return bytes;
}

int code_is_after_call(const struct space *space, uint64_t address)
{
	uint8_t code[7];

	if (!read_code(space, address - sizeof(code), code, sizeof(code)) || code[2] == 0xe8)
		return 1;
	for (size_t i = 0; i + 2 <= sizeof(code); i++)
		if (indirect_call_bytes(code + i, sizeof(code) - i) == sizeof(code) - i)
			return 1;
	return 0;
}

int code_is_outermost_call(const struct space *space, uint64_t address)
{
	static const struct {
		uint8_t bytes[5];
		size_t n;
	} codes[] = {
		{ { 0x89, 0xc7, 0xe8 }, 3 },	   /* exit(main(...)) */
		{ { 0x48, 0x89, 0xc7, 0xe8 }, 4 }, /* pthread_exit(start(arg)) */
		{ { 0x64, 0x48, 0x89, 0x04, 0x25 },
		  5 }, /* the thread's result = start(arg), which is an int in C11's */
		{ { 0x48, 0x98, 0x64, 0x48, 0x89 }, 5 },
	};
	uint8_t code[5];

	if (!read_code(space, address, code, sizeof(code)))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (!memcmp(code, codes[i].bytes, codes[i].n))
			return 1;
	return 0;
}

/* ---- frame pointers ------------------------------------------------------------------------------ */

/* Address and size of the function number i of the table. */
static int function_at(struct image *image, const struct frames_table *table, uint64_t i, uint64_t *address,
		       uint64_t *bytes)
{
	int32_t pair[4];

	if (i + 1 >= table->n ||
	    image_unwind_read(image, table->entries + 8 * i, pair, sizeof(pair)) != sizeof(pair) ||
	    pair[2] <= pair[0])
		return -1;
	*address = table->function_base + (uint64_t)(int64_t)pair[0];
	*bytes = (uint64_t)((int64_t)pair[2] - pair[0]);
	return 0;
}

enum habit { NO_FRAME, FRAME_WITHOUT_POINTER, FRAME_WITH_POINTER };

/* The stub that calls the dynamic linker begins with pushing: it is the linker's, whatever the compiler was told. */
static int is_plt(struct image *image, uint64_t address)
{
	uint8_t code[2];

	return image_unwind_read(image, address, code, 2) == 2 && code[0] == 0xff && code[1] == 0x35;
}

/* Early in a function the frame is not made yet, and in parts of some it never is. */
static enum habit habit_of(struct asker *asker, struct image *image, uint64_t address, uint64_t bytes)
{
	enum habit habit = NO_FRAME;

	for (int part = 1; part <= 3 && !is_plt(image, address); part++) {
		struct rule rule;

		asker_learn(asker, image, address + bytes * (unsigned int)part / 4, &rule);
		if (rule.kind != RULE_STEP)
			continue;
		if (rule.cfa_register == RBP)
			return FRAME_WITH_POINTER;
		if (rule.cfa_in_memory || rule.cfa_offset > 8)
			habit = FRAME_WITHOUT_POINTER;
	}
	return habit;
}

int unwind_has_frame_pointers(struct image *image)
{
	const struct frames_table *table = image_frames(image, FRAMES_EH);
	struct asker *asker = asker_new();
	uint64_t every = table && table->n > FUNCTIONS_ASKED ? table->n / FUNCTIONS_ASKED : 1;
	size_t with = 0, without = 0;

	for (uint64_t i = 0; table && i < table->n && i / every < FUNCTIONS_ASKED; i += every) {
		uint64_t address, bytes;

		if (function_at(image, table, i, &address, &bytes))
			continue;
		switch (habit_of(asker, image, address, bytes)) {
		case FRAME_WITH_POINTER:
			with++;
			break;
		case FRAME_WITHOUT_POINTER:
			without++;
			break;
		default:
			break;
		}
	}
	asker_release(asker);
	return with && with >= 9 * without;
}
