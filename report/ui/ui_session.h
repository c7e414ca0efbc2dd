/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ui_session.h - the session that is looked at: a profile for each kind of page, read when the
 * first page of the kind is opened. Every profile has names of its own: a function is looked up in
 * another one by what makes it that function.
 */
#ifndef REPORT_UI_UI_SESSION_H
#define REPORT_UI_UI_SESSION_H

#include "annotate/annotate.h"
#include "rows/caller_rows.h"
#include "summary/summary.h"
#include "view/view.h"

/* A function of one of the profiles. names NULL: none. */
struct ui_function {
	const struct names *names;
	uint32_t entity;
};

struct ui_session {
	struct view *view; /* view_read's: the session is open */
	const struct view_options *options;
	const struct counting *counting;
	int newer;		/* sources that are newer than the recording, too */
	struct summary summary; /* made when it is first shown: has_summary */
	int has_summary;
	/* Of the summary's profiles those that are read when the session is opened. */
	struct profile *functions, *threads, *processes, *paths;
	/* Later, if at all. */
	struct profile callers;
	struct edges edges;
	int has_callers;
	struct annotation annotation;
	int has_lines;
	/* Something takes a while: the screen says so. NULL: nobody is told. */
	void (*busy)(void *arg, const char *what);
	void *busy_arg;
};

void ui_session_init(struct ui_session *session, const struct view_options *options,
		     const struct counting *counting);
void ui_session_release(struct ui_session *session);
void ui_session_read_callers(struct ui_session *session);
void ui_session_read_lines(struct ui_session *session);
/* Returns 0, or -1 after an error message. */
int ui_session_read_summary(struct ui_session *session);
void ui_session_busy(struct ui_session *session, const char *what);

/* The same function in another profile; NAMES_NONE: it is not in there. */
uint32_t ui_function_in(const struct names *names, struct ui_function function);
/* What makes it that function, as long as the names are there. NULL: it is none. */
const char *ui_function_key(struct ui_function function, size_t *length);
struct ui_function ui_function_of_key(const struct names *names, const char *key, size_t length);
const char *ui_function_name(struct ui_function function);

#endif
