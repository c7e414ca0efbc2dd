/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control_threads.h - switches single threads of recording processes from outside: their struct
 * cinstr_thread. */
#ifndef REPORT_CONTROL_THREADS_H
#define REPORT_CONTROL_THREADS_H

#include "control_levels.h"
#include "target.h"

/* Switches the threads of the target's live processes that match `list` (globs.h: numbers and
 * names). All are found before any is changed. Prints the new state of each. Returns an exit
 * status, after an error message. */
int control_threads(const struct target *target, const char *list, enum level_change change);

#endif
