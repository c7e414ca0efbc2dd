/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hot_code.h - where in its code a function spends its own time, by samples of the same run and by
 * its inner loops.
 */
#ifndef REPORT_FINDINGS_HOT_CODE_H
#define REPORT_FINDINGS_HOT_CODE_H

#include "computing.h"
#include "symbols/code_loops.h"

struct hot_code {
	uint64_t samples; /* in the function's code; 0: there are none */
	/* The inner loop that has at least half of them; or, without samples, the one with most
	 * loops around it, if all those with as many do the same to memory. */
	struct code_loop loop;
	int has_loop;
	uint64_t locked; /* samples at locked instructions */
	uint64_t locked_at;
	uint64_t most_at; /* in the function that was inlined there and has most samples */
	int is_inlined;	  /* that function has at least half of them */
};

/* 0, or -1: the code is not known. */
int hot_code_find(struct hot_code *code, const struct computing *computing, uint32_t entity);

/* Where an instruction of the function is: texts live as long as the names. */
struct code_place {
	/* the innermost place that is no header of the system; NULL: not known */
	const char *file;
	uint32_t line;
	const char *inlined; /* the function there; NULL: it is not inlined */
	const char *header;  /* what is inlined there of such a header; NULL: nothing is */
};
void code_place_find(struct code_place *place, const struct computing *computing, uint32_t entity,
		     uint64_t address);

#endif
