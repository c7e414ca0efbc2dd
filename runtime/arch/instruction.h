/* SPDX-License-Identifier: MIT */
/*
 * instruction.h - decodes instructions as far as control flow needs: lengths, jumps, calls and
 * NOPs. Each processor has its own version (arch/NAME/instructions.c). The command links it, too.
 */
#ifndef CINSTR_INSTRUCTION_H
#define CINSTR_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_NEXT,     /* goes on after it; calls do, too */
	INSTRUCTION_BRANCH,   /* goes on after it, or to its target */
	INSTRUCTION_JUMP,     /* goes to its target */
	INSTRUCTION_ANYWHERE, /* goes to a computed address */
	INSTRUCTION_END,      /* goes nowhere: a return, a trap */
};

struct instruction {
	/* target: of a jump or call with an address in the code; else 0 */
	uint64_t address, target;
	uint8_t length;
	uint8_t kind;	 /* enum instruction_kind */
	uint8_t is_call; /* 1: a call */
	uint8_t is_nop;	 /* 1: has no effect at all; `pause` and endbr64 have one */
};

/* Decodes the instruction in code[0 .. n) at `address`. Returns 0, or -1: not a known
 * instruction. */
int instruction_read(const uint8_t *code, size_t n, uint64_t address, struct instruction *instruction);

#endif
