/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_computing.h - what the rules on computing look for: each puts what it has found, and
 * returns 1; or 0. */
#ifndef REPORT_FINDINGS_FINDINGS_COMPUTING_H
#define REPORT_FINDINGS_FINDINGS_COMPUTING_H

#include "computing.h"
#include "lib/util.h"

struct computing_found {
	uint32_t about;		 /* the function that it is said of */
	const struct row *edge;	 /* and the call; NULL: it is of no single one */
	const struct row *place; /* see struct finding */
	long double time;	 /* that it is about, or samples, of all threads */
	/* What could be left out with it (gains.h); nothing: how much is not known. */
	struct avoided {
		const struct row *row;
		enum { AVOIDED_CALLS, AVOIDED_OWN, AVOIDED_LOOP } what;
	} * avoided;
	size_t n_avoided;
	long double avoided_rest; /* besides, ns */
	struct strbuf text;
	const char *verb; /* of the command that shows more, ... */
	uint32_t look_at; /* ... and the function to give it */
};

/* Adds to what could be left out: all of the row's calls, what it takes by itself, or the loop that
 * its call is in. */
void computing_avoids(struct computing_found *found, const struct row *row);
void computing_avoids_own(struct computing_found *found, const struct row *row);
void computing_avoids_loop(struct computing_found *found, const struct row *edge);
void computing_found_release(struct computing_found *found);

/*
 * Do calls take all times from about none to twice the mean, as those of a search in a list that
 * grows? Of a row with durations.
 */
int computing_grows(const struct row *row);

int computing_scan(const struct computing *c, struct computing_found *found);
int computing_search(const struct computing *c, struct computing_found *found);
int computing_recursion(const struct computing *c, struct computing_found *found);
int computing_short(const struct computing *c, struct computing_found *found);
int computing_indirect(const struct computing *c, struct computing_found *found);
int computing_allocation(const struct computing *c, struct computing_found *found);
int computing_strings(const struct computing *c, struct computing_found *found);
int computing_format(const struct computing *c, struct computing_found *found);
int computing_exceptions(const struct computing *c, struct computing_found *found);
int computing_locking(const struct computing *c, struct computing_found *found);
int computing_hot(const struct computing *c, struct computing_found *found);

#endif
