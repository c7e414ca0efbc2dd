/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folders.h - the folders that sessions are read from; checks whether a path lies in one of them
 * after all links and .. are resolved.
 */
#ifndef REPORT_MCP_FOLDERS_H
#define REPORT_MCP_FOLDERS_H

#include <stddef.h>

#include "lib/util.h"

struct folders {
	char **list; /* resolved paths */
	size_t n;
};

/* Resolves the folders, or the working folder if there are none. Returns 0, or -1 after an error
 * message. */
int folders_open(struct folders *folders, char **names, size_t n);
void folders_release(struct folders *folders);

/* Returns the resolved path of the session that a client calls `name`: a path, absolute or relative
 * to one of the folders. The caller frees it. NULL: it does not exist or lies outside, with `why`
 * set. */
char *folders_session(const struct folders *folders, const char *name, struct strbuf *why);
/* Like folders_session(), for a session to be recorded, which need not exist. */
char *folders_new(const struct folders *folders, const char *name, struct strbuf *why);
/* Checks that all data files of a session lie in the folders. Reads the session's list of files.
 * Returns 0, or -1 after an error message. */
int folders_hold(const struct folders *folders, const char *session);

#endif
