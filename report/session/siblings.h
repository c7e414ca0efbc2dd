/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * siblings.h - the sessions that stand beside one another: FOLDER, and FOLDER.PID of programs that
 * were recorded at the same time (runtime/process/session.h). FOLDER.old, the one before, is none
 * of them.
 */
#ifndef REPORT_SIBLINGS_H
#define REPORT_SIBLINGS_H

#include <stddef.h>

struct siblings {
	char **paths; /* those with data, the newest first */
	size_t n;
};

void siblings_find(struct siblings *siblings, const char *folder);
void siblings_release(struct siblings *siblings);
/* Says on stderr which there are besides the first, that is shown. */
void siblings_say_others(const struct siblings *siblings);

/* Is this name that of the session before another one, which is in the same folder? */
int siblings_is_old(const char *folder, const char *name);

#endif
