/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session_messages.h - prints the messages that processes of a session stored for the user (struct
 * cinstr_messages). */
#ifndef REPORT_SESSION_MESSAGES_H
#define REPORT_SESSION_MESSAGES_H

/* Prints the messages on stderr, one per line. Returns 1 if there were any; a folder without a
 * session's page has none. */
int session_messages_say(const char *folder);

#endif
