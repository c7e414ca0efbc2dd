/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_cfi.c - the unwind information (CFI) of an image, read by libdw of elfutils: the rule of
 * an address, and single steps where what is told is no rule. See internal.h.
 *
 * All is in link addresses of one image: nothing depends on the process. What it tells may be wrong
 * in any way: libdw gets the sections alone (unwind_sections.c), and a limit of memory, which
 * limits its time as well; expressions are evaluated here, and read nothing but the copied stack
 * and the image.
 */
#include "unwind_cfi.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "memory_limit.h"

#define VALUES_MAX 64
#define OPERATIONS_MAX 1000
#define ASK_BYTES ((size_t)32 << 20) /* to run an unwind program: a thousand times what is usual */

const uint8_t saved_registers[MACHINE_N_SAVED] = MACHINE_SAVED_REGISTERS;

/* ---- finding it ------------------------------------------------------------------------------ */

static void open_frames(struct image *image, enum frames_kind kind, struct unwind_frames *frames)
{
	size_t bytes;

	frames->is_read = 1;
	frames->file = unwind_sections(image, kind, &bytes);
	elf_version(EV_CURRENT);
	frames->elf = frames->file ? elf_memory(frames->file, bytes) : NULL;
	if (frames->elf && kind == FRAMES_EH)
		frames->cfi = dwarf_getcfi_elf(frames->elf);
	else if (frames->elf)
		frames->dwarf = dwarf_begin_elf(frames->elf, DWARF_C_READ, NULL);
	if (frames->dwarf)
		frames->cfi = dwarf_getcfi(frames->dwarf);
}

void unwind_cfi_release(struct unwind_cfi *cfi)
{
	for (int kind = 0; kind < N_FRAMES; kind++) {
		struct unwind_frames *frames = &cfi->frames[kind];

		if (frames->dwarf)
			dwarf_end(frames->dwarf); /* and its cfi */
		else if (frames->cfi)
			dwarf_cfi_end(frames->cfi);
		if (frames->elf)
			elf_end(frames->elf);
		free(frames->file);
	}
}

/* What there is to say of the address, to be freed; NULL: nothing. .debug_frame is asked for code
 * of which .eh_frame says nothing. */
static Dwarf_Frame *frame_at(struct image *image, uint64_t pc)
{
	Dwarf_Frame *frame = NULL;

	for (int kind = 0; kind < N_FRAMES && !frame; kind++) {
		struct unwind_frames *frames = &image_unwind_cfi(image)->frames[kind];
		struct rlimit limit;

		if (!frames->is_read)
			open_frames(image, kind, frames);
		if (!frames->cfi)
			continue;
		limit = memory_limit(ASK_BYTES);
		if (dwarf_cfi_addrframe(frames->cfi, pc, &frame))
			frame = NULL;
		memory_limit_end(&limit);
	}
	return frame;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A register's value and an offset: DW_OP_bregN, DW_OP_bregx. */
static int is_register_sum(const Dwarf_Op *op, uint64_t *number, uint64_t *offset)
{
	if (op->atom == DW_OP_bregx) {
		*number = op->number;
		*offset = op->number2;
		return 1;
	}
	*number = (uint64_t)(op->atom - DW_OP_breg0);
	*offset = op->number;
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

static int put_offset(int32_t *to, uint64_t offset)
{
	*to = (int32_t)offset;
	return (int64_t)offset == *to ? 0 : -1;
}

/* register + offset, or what is stored there, + a number. */
static int cfa_rule(const Dwarf_Op *ops, size_t n, struct rule *rule)
{
	uint64_t number, offset;

	if (!n || !is_register_sum(&ops[0], &number, &offset) || number >= MACHINE_IP ||
	    put_offset(&rule->cfa_offset, offset))
		return -1;
	rule->cfa_register = (uint8_t)number;
	if (n == 1)
		return 0;
	if (ops[1].atom != DW_OP_deref || n > 3 || (n == 3 && ops[2].atom != DW_OP_plus_uconst))
		return -1;
	rule->cfa_in_memory = 1;
	return n == 3 ? put_offset(&rule->cfa_add, ops[2].number) : 0;
}

/* Where a register was stored: at an offset from the CFA or from a register. */
static int place_rule(const Dwarf_Op *ops, size_t n, struct place *place)
{
	uint64_t number, offset;

	if (ops[0].atom == DW_OP_call_frame_cfa && (n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		place->base = PLACE_CFA;
		return put_offset(&place->offset, n == 2 ? ops[1].number : 0);
	}
	if (n != 1 || !is_register_sum(&ops[0], &number, &offset) || number >= MACHINE_IP)
		return -1;
	place->base = (uint8_t)number;
	return put_offset(&place->offset, offset);
}

/* What libdw says of a register. */
struct answer {
	Dwarf_Op memory[3];
	Dwarf_Op *ops;
	size_t n;
};

static int ask(Dwarf_Frame *frame, unsigned int number, struct answer *answer)
{
	return dwarf_frame_register(frame, (int)number, answer->memory, &answer->ops, &answer->n);
}

static int is_undefined(const struct answer *answer)
{
	return !answer->n && answer->ops == answer->memory;
}

static int is_same(const struct answer *answer)
{
	return !answer->n && !answer->ops;
}

static int saved_rule(Dwarf_Frame *frame, int i, struct rule *rule)
{
	struct place *place = &rule->saved[i];
	struct answer answer;

	if (ask(frame, saved_registers[i], &answer))
		return -1;
	if (answer.n)
		return place_rule(answer.ops, answer.n, place);
	place->base = PLACE_SAME;
	if (saved_registers[i] == MACHINE_IP && is_undefined(&answer))
		rule->kind = RULE_END;
	return 0;
}

static int rule_of(Dwarf_Frame *frame, struct rule *rule)
{
	Dwarf_Op *ops;
	size_t n;

	rule->kind = RULE_STEP;
	if (dwarf_frame_cfa(frame, &ops, &n) || cfa_rule(ops, n, rule))
		return -1;
	for (int i = 0; i < MACHINE_N_SAVED; i++)
		if (saved_rule(frame, i, rule))
			return -1;
	return 0;
}

void cfi_learn(struct image *image, uint64_t pc, struct rule *rule)
{
	FREED Dwarf_Frame *frame = frame_at(image, pc);

	memset(rule, 0, sizeof(*rule));
	if (frame && rule_of(frame, rule)) {
		memset(rule, 0, sizeof(*rule));
		rule->kind = RULE_ASK;
	}
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* DWARF's stack machine. */
struct evaluation {
	const struct registers *registers;
	const struct stack *stack;
	struct image *image;
	uint64_t cfa;
	uint64_t values[VALUES_MAX];
	size_t n;
};

static int push(struct evaluation *e, uint64_t value)
{
	if (e->n == VALUES_MAX)
		return -1;
	e->values[e->n++] = value;
	return 0;
}

static int read_word(const struct evaluation *e, uint64_t address, uint64_t *value)
{
	if (!stack_read(e->stack, address, value))
		return 0;
	return image_unwind_read(e->image, address, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

/* Operations with the two values on top. */
static int binary(struct evaluation *e, uint8_t atom)
{
	uint64_t a, b;

	if (e->n < 2)
		return -1;
	b = e->values[--e->n];
	a = e->values[--e->n];
	switch (atom) {
	case DW_OP_plus:
		return push(e, a + b);
	case DW_OP_minus:
		return push(e, a - b);
	case DW_OP_mul:
		return push(e, a * b);
	case DW_OP_and:
		return push(e, a & b);
	case DW_OP_or:
		return push(e, a | b);
	case DW_OP_xor:
		return push(e, a ^ b);
	case DW_OP_shl:
		return push(e, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return push(e, b < 64 ? a >> b : 0);
	case DW_OP_eq:
		return push(e, a == b);
	case DW_OP_ne:
		return push(e, a != b);
	case DW_OP_ge:
		return push(e, (int64_t)a >= (int64_t)b);
	case DW_OP_gt:
		return push(e, (int64_t)a > (int64_t)b);
	case DW_OP_le:
		return push(e, (int64_t)a <= (int64_t)b);
	case DW_OP_lt:
		return push(e, (int64_t)a < (int64_t)b);
	default: /* what compilers and the C library do not write: jumps, for one */
		return -1;
	}
}

/* Operations with the value on top. */
static int unary(struct evaluation *e, const Dwarf_Op *op)
{
	uint64_t *value;

	if (!e->n)
		return -1;
	value = &e->values[e->n - 1];
	switch (op->atom) {
	case DW_OP_dup:
		return push(e, *value);
	case DW_OP_drop:
		e->n--;
		return 0;
	case DW_OP_plus_uconst:
		*value += op->number;
		return 0;
	case DW_OP_deref:
		return read_word(e, *value, value);
	default:
		return binary(e, op->atom);
	}
}

static int operate(struct evaluation *e, const Dwarf_Op *op)
{
	uint64_t number, offset;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(e, (uint64_t)(op->atom - DW_OP_lit0));
	if (is_register_sum(op, &number, &offset))
		return number < MACHINE_REGISTERS && e->registers->known >> number & 1
			       ? push(e, e->registers->value[number] + offset)
			       : -1;
	switch (op->atom) {
	case DW_OP_call_frame_cfa:
		return push(e, e->cfa);
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(e, op->number);
	case DW_OP_stack_value: /* the value is what is on top, not stored there: see restore() */
	case DW_OP_nop:
		return 0;
	default:
		return unary(e, op);
	}
}

static int evaluate(struct evaluation *e, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	e->n = 0;
	if (n > OPERATIONS_MAX)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (operate(e, &ops[i]))
			return -1;
	if (!e->n)
		return -1;
	*value = e->values[e->n - 1];
	return 0;
}

/* ---- single steps ---------------------------------------------------------------------------- */

/* The value that the register has in the caller. 0, or -1: it is not known. */
static int value_of(struct evaluation *e, const struct answer *answer, uint64_t *value)
{
	const Dwarf_Op *ops = answer->ops;
	unsigned int number = (unsigned int)(ops[0].atom - DW_OP_reg0);

	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) { /* another register has it */
		if (number >= MACHINE_REGISTERS || !(e->registers->known >> number & 1))
			return -1;
		*value = e->registers->value[number];
		return 0;
	}
	if (evaluate(e, ops, answer->n, value))
		return -1;
	return ops[answer->n - 1].atom == DW_OP_stack_value ? 0 : read_word(e, *value, value);
}

/* Returns 1: the register's value in the caller is undefined. */
static int restore(struct evaluation *e, Dwarf_Frame *frame, unsigned int number, struct registers *next)
{
	struct answer answer;
	uint64_t value;

	if (ask(frame, number, &answer)) {
		next->known &= ~(1u << number);
		return 0;
	}
	if (is_same(&answer))
		return 0;
	next->known &= ~(1u << number);
	if (!answer.n)
		return 1;
	if (!value_of(e, &answer, &value)) {
		next->value[number] = value;
		next->known |= 1u << number;
	}
	return 0;
}

/* 1, 0: there is no caller, -1: it cannot be told. */
static int step(struct evaluation *e, Dwarf_Frame *frame, struct registers *registers)
{
	struct registers next = *registers;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) || evaluate(e, ops, n, &e->cfa))
		return -1;
	for (unsigned int i = 0; i < MACHINE_REGISTERS; i++)
		if (i != MACHINE_SP && restore(e, frame, i, &next) && i == MACHINE_IP)
			return 0;
	next.value[MACHINE_SP] = e->cfa;
	next.known |= 1u << MACHINE_SP;
	*registers = next;
	return 1;
}

int cfi_step(struct image *image, uint64_t pc, struct registers *registers, const struct stack *stack)
{
	FREED Dwarf_Frame *frame = frame_at(image, pc);
	struct evaluation e = { .registers = registers, .stack = stack, .image = image };

	return frame ? step(&e, frame, registers) : -1;
}
