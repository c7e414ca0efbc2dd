/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loops.h - loops of one block whose iterations are known before the first one, so that segments.cc
 * counts them there and not in each iteration.
 */
#ifndef CINSTR_PLUGIN_LOOPS_H
#define CINSTR_PLUGIN_LOOPS_H

#include "gcc.h"

/*
 * A loop that ends when a register that gets `step` in each iteration equals `limit`:
 *	iterations = ((limit - register - (is_stepped_first ? step : 0)) mod 2^bits) / step + 1
 * with the register's value before the loop. For a negative step both are negated.
 */
struct counted_loop {
	unsigned int reg;      /* GCC's number, of a general register */
	rtx limit;	       /* a general register that the loop does not change, or a constant */
	HOST_WIDE_INT step;    /* plus or minus a power of two; 0: the block is no such loop */
	bool is_wide;	       /* 64 bits are compared; else 32 */
	bool is_stepped_first; /* before the comparison */
};

/* Returns the loop that the block is, if control enters it only from the code right before it, and
 * leaves it only at its end. Needs blocks, and which registers instructions set. */
struct counted_loop loops_find(basic_block bb);

#endif
