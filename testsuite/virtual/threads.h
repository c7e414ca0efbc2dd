/* SPDX-License-Identifier: MIT */
/*
 * threads.h - what hooks.c and threads.c know of one another.
 */
#ifndef CINSTR_VIRTUAL_THREADS_H
#define CINSTR_VIRTUAL_THREADS_H

#include <stdint.h>

#include "virtual.h"

#define VIRTUAL_THREADS 64

/* By number; NULL: there is none, or it has ended. */
extern struct virtual_thread *virtual_threads[VIRTUAL_THREADS];

/* In the thread itself, before anything of it is recorded. */
void virtual_begin_thread(uint64_t now);

#endif
