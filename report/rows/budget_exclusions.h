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
struct exclusion {
	uint32_t entity; /* in the names that it was added with */
	uint32_t pid;
	/* probes in place at the end: 0 none, 1 entry and exit, 2 all, 3 none, but its calls were
	 * counted */
	uint32_t level;
	uint32_t lowest;	 /* the fewest probes that were in place at a time */
	uint32_t times;		 /* number of removals */
	long double first, last; /* first and last change */
};

struct exclusions {
	struct exclusion *list; /* by process, in order of the first change */
	size_t n;
	struct map keys;      /* (process, function) */
	struct map entities;  /* functions in the list */
	struct map uncounted; /* those whose calls were not counted for some time */
};

void exclusions_add(struct exclusions *outs, struct names *names, const struct data *data);
/* Whether probes of this function were removed at some time, in some process. */
int exclusions_have(const struct exclusions *outs, uint32_t entity);
void exclusions_release(struct exclusions *outs);

/* Appends "leaf at 2.88 ms (all probes, 2 times)", and ", back at 1.20 s" if all probes are
 * back. */
void exclusion_put(struct strbuf *buf, const struct exclusion *out, const struct names *names);
/* Appends the limit, and the estimated cost of probes before and after some were removed; nothing
 * if there is no limit. */
void exclusion_put_estimate(struct strbuf *buf, const struct data *data);

#endif
