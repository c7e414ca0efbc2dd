/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorded_run.h - runs a program under a `cinstr record` of its own. */
#ifndef REPORT_COMPARE_RECORDED_RUN_H
#define REPORT_COMPARE_RECORDED_RUN_H

/* Runs argv (terminated by NULL), recorded into `session`; its output is discarded. folder NULL:
 * the working folder. Returns 0, or -1 after an error message that begins with `who` ("compare: run
 * 3 of B") if the program failed or nothing was recorded. */
int recorded_run(char *const *argv, const char *session, const char *folder, const char *who);

#endif
