/* SPDX-License-Identifier: MIT */
/*
 * cinstr/call_sums.h - exact numbers of executed instructions by call path, recorded if a module
 * was built with -fplugin-arg-cinstr-instructions=calls; or those of a counter of the processor's
 * (CINSTR_COUNTER). Each thread then has a second tree, which has such counts instead of ticks. It
 * is folded from the same events (doc/format.md).
 */
#ifndef CINSTR_CALL_SUMS_H
#define CINSTR_CALL_SUMS_H

#include "format.h"

/* Type of a segment (enum cinstr_segment_type). Payload: struct cinstr_call_sums; owner: a thread
 * index that no thread has; the segments of the tree's cells and stack have the same owner. */
#define CINSTR_SEG_CALL_SUMS 26
/* Type of a segment of a merged file: the sum of all these trees, if each thread of each process
 * that counts instructions has one. Payload: struct cinstr_merged and what follows it, of items
 * that count instructions (doc/format.md). */
#define CINSTR_SEG_MERGED_SUMS 30

/* Distance in bytes from each record of a thread's buffer to a word with the thread's count at that
 * time, plus 1; 0: not known. */
#define CINSTR_CALL_SUMS_AT 36864

enum cinstr_call_sums_flag {
	/* Instructions or events came where they could not be added up: the tree must not be
	 * used. */
	CINSTR_CALL_SUMS_UNKNOWN = 1,
	/* Some segments have jumps inside: sums may be somewhat off. */
	CINSTR_CALL_SUMS_ROUGH = 2,
};

/* Kinds of events that a tree of sums counts. */
enum cinstr_counter {
	CINSTR_COUNTER_NONE, /* in struct cinstr_call_sums: executed instructions, by segments */
	/* By the processor, in user space: */
	CINSTR_COUNTER_CYCLES,
	CINSTR_COUNTER_RETIRED, /* instructions */
	CINSTR_COUNTER_MISSES,	/* of the last level of caches */
	CINSTR_COUNTERS
};

struct cinstr_call_sums {
	/* `state` is CINSTR_THREAD_ENDED, and there is no buffer; first_ticks: the count before the
	 * thread's first event, which belongs to no node */
	struct cinstr_thread tree;
	uint32_t thread;  /* index of the thread that the tree belongs to */
	uint32_t flags;	  /* enum cinstr_call_sums_flag */
	uint32_t counter; /* enum cinstr_counter */
	uint32_t reserved;
};

#endif
