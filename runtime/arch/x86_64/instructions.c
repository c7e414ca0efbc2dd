/* SPDX-License-Identifier: MIT */
/*
 * instructions.c - see arch/instruction.h: lengths and jumps of x86-64 machine code. The tables
 * show for each opcode what follows it: a ModRM byte (with what that wants) and an immediate
 * operand. Opcodes that do not exist in 64-bit mode, or only in the kernel, are not known.
 */
#include "arch/instruction.h"

#include "reading.h"

#define INSTRUCTION_MAX 15

/* clang-format off */
static const uint8_t one_byte[256] = {
	M, M, M, M, I1, I4, NO, NO, M, M, M, M, I1, I4, NO, NO, /* 00 */
	M, M, M, M, I1, I4, NO, NO, M, M, M, M, I1, I4, NO, NO,
	M, M, M, M, I1, I4, NO, NO, M, M, M, M, I1, I4, NO, NO, /* 20 */
	M, M, M, M, I1, I4, NO, NO, M, M, M, M, I1, I4, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, /* 40: REX is no opcode */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	NO, NO, NO, M, NO, NO, NO, NO, I4, M | I4, I1, M | I1, 0, 0, 0, 0, /* 60 */
	I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1,
	M | I1, M | I4, NO, M | I1, M, M, M, M, M, M, M, M, M, M, M, M, /* 80 */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NO, 0, 0, 0, 0, 0,
	A8, A8, A8, A8, 0, 0, 0, 0, I1, I4, 0, 0, 0, 0, 0, 0, /* a0 */
	I1, I1, I1, I1, I1, I1, I1, I1, IV, IV, IV, IV, IV, IV, IV, IV,
	M | I1, M | I1, I2, 0, NO, NO, M | I1, M | I4, I2 | I1, 0, I2, 0, 0, I1, NO, 0, /* c0 */
	M, M, M, M, NO, NO, NO, 0, M, M, M, M, M, M, M, M,
	I1, I1, I1, I1, I1, I1, I1, I1, I4, I4, NO, I1, 0, 0, 0, 0, /* e0 */
	NO, 0, NO, NO, 0, 0, M | GROUP3 | I1, M | GROUP3 | I4, 0, 0, 0, 0, 0, 0, M, M,
};

static const uint8_t behind_0f[256] = {
	M, M, M, M, NO, 0, 0, 0, 0, 0, NO, 0, NO, M, 0, NO, /* 00 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	M, M, M, M, NO, NO, NO, NO, M, M, M, M, M, M, M, M, /* 20 */
	0, 0, 0, 0, 0, 0, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, /* 30: 38 and 3a are apart */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 40 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 60 */
	M | I1, M | I1, M | I1, M | I1, M, M, M, 0, M, M, NO, NO, M, M, M, M,
	I4, I4, I4, I4, I4, I4, I4, I4, I4, I4, I4, I4, I4, I4, I4, I4, /* 80 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	0, 0, 0, M, M | I1, M, NO, NO, 0, 0, 0, M, M | I1, M, M, M, /* a0 */
	M, M, M, M, M, M, M, M, M, M, M | I1, M, M, M, M, M,
	M, M, M | I1, M, M | I1, M | I1, M | I1, M, 0, 0, 0, 0, 0, 0, 0, 0, /* c0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* e0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
};
/* clang-format on */

static int byte_next(struct reading *r)
{
	return r->at < r->n && r->at < INSTRUCTION_MAX ? r->code[r->at++] : -1;
}

static int is_prefix(struct reading *r, int byte)
{
	switch (byte) {
	case 0x66:
		r->is_short = 1;
		return 1;
	case 0x67:
		r->is_address = 1;
		return 1;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
		return 1;
	case 0xf0:
		r->is_locked = 1;
		return 1;
	case 0xf2:
	case 0xf3:
		r->repeat = (uint8_t)byte;
		return 1;
	default:
		return 0;
	}
}

/* VEX and EVEX: the map is in the prefix. What follows the opcode; NO: not known. */
static int vector_read(struct reading *r, int first)
{
	int payload = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3, map = 1, opcode, byte;

	r->is_vector = 1;
	for (int i = 0; i < payload; i++) {
		byte = byte_next(r);
		if (byte < 0)
			return NO;
		if (!i) /* inverted, as in REX: R, X, B; short ones have R only */
			r->rex = (uint8_t)(first == 0xc5 ? ~byte >> 5 & 4 : ~byte >> 5 & 7);
		if (!i && first != 0xc5)
			map = byte & (first == 0xc4 ? 0x1f : 7);
		if (i == (first == 0xc5 ? 0 : 1))
			r->vvvv = (uint8_t)(~byte >> 3 & 15);
	}
	opcode = byte_next(r);
	if (opcode < 0 || map < 1 || map > 6 || map == 4)
		return NO;
	r->opcode = (uint8_t)opcode;
	r->map = map == 1 ? 2 : 3; /* for jumps: there are none */
	if (map == 1 && opcode == 0x77)
		return 0; /* vzeroupper */
	if (map == 3)
		return M | I1;
	return M | (map == 1 ? behind_0f[opcode] & I1 : 0);
}

static int opcode_read(struct reading *r)
{
	int byte = byte_next(r);

	while (is_prefix(r, byte))
		byte = byte_next(r);
	if (byte >= 0x40 && byte <= 0x4f) {
		r->wide = byte & 8;
		r->rex = (uint8_t)(byte & 15);
		byte = byte_next(r);
	}
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62)
		return vector_read(r, byte);
	r->map = 1;
	if (byte == 0x0f) {
		byte = byte_next(r);
		r->map = byte == 0x38 ? 3 : byte == 0x3a ? 4 : 2;
		if (r->map > 2)
			byte = byte_next(r);
	}
	if (byte < 0)
		return NO;
	r->opcode = (uint8_t)byte;
	return r->map == 1 ? one_byte[byte] : r->map == 2 ? behind_0f[byte] : r->map == 3 ? M : M | I1;
}

static int modrm_read(struct reading *r)
{
	int byte = byte_next(r), mod, rm, sib = -1;

	if (byte < 0)
		return -1;
	r->modrm = (uint8_t)byte;
	mod = byte >> 6;
	rm = byte & 7;
	if (mod == 3)
		return 0;
	if (rm == 4 && (sib = byte_next(r)) < 0)
		return -1;
	r->sib = sib;
	r->displacement_at = r->at;
	if (mod == 1)
		r->at += 1;
	else if (mod == 2 || (!mod && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
		r->at += 4;
	r->displacement_bytes = r->at - r->displacement_at;
	return 0;
}

static size_t immediate_bytes(const struct reading *r, int follows)
{
	size_t n = (follows & I1 ? 1u : 0) + (follows & I2 ? 2u : 0);

	if (follows & GROUP3 && r->modrm & 0x30)
		return 0; /* not a test */
	if (follows & I4)
		n += r->is_short && !r->wide ? 2 : 4;
	if (follows & IV)
		n += r->wide ? 8 : r->is_short ? 2 : 4;
	if (follows & A8)
		n += r->is_address ? 4 : 8;
	return n;
}

static enum instruction_kind kind_of_group5(uint8_t modrm)
{
	int which = modrm >> 3 & 7;

	return which == 4 || which == 5 ? INSTRUCTION_ANYWHERE : INSTRUCTION_NEXT;
}

static enum instruction_kind kind_of(const struct reading *r)
{
	uint8_t opcode = r->opcode;

	if (r->map == 2)
		return opcode >= 0x80 && opcode <= 0x8f ? INSTRUCTION_BRANCH
		       : opcode == 0x0b			? INSTRUCTION_END
							: INSTRUCTION_NEXT;
	if (r->map != 1)
		return INSTRUCTION_NEXT;
	if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
		return INSTRUCTION_BRANCH;
	switch (opcode) {
	case 0xe9:
	case 0xeb:
		return INSTRUCTION_JUMP;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcc:
	case 0xcf:
	case 0xf4:
		return INSTRUCTION_END;
	case 0xff:
		return kind_of_group5(r->modrm);
	default:
		return INSTRUCTION_NEXT;
	}
}

/* 90 and 0f 1f, with whatever prefixes; f3 90 is `pause`, and 41 90 exchanges registers. */
static int is_nop(const struct reading *r)
{
	if (r->map == 1 && !r->is_vector)
		return r->opcode == 0x90 && r->repeat != 0xf3 && !(r->rex & 1);
	return r->map == 2 && !r->is_vector && r->opcode == 0x1f;
}

int reading_make(struct reading *r, const uint8_t *code, size_t n)
{
	int follows;

	*r = (struct reading){ .code = code, .n = n, .sib = -1 };
	follows = opcode_read(r);
	return follows & NO || (follows & M && modrm_read(r)) ? NO : follows;
}

int instruction_read(const uint8_t *code, size_t n, uint64_t address, struct instruction *instruction)
{
	struct reading r;
	int follows = reading_make(&r, code, n), is_jump, is_call, is_long;
	int32_t far;

	*instruction = (struct instruction){ .address = address };
	if (follows & NO)
		return -1;
	instruction->kind = (uint8_t)kind_of(&r);
	instruction->is_nop = (uint8_t)is_nop(&r);
	is_jump = instruction->kind == INSTRUCTION_BRANCH || instruction->kind == INSTRUCTION_JUMP;
	is_call = r.map == 1 && !r.is_vector && r.opcode == 0xe8;
	is_long = is_call || (is_jump && follows & I4);
	r.at += is_long ? 4 : immediate_bytes(&r, follows);
	if (r.at > n || r.at > INSTRUCTION_MAX)
		return -1;
	instruction->length = (uint8_t)r.at;
	instruction->is_call = (uint8_t)is_call;
	if (is_long) {
		__builtin_memcpy(&far, code + r.at - 4, sizeof(far));
		instruction->target = address + r.at + (uint64_t)(int64_t)far;
	} else if (is_jump) {
		instruction->target = address + r.at + (uint64_t)(int64_t)(int8_t)code[r.at - 1];
	}
	return 0;
}
