/* SPDX-License-Identifier: MIT */
/* reading.h - splits an instruction of x86-64 into its fields; only for instructions.c and the
 * command's operations.c. */
#ifndef CINSTR_ARCH_X86_64_READING_H
#define CINSTR_ARCH_X86_64_READING_H

#include <stddef.h>
#include <stdint.h>

/* Bits for the bytes that follow an opcode. */
enum {
	M = 1,	     /* ModRM */
	I1 = 2,	     /* a byte */
	I2 = 4,	     /* two bytes */
	I4 = 8,	     /* four bytes; with the operand-size prefix two */
	IV = 16,     /* as I4; with REX.W eight */
	A8 = 32,     /* an address: eight bytes */
	NO = 64,     /* not known */
	GROUP3 = 128 /* an immediate operand if ModRM says so */
};

struct reading {
	const uint8_t *code;
	size_t n, at;	/* n: bytes of code; at: current position */
	int wide;	/* REX.W */
	int is_short;	/* operand-size prefix */
	int is_address; /* address-size prefix */
	int is_locked;
	int is_vector; /* VEX, EVEX */
	int map;       /* 1: one byte, 2: after 0f, 3: after 0f 38, 4: after 0f 3a */
	int sib;       /* -1: none */
	uint8_t opcode, modrm;
	uint8_t rex;	/* W, R, X, B: 8, 4, 2, 1 */
	uint8_t repeat; /* prefix f2 or f3 */
	uint8_t vvvv;	/* VEX: the register operand in addition to ModRM's */
	size_t displacement_at, displacement_bytes;
};

/* Reads up to the immediate operand. Returns bits for what follows the opcode; NO: not known. */
int reading_make(struct reading *reading, const uint8_t *code, size_t n);

#endif
