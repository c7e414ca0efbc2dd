/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source_path.h - finds a source file that was compiled elsewhere or on another machine. Tries
 * --source-path, the recorded path, then the end of that path below the working folder and below
 * the session's.
 */
#ifndef REPORT_SOURCE_PATH_H
#define REPORT_SOURCE_PATH_H

#include <stddef.h>

/* Checks a list FROM=TO,FROM=TO. Returns 0, or -1 with *wrong and *n set to the faulty pair. */
int source_path_check(const char *pairs, const char **wrong, size_t *n);
/* Returns the present path as a new string, or NULL if there is no such file. pairs (the list of
 * --source-path) and session may be NULL. */
char *source_path_find(const char *recorded, const char *pairs, const char *session);

#endif
