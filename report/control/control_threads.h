/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control_threads.h - single threads of processes that record, switched from outside: their struct
 * cinstr_thread. */
#ifndef REPORT_CONTROL_THREADS_H
#define REPORT_CONTROL_THREADS_H

#include "control_levels.h"
#include "target.h"

/*
 * Of the target's live processes the threads that `list` names (globs.h: numbers and names). All
 * are found before anything is changed. Says what each of them is then. Returns a status, after an
 * error message.
 */
int control_threads(const struct target *target, const char *list, enum level_change change);

#endif
