/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source_path.h - where a source file is now that was compiled at another place, or on another
 * machine. What is not where it was is looked for by --source-path, then by the end of its path
 * below the working folder and the session's.
 */
#ifndef REPORT_SOURCE_PATH_H
#define REPORT_SOURCE_PATH_H

#include <stddef.h>

/* Whether all of FROM=TO,FROM=TO is sound: 0; -1: *wrong and *n are what is not. */
int source_path_check(const char *pairs, const char **wrong, size_t *n);
/* A new string; NULL: there is no such file. pairs, session: may be NULL. */
char *source_path_find(const char *recorded, const char *pairs, const char *session);

#endif
