/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code_loops.h - what the inner loops of a function do to memory, by its machine code: in which
 * steps they go through it, whether they follow pointers, whether they write by locked
 * instructions. How often a loop is executed the code does not tell.
 */
#ifndef REPORT_CODE_LOOPS_H
#define REPORT_CODE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Steps from here on no processor reads ahead of, and each is in another line of its caches. */
#define CODE_LOOPS_LARGE 1024
#define CODE_LOOPS_LINE 64 /* bytes of a cache's line */

/* A loop that has no other loop in it. Addresses: of instructions; 0: there is none. */
struct code_loop {
	uint64_t begin, end;
	uint32_t depth; /* loops around it, and itself */
	/* Reads and writes that go on with each round: in all, and in large steps, where those
	 * known when it runs only count as such, and so does a column of rows that pointers lead
	 * to. */
	uint32_t moving, large;
	uint64_t large_at;
	uint64_t step; /* bytes, of large_at; 0: it is known when the loop runs only */
	/* a read of where the next round reads */
	uint64_t chase_at;
	uint64_t locked_at;
};

struct code_loops {
	struct code_loop *list; /* in the order of their addresses */
	size_t n;
};

/* code[n] of a function, which begins at `address`. -1: some of it is not known. */
int code_loops_make(struct code_loops *loops, const uint8_t *code, size_t n, uint64_t address);
void code_loops_release(struct code_loops *loops);

/* Does at least half of what a round touches lie in large steps? */
int code_loop_is_strided(const struct code_loop *loop);

#endif
