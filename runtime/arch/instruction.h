/* SPDX-License-Identifier: MIT */
/*
 * instruction.h - where the processor may go from an instruction on. Only lengths, jumps, calls and
 * NOPs are looked at. Each processor has its own (arch/NAME/instructions.c). The command links it,
 * too.
 */
#ifndef CINSTR_INSTRUCTION_H
#define CINSTR_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_NEXT,     /* goes on behind it; calls do, too */
	INSTRUCTION_BRANCH,   /* or to its target */
	INSTRUCTION_JUMP,     /* to its target */
	INSTRUCTION_ANYWHERE, /* to an address that it computes */
	INSTRUCTION_END,      /* nowhere: a return, a trap */
};

struct instruction {
	uint64_t address, target; /* target: of a jump, and of a call that names it; else 0 */
	uint8_t length;
	uint8_t kind;	 /* enum instruction_kind */
	uint8_t is_call; /* it calls its target */
	uint8_t is_nop;	 /* it does nothing at all; `pause` and endbr64 do something */
};

/* The instruction at code[n] and address. -1: it is none that is known. */
int instruction_read(const uint8_t *code, size_t n, uint64_t address, struct instruction *instruction);

#endif
