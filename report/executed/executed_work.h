/* SPDX-License-Identifier: GPL-3.0-or-later */
/* executed_work.h - numbers to compare with a function's own time: how many instructions it
 * executed, and whether it left its own code meanwhile. */
#ifndef REPORT_EXECUTED_EXECUTED_WORK_H
#define REPORT_EXECUTED_EXECUTED_WORK_H

#include "executed.h"

struct executed_work {
	uint64_t instructions;
	uint64_t ways_out; /* calls, and jumps to other code or to computed addresses */
	int is_known;	   /* the numbers are exact */
};

/* Returns the work by entity of `names`, which the caller frees; NULL if instructions were not
 * counted, or not all of them. */
struct executed_work *executed_work_make(const struct executed *executed, struct names *names);

#endif
