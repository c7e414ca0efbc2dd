/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code_flow.h - which of a function's instructions may be executed from one on: its machine code
 * taken apart (arch/instruction.h), and followed along its jumps.
 */
#ifndef REPORT_CODE_FLOW_H
#define REPORT_CODE_FLOW_H

#include "arch/instruction.h"

struct flow_step {
	struct instruction is;
	uint8_t is_stop;    /* flow_reach() does not go through it */
	uint8_t is_reached; /* by the last flow_reach() */
};

struct flow {
	struct flow_step *steps; /* in order */
	size_t n;
	uint32_t *open; /* flow_reach(): still to be looked at */
};

/* All of code[n], which begins at `address`. -1: some of it is not known. */
int flow_read(struct flow *flow, const uint8_t *code, size_t n, uint64_t address);
void flow_release(struct flow *flow);

/* The instruction that begins there; NULL: none does. */
struct flow_step *flow_step_at(const struct flow *flow, uint64_t address);
/* Nothing is reached yet. */
void flow_reach_begin(struct flow *flow);
/*
 * Marks what may be executed from the address on, up to stops and the end of the code. Jumps out of
 * the code end there. 0; -1: it is not known, it may be anything.
 */
int flow_reach(struct flow *flow, uint64_t address);

#endif
