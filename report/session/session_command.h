/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session_command.h - the command that `cinstr record` ran, stored in the session's page
 * (CINSTR_COMMAND_OFFSET). */
#ifndef REPORT_SESSION_COMMAND_H
#define REPORT_SESSION_COMMAND_H

/* Stores the command in the session that this process has just created. Does nothing if its page
 * cannot be written. */
void session_command_note(char *const *argv);
/* Returns the command as a new string, quoted for a shell, or NULL if it is not known or `folder`
 * is not a session. */
char *session_command(const char *folder);

#endif
