/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timer_program.h - checks whether the library that samples by timers can be loaded into a
 * program. */
#ifndef SAMPLER_TIMER_PROGRAM_H
#define SAMPLER_TIMER_PROGRAM_H

#include <stddef.h>

/* Checks that the library can be preloaded into the program. Returns 0, or -1 with `why` set. */
int timer_program_check(const char *program, char *why, size_t size);

/* Returns the path of the library for LD_PRELOAD, which the caller frees; NULL with `why` set on
 * errors. */
char *timer_library(char *why, size_t size);

#endif
