/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorded_run.h - runs a program by a `cinstr record` of its own. */
#ifndef REPORT_COMPARE_RECORDED_RUN_H
#define REPORT_COMPARE_RECORDED_RUN_H

/*
 * Runs argv (ends with NULL) and has it recorded into `session`; what it prints is left out. In
 * `folder`, or where the command is if that is NULL. Returns 0, or -1 after an error message that
 * begins with `who` ("compare: run 3 of B"): the program failed, or nothing was recorded.
 */
int recorded_run(char *const *argv, const char *session, const char *folder, const char *who);

#endif
