/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * habits.h - commands and options that people know from perf, gprof and uftrace, and what there is
 * here in their place: said when somebody types them.
 */
#ifndef REPORT_LIB_HABITS_H
#define REPORT_LIB_HABITS_H

#include "options.h"

/* Options, of any command; the last row has no names. */
extern const struct absent_options habits_options[];

/* If the word is a command of another profiler, or a program, says what to type and returns 1. */
int habits_say_command(const char *word);

#endif
