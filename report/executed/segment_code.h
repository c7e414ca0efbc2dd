/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segment_code.h - the machine instructions of a segment, from its module's file: without those of
 * the counter, and without NOPs (sleds of probes and alignment are NOPs). An instruction with a
 * `rep` prefix counts once. */
#ifndef REPORT_EXECUTED_SEGMENT_CODE_H
#define REPORT_EXECUTED_SEGMENT_CODE_H

#include "arch/instruction.h"
#include "file/segments.h"
#include "symbols/symbols.h"

enum segment_code_state {
	SEGMENT_CODE_KNOWN,
	SEGMENT_CODE_GONE,    /* the code is missing, or has no counter where the table says */
	SEGMENT_CODE_STRANGE, /* some of it is no known instruction */
};

struct segment_code {
	enum segment_code_state state;
	uint32_t n_instructions; /* valid if the code is known */
	/* A jump is not the last instruction (inline assembly): not all of the segment may be
	 * executed, or some of it several times. */
	int has_jumps;
};

/* Reads a segment, and calls `visit` with each instruction, unless it is NULL. */
struct segment_code segment_code_read(const struct symbols *symbols, const struct segment *segment,
				      void (*visit)(void *arg, const struct instruction *instruction),
				      void *arg);

#endif
