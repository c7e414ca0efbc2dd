/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_end.h - the end of cinstr record after its program has ended: stores how it ended, and
 * reports what was recorded. */
#ifndef REPORT_RECORD_END_H
#define REPORT_RECORD_END_H

#include <sys/types.h>

#include "record.h"

/* Finishes the session folder `session`. pid, status (as from waitpid()): of the program. If
 * nothing was recorded, the previous session is restored. outcome: receives the result instead of a
 * report; NULL: reports it. */
void record_finish(const char *session, const char *program, pid_t pid, int status,
		   struct record_outcome *outcome);

/* Whether the session's folder was deleted while recording, which is reported: there is nothing to
 * finish then. If it was moved, sets `session` (of SESSION_PATH_MAX) to its present name. */
int record_is_gone(char *session);
/* Whether a runtime has made a file in the session; with --mixed there may be samples only. */
int record_has_calls(const char *session);
/* Reports why there are no calls. */
void record_say_no_calls(const char *session, const char *program);

/* Returns the path, relative to the working folder if it lies below it. */
const char *record_shown_path(const char *path);

#endif
