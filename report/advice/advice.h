/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * advice.h - an expert's remarks on a session: how reliable its numbers are, and how to get better
 * ones. Each rule has a fixed id, a severity, a text with the session's figures, and an action.
 */
#ifndef REPORT_ADVICE_H
#define REPORT_ADVICE_H

#include "rows/profile.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_INFORMATION };

#define ADVICE_MIXED "CI0216" /* a mixed recording would show more */

struct advice {
	const char *id;
	enum severity severity;
	char *text, *action;
	int is_in_foot; /* also shown below a table */
};

struct advices {
	struct advice *list; /* errors first */
	size_t n;
};

/* Makes the advice. `functions`: a profile BY_FUNCTION; with another kind no functions are named.
 * is_live: the session is still being recorded. */
void advices_make(struct advices *advices, const struct profile *functions, int is_live);
/* Appends errors and warnings in short, for the foot of a table; nothing if there are none. */
void advices_put_serious(struct strbuf *text, const struct profile *profile, int is_live);
/* Append errors only; return the number of warnings. */
void advices_put_errors(struct strbuf *text, const struct profile *profile, int is_live);
size_t advices_count_notes(const struct profile *profile, int is_live);
/* Returns the length of the first sentence of the text, without its period or colon. */
size_t advice_sentence(const struct advice *advice);
void advices_release(struct advices *advices);

/* "error", "warning", "information" */
extern const char *const severity_names[3];

#endif
