/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operations.c - see arch/operation.h: what instructions of x86-64 do to the general registers.
 * Operands of a part of a register count as the whole: addresses are seldom made of parts.
 */
#include "arch/operation.h"

#include <string.h>

#include "runtime/arch/x86_64/reading.h"

#define BIT(reg) (1u << (reg))
#define CLOBBERED 0x0fc7u /* by a call: rax, rcx, rdx, rsi, rdi, r8 to r11 */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

int operation_is_frame(uint8_t reg)
{
	return reg == RSP;
}

static uint8_t reg_of(const struct reading *r)
{
	return (uint8_t)((r->modrm >> 3 & 7) | (r->rex & 4 ? 8 : 0));
}

static uint8_t rm_of(const struct reading *r)
{
	return (uint8_t)((r->modrm & 7) | (r->rex & 1 ? 8 : 0));
}

static int is_in_register(const struct reading *r)
{
	return r->modrm >> 6 == 3;
}

static int64_t signed_bytes(const uint8_t *bytes, size_t n)
{
	int32_t four;

	if (n == 1)
		return (int8_t)bytes[0];
	if (n != 4)
		return 0;
	memcpy(&four, bytes, sizeof(four));
	return four;
}

static void set_address(const struct reading *r, struct operation_address *address)
{
	int mod = r->modrm >> 6, rm = r->modrm & 7;

	*address = (struct operation_address){ OPERATION_NONE, OPERATION_NONE, 1,
					       signed_bytes(r->code + r->displacement_at,
							    r->displacement_bytes) };
	if (r->sib < 0) {
		if (mod || rm != 5) /* else it is relative to the instruction */
			address->base = rm_of(r);
		return;
	}
	address->index = (uint8_t)((r->sib >> 3 & 7) | (r->rex & 2 ? 8 : 0));
	address->scale = (uint8_t)(1 << (r->sib >> 6));
	if (address->index == RSP)
		address->index = OPERATION_NONE;
	if (mod || (r->sib & 7) != 5)
		address->base = (uint8_t)((r->sib & 7) | (r->rex & 1 ? 8 : 0));
}

static void set(struct operation *o, enum operation_kind kind, uint8_t to, uint8_t from, int64_t amount)
{
	o->kind = kind;
	o->to = to;
	o->from = from;
	o->amount = amount;
	o->writes |= to == OPERATION_NONE ? 0 : BIT(to);
}

static void set_written(struct operation *o, uint32_t registers)
{
	o->writes |= registers;
}

/* The operand that ModRM names, if it is a register. */
static void set_rm_written(const struct reading *r, struct operation *o)
{
	set_written(o, is_in_register(r) ? BIT(rm_of(r)) : 0);
}

/* to = what is in ModRM's register, or lies at its address. */
static void set_moved(const struct reading *r, struct operation *o)
{
	if (is_in_register(r))
		set(o, OPERATION_MULTIPLY, reg_of(r), rm_of(r), 1);
	else
		set(o, OPERATION_LOAD, reg_of(r), OPERATION_NONE, 0);
}

/* 00 to 3d: eight operations, of which the last one, a comparison, writes nothing. */
static void arithmetic(const struct reading *r, struct operation *o, int64_t immediate)
{
	int which = r->opcode >> 3, form = r->opcode & 7;
	enum operation_kind kind = which == 0	? OPERATION_ADD
				   : which == 5 ? OPERATION_SUBTRACT
						: OPERATION_OTHER;

	if (which == 7)
		return;
	if (form >= 4) {
		set(o, kind, RAX, OPERATION_NONE, immediate);
	} else if (form >= 2 && !is_in_register(r)) {
		set(o, kind == OPERATION_OTHER ? kind : OPERATION_ADD_LOADED, reg_of(r), OPERATION_NONE, 0);
	} else if (is_in_register(r)) {
		uint8_t to = form >= 2 ? reg_of(r) : rm_of(r), from = form >= 2 ? rm_of(r) : reg_of(r);

		if (to == from && (which == 5 || which == 6))
			set(o, OPERATION_CONSTANT, to, OPERATION_NONE, 0); /* x - x, x ^ x */
		else
			set(o, kind, to, from, 0);
	}
}

static void arithmetic_immediate(const struct reading *r, struct operation *o, int64_t amount)
{
	int which = r->modrm >> 3 & 7;

	if (which == 7 || !is_in_register(r))
		return;
	set(o,
	    which == 0	 ? OPERATION_ADD
	    : which == 5 ? OPERATION_SUBTRACT
			 : OPERATION_OTHER,
	    rm_of(r), OPERATION_NONE, amount);
}

static void shift(const struct reading *r, struct operation *o, int64_t by)
{
	int is_left = (r->modrm >> 3 & 7) == 4;

	if (!is_in_register(r))
		return;
	if (is_left && by >= 0 && by < 32)
		set(o, OPERATION_MULTIPLY, rm_of(r), rm_of(r), (int64_t)1 << by);
	else
		set_rm_written(r, o);
}

static void group5(const struct reading *r, struct operation *o)
{
	int which = r->modrm >> 3 & 7;

	if (which == 2 || which == 3)
		set_written(o, CLOBBERED);
	else if (which < 2 && is_in_register(r))
		set(o, which ? OPERATION_SUBTRACT : OPERATION_ADD, rm_of(r), OPERATION_NONE, 1);
}

/* 80 and above: moves, exchanges, shifts, calls and groups. */
static void one_byte_high(const struct reading *r, struct operation *o, int64_t immediate)
{
	uint8_t low = (uint8_t)((r->opcode & 7) | (r->rex & 1 ? 8 : 0));

	switch (r->opcode) {
	case 0x86: /* xchg, which locks */
	case 0x87:
		o->is_locked = o->is_memory;
		set_rm_written(r, o);
		set_written(o, BIT(reg_of(r)));
		return;
	case 0x89:
		if (is_in_register(r))
			set(o, OPERATION_MULTIPLY, rm_of(r), reg_of(r), 1);
		return;
	case 0x8a:
		set_written(o, BIT(reg_of(r)));
		return;
	case 0x8d:
		o->is_memory = 0;
		set(o, OPERATION_ADDRESS, reg_of(r), OPERATION_NONE, 0);
		return;
	case 0x91 ... 0x97:
		set_written(o, BIT(low) | BIT(RAX));
		return;
	case 0x98:
		return; /* the sign of rax goes up */
	case 0x99:
		set_written(o, BIT(RDX));
		return;
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:
		set_written(o, BIT(RSI) | BIT(RDI) | BIT(RCX) | BIT(RAX));
		return;
	case 0xb0 ... 0xbf:
		set(o, OPERATION_CONSTANT, low, OPERATION_NONE, immediate);
		return;
	case 0xc1:
		shift(r, o, immediate);
		return;
	case 0xd1:
		shift(r, o, 1);
		return;
	case 0xc7:
		if (is_in_register(r))
			set(o, OPERATION_CONSTANT, rm_of(r), OPERATION_NONE, immediate);
		return;
	case 0xe8:
		set_written(o, CLOBBERED);
		return;
	case 0xf6:
	case 0xf7:
		if ((r->modrm >> 3 & 7) >= 4)
			set_written(o, BIT(RAX) | BIT(RDX));
		else if ((r->modrm >> 3 & 7) >= 2)
			set_rm_written(r, o);
		return;
	case 0xff:
		group5(r, o);
		return;
	default:
		return;
	}
}

static void one_byte(const struct reading *r, struct operation *o, int64_t immediate)
{
	uint8_t opcode = r->opcode, low = (uint8_t)((opcode & 7) | (r->rex & 1 ? 8 : 0));

	switch (opcode) {
	case 0x00 ... 0x3f:
		arithmetic(r, o, immediate);
		return;
	case 0x58 ... 0x5f: /* pop */
		set_written(o, BIT(low));
		return;
	case 0x63: /* movslq */
	case 0x8b:
		set_moved(r, o);
		o->is_pointer = r->opcode == 0x8b && r->rex & 8;
		return;
	case 0x69: /* imul by a constant */
	case 0x6b:
		if (is_in_register(r))
			set(o, OPERATION_MULTIPLY, reg_of(r), rm_of(r), immediate);
		else
			set_written(o, BIT(reg_of(r)));
		return;
	case 0x81:
	case 0x83:
		arithmetic_immediate(r, o, immediate);
		return;
	case 0x80:
	case 0x88:
	case 0xc0:
	case 0xc6:
	case 0xd0:
	case 0xd2:
	case 0xd3:
	case 0xfe:
		set_rm_written(r, o);
		return;
	default:
		one_byte_high(r, o, immediate);
		return;
	}
}

static void behind_0f(const struct reading *r, struct operation *o)
{
	switch (r->opcode) {
	case 0x0d: /* prefetches, and no operations at an address */
	case 0x18 ... 0x1f:
		o->is_memory = 0;
		return;
	case 0xb6:
	case 0xb7:
	case 0xbe:
	case 0xbf: /* movzx, movsx */
		set_moved(r, o);
		return;
	case 0x2c:
	case 0x2d:
	case 0x40 ... 0x4f:
	case 0x50:
	case 0xaf:
	case 0xb8:
	case 0xbc:
	case 0xbd:
	case 0xc5:
	case 0xd7:
		set_written(o, BIT(reg_of(r)));
		return;
	case 0x7e: /* movd from a vector; with f3 to one */
		if (r->repeat != 0xf3)
			set_rm_written(r, o);
		return;
	case 0x90 ... 0x9f:
	case 0xa4:
	case 0xa5:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xb3:
	case 0xba:
	case 0xbb:
		set_rm_written(r, o);
		return;
	case 0xa2: /* cpuid */
		set_written(o, BIT(RAX) | BIT(RBX) | BIT(RCX) | BIT(RDX));
		return;
	case 0x31: /* rdtsc */
		set_written(o, BIT(RAX) | BIT(RDX));
		return;
	case 0x05: /* syscall */
		set_written(o, CLOBBERED);
		return;
	case 0xb0:
	case 0xb1:
	case 0xc7: /* cmpxchg */
		set_rm_written(r, o);
		set_written(o, BIT(RAX) | (r->opcode == 0xc7 ? BIT(RDX) : 0));
		return;
	case 0xc0:
	case 0xc1: /* xadd */
		set_rm_written(r, o);
		set_written(o, BIT(reg_of(r)));
		return;
	case 0xc8 ... 0xcf:
		set_written(o, BIT((r->opcode & 7) | (r->rex & 1 ? 8 : 0)));
		return;
	default:
		return;
	}
}

/* Sets which general register an instruction for vectors writes: few do, those that read a mask or
 * an element, and those of BMI. */
static void vector(const struct reading *r, struct operation *o)
{
	switch (r->opcode) {
	case 0x14 ... 0x17: /* vpextr */
		if (r->map == 3)
			set_rm_written(r, o);
		return;
	case 0x2c:
	case 0x2d:
	case 0x50:
	case 0x93: /* kmov */
	case 0xc5:
	case 0xd7:
		if (r->map == 2)
			set_written(o, BIT(reg_of(r)));
		return;
	case 0x7e:
		if (r->map == 2)
			set_rm_written(r, o);
		return;
	case 0xf0 ... 0xf7:
		if (r->map == 3)
			set_written(o, BIT(reg_of(r)) | BIT(r->vvvv));
		return;
	default:
		return;
	}
}

static size_t immediate_bytes(const struct reading *r, int follows)
{
	if (follows & GROUP3 && r->modrm & 0x30)
		return 0; /* not a test */
	return follows & I1 ? 1 : follows & I4 && !r->is_short ? 4 : follows & IV && !r->wide ? 4 : 0;
}

/* Tells whether the instruction changes its operand in memory: add and the like, shifts, not, neg,
 * inc and dec. */
static int is_change(const struct reading *r)
{
	int which = r->modrm >> 3 & 7;

	if (r->map != 1 || r->is_vector)
		return 0;
	switch (r->opcode) {
	case 0x00 ... 0x37:
		return (r->opcode & 7) < 2;
	case 0x80 ... 0x83:
		return which != 7;
	case 0xc0:
	case 0xc1:
	case 0xd0 ... 0xd3:
		return 1;
	case 0xf6:
	case 0xf7:
		return which == 2 || which == 3;
	case 0xfe:
	case 0xff:
		return which < 2;
	default:
		return 0;
	}
}

/* Tells whether the instruction divides, or takes a square root: div and idiv, and 51 and 5e behind
 * 0f, of numbers or vectors. */
static int is_division(const struct reading *r)
{
	if (r->map == 1 && !r->is_vector)
		return (r->opcode == 0xf6 || r->opcode == 0xf7) && (r->modrm >> 3 & 7) >= 6;
	return r->map == 2 && (r->opcode == 0x51 || r->opcode == 0x5e);
}

int operation_read(const uint8_t *code, size_t n, struct operation *operation)
{
	struct reading r;
	int follows = reading_make(&r, code, n);
	size_t bytes = follows & NO ? 0 : immediate_bytes(&r, follows);

	*operation = (struct operation){ .to = OPERATION_NONE, .from = OPERATION_NONE };
	if (follows & NO || r.at + bytes > n)
		return -1;
	if (follows & M && !is_in_register(&r)) {
		operation->is_memory = 1;
		operation->is_locked = r.is_locked;
		operation->is_changed = is_change(&r);
		set_address(&r, &operation->address);
	}
	operation->is_copy = r.map == 1 && !r.is_vector && r.repeat && (r.opcode == 0xa4 || r.opcode == 0xa5);
	operation->is_division = is_division(&r);
	if (r.is_vector)
		vector(&r, operation);
	else if (r.map == 1)
		one_byte(&r, operation, signed_bytes(code + r.at, bytes));
	else if (r.map == 2)
		behind_0f(&r, operation);
	else if (follows & M && !r.is_vector && r.map == 3 && r.opcode >= 0xf0)
		set_written(operation, BIT(reg_of(&r)));
	else if (r.map == 4 && r.opcode >= 0x14 && r.opcode <= 0x17)
		set_rm_written(&r, operation);
	return 0;
}
