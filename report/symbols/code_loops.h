/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code_loops.h - analyses memory accesses in the inner loops of a function's machine code: their
 * strides, whether they follow pointers, whether they use locked instructions. The code does not
 * tell how often a loop is executed.
 */
#ifndef REPORT_CODE_LOOPS_H
#define REPORT_CODE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Strides from here on are not prefetched by any processor; each access is in another cache
 * line. */
#define CODE_LOOPS_LARGE 1024
#define CODE_LOOPS_LINE 64 /* bytes of a cache line */

/* A loop without loops inside. Addresses are of instructions; 0: none. */
struct code_loop {
	uint64_t begin, end;
	uint32_t depth; /* number of loops around it, including itself */
	/* Number of reads and writes that move with each iteration: all, and those with large
	 * strides. Constant strides known only at run time count as large, and so does a column of
	 * rows that are reached by pointers. */
	uint32_t moving, large;
	uint64_t large_at; /* an access with a large stride */
	uint64_t step;	   /* of large_at, bytes; 0: known only at run time */
	/* a read of the address from which the next iteration reads: a list is followed */
	uint64_t chase_at;
	uint64_t locked_at;  /* an instruction with a lock prefix */
	uint64_t changed_at; /* adds to memory, or changes it in place in another way */
};

struct code_loops {
	struct code_loop *list; /* in order of address */
	size_t n;
};

/* Analyses code[n] of a function, which begins at `address`. Returns 0, or -1 if an instruction is
 * unknown. */
int code_loops_make(struct code_loops *loops, const uint8_t *code, size_t n, uint64_t address);
void code_loops_release(struct code_loops *loops);

/* Whether at least half of the moving accesses of an iteration have large strides. */
int code_loop_is_strided(const struct code_loop *loop);

#endif
