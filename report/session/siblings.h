/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * siblings.h - sessions beside one another: FOLDER, and FOLDER.PID of programs recorded at the same
 * time (runtime/process/session.h). FOLDER.old, the previous session, does not count.
 */
#ifndef REPORT_SIBLINGS_H
#define REPORT_SIBLINGS_H

#include <stddef.h>

struct siblings {
	char **paths; /* sessions with data, newest first */
	size_t n;
};

void siblings_find(struct siblings *siblings, const char *folder);
void siblings_release(struct siblings *siblings);
/* Lists on stderr the sessions other than the first, which is shown. */
void siblings_say_others(const struct siblings *siblings);

/* Whether `name` is the `.old` backup of another session in the same folder. */
int siblings_is_old(const char *folder, const char *name);

#endif
