/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ui_session.h - the session shown: a profile for each kind of page, read when the first such page
 * is opened. Every profile has its own names; a function is found in another profile by its key.
 */
#ifndef REPORT_UI_UI_SESSION_H
#define REPORT_UI_UI_SESSION_H

#include "annotate/annotate.h"
#include "rows/caller_rows.h"
#include "summary/summary.h"
#include "view/view.h"

/* A function of a profile. names NULL: none. */
struct ui_function {
	const struct names *names;
	uint32_t entity;
};

struct ui_session {
	struct view *view; /* of view_read(); the session is open */
	const struct view_options *options;
	const struct counting *counting;
	int newer;		/* also shows sources newer than the recording */
	struct summary summary; /* made when it is first shown; valid if has_summary */
	int has_summary;
	/* Profiles of the summary that are read when the session is opened. */
	struct profile *functions, *threads, *processes, *paths;
	/* Read when needed. */
	struct profile callers;
	struct caller_rows edges;
	int has_callers;
	struct annotation annotation;
	int has_lines;
	/* Called when work takes a while, to be shown on the screen; may be NULL. */
	void (*busy)(void *arg, const char *what);
	void *busy_arg;
};

void ui_session_init(struct ui_session *session, const struct view_options *options,
		     const struct counting *counting);
void ui_session_release(struct ui_session *session);
void ui_session_read_callers(struct ui_session *session);
void ui_session_read_lines(struct ui_session *session);
/* Reads further profiles and makes the summary, at the first call. Returns 0, or -1 after an error
 * message. */
int ui_session_read_summary(struct ui_session *session);
void ui_session_busy(struct ui_session *session, const char *what);

/* Returns the same function in another profile, or NAMES_NONE. */
uint32_t ui_function_in(const struct names *names, struct ui_function function);
/* Returns the key of a function, valid as long as its names, or NULL. */
const char *ui_function_key(struct ui_function function, size_t *length);
struct ui_function ui_function_of_key(const struct names *names, const char *key, size_t length);
const char *ui_function_name(struct ui_function function);

#endif
