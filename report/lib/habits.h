/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * habits.h - commands and options known from perf, gprof and uftrace, and their counterparts here,
 * which are suggested when a user types them.
 */
#ifndef REPORT_LIB_HABITS_H
#define REPORT_LIB_HABITS_H

#include "options.h"

/* Options of all commands; the last row has no names. */
extern const struct absent_options habits_options[];

/* If the word is a command of another profiler, or a program, prints what to type instead and
 * returns 1. */
int habits_say_command(const char *word);

#endif
