/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * advice.h - what somebody who knows the tool would say about a session: what its numbers are
 * worth, and how to get better ones. Each rule has a fixed id, a severity, a text with the
 * session's figures, and what to do.
 */
#ifndef REPORT_ADVICE_H
#define REPORT_ADVICE_H

#include <stdio.h>

#include "rows/profile.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_INFORMATION };

#define ADVICE_MIXED "CI0216" /* a mixed recording tells more */

struct advice {
	const char *id;
	enum severity severity;
	char *text, *action;
	int is_in_foot; /* whether the text below a table says it, too */
};

struct advices {
	struct advice *list; /* errors first */
	size_t n;
};

/* `functions`: a profile BY_FUNCTION, or another: then no functions are named. is_live: it is still
 * being recorded. */
void advices_make(struct advices *advices, const struct profile *functions, int is_live);
/* Errors and warnings in short, for the foot of a table; nothing: there is none. */
void advices_put_serious(struct strbuf *text, const struct profile *profile, int is_live);
/* The same of errors only; how many warnings there are. */
void advices_put_errors(struct strbuf *text, const struct profile *profile, int is_live);
size_t advices_count_notes(const struct profile *profile, int is_live);
/* The length of its text's first sentence, without what ends it. */
size_t advice_sentence(const struct advice *advice);
void advices_release(struct advices *advices);

/* "error", "warning", "information" */
extern const char *const severity_names[3];

#endif
