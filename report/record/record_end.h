/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_end.h - what cinstr record does when its program has ended: notes how, and says what has
 * been recorded. */
#ifndef REPORT_RECORD_END_H
#define REPORT_RECORD_END_H

#include <sys/types.h>

#include "record.h"

/*
 * session: its folder's path. pid, status (as from waitpid): of the program argv[0]. A session in
 * which nothing was recorded is undone: what it took the place of is back. outcome: NULL, or where
 * to put what else would be said to have been recorded.
 */
void record_finish(const char *session, const char *program, pid_t pid, int status,
		   struct record_outcome *outcome);

/*
 * Whether the session's folder was deleted while it was recorded, which is said: then there is
 * nothing to finish. If it was moved, `session` (of SESSION_PATH_MAX) becomes the name that it has
 * now.
 */
int record_is_gone(char *session);
/* Whether a runtime has made a file in the session: it may be sampled alone (--mixed). */
int record_has_calls(const char *session);
/* Why not. */
void record_say_no_calls(const char *session, const char *program);

/* The path as short as it can be said. */
const char *record_shown_path(const char *path);

#endif
