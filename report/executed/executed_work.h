/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * executed_work.h - what can be compared with a function's own time: how many instructions it has
 * executed, and whether it has left its own code meanwhile.
 */
#ifndef REPORT_EXECUTED_EXECUTED_WORK_H
#define REPORT_EXECUTED_EXECUTED_WORK_H

#include "executed.h"

struct executed_work {
	uint64_t instructions;
	uint64_t ways_out; /* calls, and jumps to other code or to where it has computed */
	int is_known;	   /* exactly */
};

/* By entity of `names`. Returns NULL if no instructions were counted, or not all of them; to be
 * freed. */
struct executed_work *executed_work_make(const struct executed *executed, struct names *names);

#endif
