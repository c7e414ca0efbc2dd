/* SPDX-License-Identifier: MIT */
/*
 * cinstr/call_sums.h - executed instructions by call path, exactly: there if a module was built
 * with -fplugin-arg-cinstr-instructions=calls. Each thread has a second tree then, in which what it
 * has executed so far stands in the place of time. It is folded of the same events (doc/format.md).
 */
#ifndef CINSTR_CALL_SUMS_H
#define CINSTR_CALL_SUMS_H

#include "format.h"

/* Type of a segment (enum cinstr_segment_type). Payload: struct cinstr_call_sums; owner: a number
 * of threads that no thread has, which the segments of the tree's cells and stack have, too. */
#define CINSTR_SEG_CALL_SUMS 26

/* So far behind each record of a thread's buffer is a word with what the thread had executed then;
 * 0: that is not known. */
#define CINSTR_CALL_SUMS_AT 36864

enum cinstr_call_sums_flag {
	/* Some was executed, or some event came, where it could not be added up: the tree is not
	 * to be used. */
	CINSTR_CALL_SUMS_UNKNOWN = 1,
	/* Some segments have jumps inside: sums may be somewhat off. */
	CINSTR_CALL_SUMS_ROUGH = 2,
};

struct cinstr_call_sums {
	/* its state is CINSTR_THREAD_ENDED, and it has no buffer; first_ticks: what the thread had
	 * executed before its first event counts for nobody */
	struct cinstr_thread tree;
	uint32_t thread; /* index of the thread that it is of */
	uint32_t flags;	 /* enum cinstr_call_sums_flag */
};

#endif
