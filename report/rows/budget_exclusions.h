/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * budget_exclusions.h - functions whose probes the budget of overhead (--max-overhead) took out, in
 * part or whole, as the marks of the recording tell: their times cover a part of the run only; so
 * do their calls, unless they were counted.
 */
#ifndef REPORT_ROWS_BUDGET_EXCLUSIONS_H
#define REPORT_ROWS_BUDGET_EXCLUSIONS_H

#include "file/data.h"
#include "lib/util.h"
#include "names/names.h"

/* One function in one process. Times: ns since the process's recording began. */
struct taken_out {
	uint32_t entity; /* of the names it was added with */
	uint32_t pid;
	/* what was in place at the end: 0 nothing, 1 entry and exit, 2 everything, 3 its calls were
	 * counted */
	uint32_t level;
	uint32_t lowest;	 /* what was in place at the least */
	uint32_t times;		 /* how often it was taken out further */
	long double first, last; /* change */
};

struct taken_outs {
	struct taken_out *list; /* in order of the first change, by process */
	size_t n;
	struct map keys;      /* process and function */
	struct map entities;  /* those in the list */
	struct map uncounted; /* of these: calls of which were not even counted */
};

void taken_outs_add(struct taken_outs *outs, struct names *names, const struct data *data);
/* Was something of this function out at some time, in some process? */
int taken_outs_have(const struct taken_outs *outs, uint32_t entity);
void taken_outs_release(struct taken_outs *outs);

/* "leaf at 2.88 ms (all probes, 2 times), back at 1.20 s" */
void taken_out_put(struct strbuf *buf, const struct taken_out *out, const struct names *names);
/* What the limit was, and what the probes were estimated to cost before and after; nothing: no
 * limit. */
void taken_out_put_estimate(struct strbuf *buf, const struct data *data);

#endif
