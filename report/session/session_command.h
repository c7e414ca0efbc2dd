/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session_command.h - what `cinstr record` was asked to run, as the session's page keeps it
 * (CINSTR_COMMAND_OFFSET). */
#ifndef REPORT_SESSION_COMMAND_H
#define REPORT_SESSION_COMMAND_H

/* Notes it in the session that this process has just made; nothing where its page cannot be
 * written. */
void session_command_note(char *const *argv);
/* A new string, as a shell takes it; NULL: not known, or `folder` is no session's folder. */
char *session_command(const char *folder);

#endif
