/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_code.c - see arch/machine_code.h. */
#include "arch/machine_code.h"

#include <string.h>

#include "lib/util.h"

/* ---- calls ----------------------------------------------------------------------------------- */

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

int code_ends_with_call(const uint8_t code[MACHINE_CALL_BYTES])
{
	if (code[2] == 0xe8)
		return 1;
	for (size_t i = 0; i + 2 <= MACHINE_CALL_BYTES; i++)
		if (indirect_call_bytes(code + i, MACHINE_CALL_BYTES - i) == MACHINE_CALL_BYTES - i)
			return 1;
	return 0;
}

int code_passes_result_on(const uint8_t code[MACHINE_PASS_ON_BYTES])
{
	static const struct {
		uint8_t bytes[MACHINE_PASS_ON_BYTES];
		size_t n;
	} codes[] = {
		{ { 0x89, 0xc7, 0xe8 }, 3 },	   /* exit(main(...)) */
		{ { 0x48, 0x89, 0xc7, 0xe8 }, 4 }, /* pthread_exit(start(arg)) */
		/* The thread's result = start(arg), which is an int in C11's. */
		{ { 0x64, 0x48, 0x89, 0x04, 0x25 }, 5 },
		{ { 0x48, 0x98, 0x64, 0x48, 0x89 }, 5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (!memcmp(code, codes[i].bytes, codes[i].n))
			return 1;
	return 0;
}

/* mov $15, %rax; syscall. At either of them, or, in the kernel, behind. */
const struct code_sigreturn code_sigreturn = {
	.bytes = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 },
	.offsets = { 0, 7, 9 },
};

/* lea offset(%rip), %reg */
uint64_t code_address_made(const uint8_t *code, size_t n, uint64_t address)
{
	int32_t offset;

	if (n != 7 || (code[0] & 0xf8) != 0x48 || code[1] != 0x8d || (code[2] & 0xc7) != 0x05)
		return 0;
	memcpy(&offset, code + 3, sizeof(offset));
	return address + n + (uint64_t)(int64_t)offset;
}

/* ---- stubs ----------------------------------------------------------------------------------- */

size_t code_stub_bytes(uint64_t entry_bytes)
{
	return entry_bytes == 8 ? 8 : 16;
}

/* It begins with a push of what is in memory: no function does, whatever the compiler was told. */
int code_is_lazy_stub(const uint8_t code[MACHINE_LAZY_STUB_BYTES])
{
	return code[0] == 0xff && code[1] == 0x35;
}

/* jmp *slot(%rip) */
int code_stub_slot(const uint8_t *code, size_t n, uint64_t address, size_t *at, uint64_t *slot)
{
	int32_t offset;

	for (size_t i = *at; i + 6 <= n; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25) {
			memcpy(&offset, code + i + 2, sizeof(offset));
			*slot = address + i + 6 + (uint64_t)(int64_t)offset;
			*at = i + 1;
			return 1;
		}
	return 0;
}

/* push $number, perhaps behind endbr64 */
int code_stub_number(const uint8_t *code, size_t n, size_t *at, uint32_t *number)
{
	for (; *at <= 4 && *at + 5 <= n; *at += 4)
		if (code[*at] == 0x68) {
			memcpy(number, code + *at + 1, sizeof(*number));
			*at += 4;
			return 1;
		}
	return 0;
}
