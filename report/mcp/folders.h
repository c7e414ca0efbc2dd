/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folders.h - the folders that sessions are read from, and whether a path lies in one of them once
 * all links and .. are followed.
 */
#ifndef REPORT_MCP_FOLDERS_H
#define REPORT_MCP_FOLDERS_H

#include <stddef.h>

#include "lib/util.h"

struct folders {
	char **list; /* without links */
	size_t n;
};

/* Takes the folders of these names, or the current one if there are none. 0, or -1 after an error
 * message. */
int folders_open(struct folders *folders, char **names, size_t n);
void folders_release(struct folders *folders);

/* Returns the path, without links, of the session that a client calls `name`: a path, or one in a
 * folder of these. The caller frees it. NULL: `why` says that there is none, or that it lies
 * outside. */
char *folders_session(const struct folders *folders, const char *name, struct strbuf *why);
/* The same of a session that is to be recorded, and need not be there. */
char *folders_new(const struct folders *folders, const char *name, struct strbuf *why);
/* Whether all data files of a session lie within the folders. 0, or -1 after an error message.
 * Reads the session's list of files. */
int folders_hold(const struct folders *folders, const char *session);

#endif
