/* SPDX-License-Identifier: GPL-3.0-or-later */
/* budget_exclusions.h - functions whose probes the overhead budget (--max-overhead) removed, some
 * or all of them, by the marks of the recording. Their times cover only a part of the run; so do
 * their calls, unless they were counted. */
#ifndef REPORT_ROWS_BUDGET_EXCLUSIONS_H
#define REPORT_ROWS_BUDGET_EXCLUSIONS_H

#include "file/data.h"
#include "lib/util.h"
#include "names/names.h"

/* A function of a process whose probes were removed. Times: ns since the process's recording
 * began. */
struct taken_out {
	uint32_t entity; /* in the names that it was added with */
	uint32_t pid;
	/* probes in place at the end: 0 none, 1 entry and exit, 2 all, 3 none, but its calls were
	 * counted */
	uint32_t level;
	uint32_t lowest;	 /* the fewest probes that were in place at a time */
	uint32_t times;		 /* number of removals */
	long double first, last; /* first and last change */
};

struct taken_outs {
	struct taken_out *list; /* by process, in order of the first change */
	size_t n;
	struct map keys;      /* (process, function) */
	struct map entities;  /* functions in the list */
	struct map uncounted; /* those whose calls were not counted for some time */
};

void taken_outs_add(struct taken_outs *outs, struct names *names, const struct data *data);
/* Whether probes of this function were removed at some time, in some process. */
int taken_outs_have(const struct taken_outs *outs, uint32_t entity);
void taken_outs_release(struct taken_outs *outs);

/* Appends "leaf at 2.88 ms (all probes, 2 times)", and ", back at 1.20 s" if all probes are
 * back. */
void taken_out_put(struct strbuf *buf, const struct taken_out *out, const struct names *names);
/* Appends the limit, and the estimated cost of probes before and after some were removed; nothing
 * if there is no limit. */
void taken_out_put_estimate(struct strbuf *buf, const struct data *data);

#endif
