/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_end.h - what cinstr record does when its program has ended: notes how, and says what has been recorded. */
#ifndef REPORT_RECORD_END_H
#define REPORT_RECORD_END_H

#include <sys/types.h>

/*
 * session: its folder's path. pid, status (as from waitpid): of the program argv[0]. A session in which nothing was recorded is undone:
 * what it took the place of is back.
 */
void record_finish(const char *session, const char *program, pid_t pid, int status);

/* The path as short as it can be said. */
const char *record_shown_path(const char *path);

#endif
