/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code_flow.h - finds the instructions of a function that may be executed from a given one on:
 * decodes its machine code (arch/instruction.h) and follows its jumps.
 */
#ifndef REPORT_CODE_FLOW_H
#define REPORT_CODE_FLOW_H

#include "arch/instruction.h"

struct flow_step {
	struct instruction is;
	uint8_t is_stop;    /* flow_reach() stops here */
	uint8_t is_reached; /* reached since flow_reach_begin() */
};

struct flow {
	struct flow_step *steps; /* in order of address */
	size_t n;
	uint32_t *open; /* flow_reach(): instructions still to be followed */
};

/* Decodes code[n], which begins at `address`. Returns 0, or -1 with nothing to release if an
 * instruction is unknown. */
int flow_read(struct flow *flow, const uint8_t *code, size_t n, uint64_t address);
void flow_release(struct flow *flow);

/* Returns the instruction that begins at the address, or NULL. */
struct flow_step *flow_step_at(const struct flow *flow, uint64_t address);
/* Marks all instructions as not reached. */
void flow_reach_begin(struct flow *flow);
/* Marks the instructions that may be executed from the address on, up to stops and the end of the
 * code. Paths end where they leave the code. Returns 0, or -1 if the targets of a jump are not
 * known. */
int flow_reach(struct flow *flow, uint64_t address);

#endif
