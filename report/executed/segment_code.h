/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * segment_code.h - the machine instructions of a segment, from its module's file: without those of
 * the counter, and without NOPs (sleds of probes and alignment are NOPs). An instruction with a
 * `rep` prefix is one.
 */
#ifndef REPORT_EXECUTED_SEGMENT_CODE_H
#define REPORT_EXECUTED_SEGMENT_CODE_H

#include "arch/instruction.h"
#include "file/segments.h"
#include "symbols/symbols.h"

enum segment_code_state {
	SEGMENT_CODE_KNOWN,
	SEGMENT_CODE_GONE,    /* it is not there, or has no counter where the table says */
	SEGMENT_CODE_STRANGE, /* some of it is no instruction that is known */
};

struct segment_code {
	enum segment_code_state state;
	uint32_t n_instructions; /* if it is known */
	/* A jump is not its last instruction (inline assembly): not all of it may be executed, or
	 * some of it several times. */
	int has_jumps;
};

/* Calls `visit`, or not if it is NULL, with each instruction. */
struct segment_code segment_code_read(const struct symbols *symbols, const struct segment *segment,
				      void (*visit)(void *arg, const struct instruction *instruction),
				      void *arg);

#endif
