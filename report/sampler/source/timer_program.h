/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timer_program.h - what stands between a program and the library that samples it by timers. */
#ifndef SAMPLER_TIMER_PROGRAM_H
#define SAMPLER_TIMER_PROGRAM_H

#include <stddef.h>

/* Can the library be preloaded into it? 0, or -1 and why. */
int timer_program_check(const char *program, char *why, size_t size);

/* Path of the library, as LD_PRELOAD takes it; the caller frees it. NULL and why. */
char *timer_library(char *why, size_t size);

#endif
