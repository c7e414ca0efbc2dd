/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selection_state.h - a selection's options after parsing, private to selection*.c
 * (selection.h). */
#ifndef REPORT_SELECTION_STATE_H
#define REPORT_SELECTION_STATE_H

#include "just_my_code.h"
#include "lib/globs.h"
#include "session/session_clock.h"

/* One end of the range of time. */
struct bound {
	const char *option, *text;
	int is_set;
	int is_mark; /* a mark, not a time */
	int has_id;  /* the text may be a mark's number */
	int is_found;
	int64_t id;
	long double ns; /* since the session's start; valid if is_found */
};

struct selection_state {
	struct globs processes, threads, functions, modules;
	struct bound from, to;
	struct session_clock clock;
	struct system_code system_code;
	struct names thread_names;
	struct map mark_texts;
	struct map strings; /* owns the values read from the file */
};

#endif
