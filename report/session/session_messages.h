/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session_messages.h - what processes of a session had to say and kept for us (struct
 * cinstr_messages). */
#ifndef REPORT_SESSION_MESSAGES_H
#define REPORT_SESSION_MESSAGES_H

/* Says it on stderr, a line each. A folder without a session's page has none. Returns 1: something
 * was said. */
int session_messages_say(const char *folder);

#endif
