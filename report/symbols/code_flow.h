/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code_flow.h - where the processor may go from an instruction on: x86-64 machine code of one function taken apart into instructions, of which only
 * lengths and jumps are looked at.
 */
#ifndef REPORT_CODE_FLOW_H
#define REPORT_CODE_FLOW_H

#include <stddef.h>
#include <stdint.h>

enum flow_kind {
	FLOW_NEXT,     /* goes on behind it; calls do, too */
	FLOW_BRANCH,   /* or to its target */
	FLOW_JUMP,     /* to its target */
	FLOW_ANYWHERE, /* to an address that it computes */
	FLOW_END,      /* nowhere: a return, a trap */
};

struct flow_step {
	uint64_t address, target;
	uint8_t length;
	uint8_t kind;	    /* enum flow_kind */
	uint8_t is_stop;    /* flow_reach() does not go through it */
	uint8_t is_reached; /* by the last flow_reach() */
};

struct flow {
	struct flow_step *steps; /* in order */
	size_t n;
	uint32_t *open; /* flow_reach(): still to be looked at */
};

/* The instruction at code[n] and address. -1: it is none that is known. */
int flow_step_read(const uint8_t *code, size_t n, uint64_t address, struct flow_step *step);
/* All of code[n], which begins at `address`. -1: some of it is not known. */
int flow_read(struct flow *flow, const uint8_t *code, size_t n, uint64_t address);
void flow_release(struct flow *flow);

/* The instruction that begins there; NULL: none does. */
struct flow_step *flow_step_at(const struct flow *flow, uint64_t address);
/* Nothing is reached yet. */
void flow_reach_begin(struct flow *flow);
/*
 * Marks what may be executed from the address on, up to stops and the end of the code. Jumps out of the code end there. Whether that is known: -1: it may
 * be anything.
 */
int flow_reach(struct flow *flow, uint64_t address);

#endif
