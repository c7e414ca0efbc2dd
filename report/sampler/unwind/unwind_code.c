/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_code.c - analyses machine code where there is no unwind information: whether an address is
 * one that a call returns to, where stacks begin, and whether an image's functions keep frame
 * pointers. See internal.h, unwind.h.
 */
#include <string.h>

#include "arch/machine_code.h"
#include "cinstr/abi.h"
#include "internal.h"
#include "unwind.h"

/* Functions looked at to know the habits of an image. */
#define FUNCTIONS_ASKED 200

/* Bytes [address, address + n) of the code; 0: not all of them can be read. */
static int read_code(const struct space *space, uint64_t address, uint8_t *bytes, size_t n)
{
	const struct mapped_image *mapped = space_find(space, address);

	return mapped && mapped->image &&
	       image_unwind_read(mapped->image, address - mapped->base, bytes, n) == n;
}

int code_is_after_call(const struct space *space, uint64_t address)
{
	uint8_t code[MACHINE_CALL_BYTES];

	return !read_code(space, address - sizeof(code), code, sizeof(code)) || code_ends_with_call(code);
}

int code_is_after_sled(const struct space *space, uint64_t address)
{
	static const uint8_t sled[] = CINSTR_SLED_NOP;
	uint8_t code[sizeof(sled)];

	return read_code(space, address - sizeof(code), code, sizeof(code)) &&
	       !memcmp(code, sled, sizeof(sled));
}

int code_is_outermost_call(const struct space *space, uint64_t address)
{
	uint8_t code[MACHINE_PASS_ON_BYTES];

	return read_code(space, address, code, sizeof(code)) && code_passes_result_on(code);
}

/* ---- frame pointers -------------------------------------------------------------------------- */

/* Address and size of the function number i of the table. */
static int function_at(struct image *image, const struct functions *functions, uint64_t i, uint64_t *address,
		       uint64_t *bytes)
{
	int32_t pair[4];

	if (i + 1 >= functions->n ||
	    image_unwind_read(image, functions->entries + 8 * i, pair, sizeof(pair)) != sizeof(pair) ||
	    pair[2] <= pair[0])
		return -1;
	*address = functions->base + (uint64_t)(int64_t)pair[0];
	*bytes = (uint64_t)((int64_t)pair[2] - pair[0]);
	return 0;
}

enum habit { NO_FRAME, FRAME_WITHOUT_POINTER, FRAME_WITH_POINTER };

/* Its stubs are the linker's, whatever the compiler was told. */
static int is_plt(struct image *image, uint64_t address)
{
	uint8_t code[MACHINE_LAZY_STUB_BYTES];

	return image_unwind_read(image, address, code, sizeof(code)) == sizeof(code) &&
	       code_is_lazy_stub(code);
}

/* Early in a function the frame is not made yet, and in parts of some it never is. */
static enum habit habit_of(struct image *image, uint64_t address, uint64_t bytes)
{
	enum habit habit = NO_FRAME;

	for (int part = 1; part <= 3 && !is_plt(image, address); part++) {
		struct rule rule;

		cfi_learn(image, address + bytes * (unsigned int)part / 4, &rule);
		if (rule.kind != RULE_STEP)
			continue;
		if (rule.cfa_register == MACHINE_FP)
			return FRAME_WITH_POINTER;
		if (rule.cfa_in_memory || rule.cfa_offset > MACHINE_CFA_AT_ENTRY)
			habit = FRAME_WITHOUT_POINTER;
	}
	return habit;
}

int unwind_has_frame_pointers(struct image *image)
{
	struct functions functions;
	uint64_t every;
	size_t with = 0, without = 0;

	if (image_functions(image, &functions))
		return 0;
	every = functions.n > FUNCTIONS_ASKED ? functions.n / FUNCTIONS_ASKED : 1;
	for (uint64_t i = 0; i < functions.n && i / every < FUNCTIONS_ASKED; i += every) {
		uint64_t address, bytes;

		if (function_at(image, &functions, i, &address, &bytes))
			continue;
		switch (habit_of(image, address, bytes)) {
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
	return with && with >= 9 * without;
}
