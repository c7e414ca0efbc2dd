/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_computing.h - what the rules on computing look for: each puts what it has found, and
 * returns 1; or 0. */
#ifndef REPORT_FINDINGS_FINDINGS_COMPUTING_H
#define REPORT_FINDINGS_FINDINGS_COMPUTING_H

#include "computing.h"
#include "hot_code.h"
#include "lib/util.h"

struct computing_found {
	uint32_t about; /* the function that it is said of */
	int is_said_of; /* ... but the text is of the next one: see struct finding */
	uint32_t said_of;
	const struct row *edge;	 /* and the call; NULL: it is of no single one */
	const struct row *place; /* see struct finding */
	struct code_place code;	 /* where most of it is; its file is NULL: not known */
	long double time;	 /* that it is about, or samples, of all threads */
	struct strbuf text;
	const char *verb; /* of the command that shows more, ... */
	uint32_t look_at; /* ... and the function to give it */
};

/*
 * Do calls take all times from about none to twice the mean, as those of a search in a list that
 * grows? Of a row with durations.
 */
int computing_grows(const struct row *row);

/* The calls of a function that take at least ten times as long as half of its calls. */
struct slow_calls {
	uint64_t n;
	long double ns;	    /* all of them together, without `lost` */
	long double lost;   /* others had the processor: the machine's, not the program's */
	long double median; /* of all calls */
};

/* Finds the slow calls of a function by the durations of all. Returns whether there are some, and
 * they are few among many. */
int computing_is_rarely_slow(const struct durations *durations, struct slow_calls *slow);

int computing_scan(const struct computing *c, struct computing_found *found);
int computing_search(const struct computing *c, struct computing_found *found);
int computing_recursion(const struct computing *c, struct computing_found *found);
int computing_short(const struct computing *c, struct computing_found *found);
int computing_indirect(const struct computing *c, struct computing_found *found);
int computing_allocation(const struct computing *c, struct computing_found *found);
int computing_copies(const struct computing *c, struct computing_found *found);
int computing_strings(const struct computing *c, struct computing_found *found);
int computing_format(const struct computing *c, struct computing_found *found);
int computing_exceptions(const struct computing *c, struct computing_found *found);
int computing_locking(const struct computing *c, struct computing_found *found);
int computing_strides(const struct computing *c, struct computing_found *found);
int computing_locked(const struct computing *c, struct computing_found *found);
int computing_chase(const struct computing *c, struct computing_found *found);
int computing_slow(const struct computing *c, struct computing_found *found);
int computing_hot(const struct computing *c, struct computing_found *found);

#endif
