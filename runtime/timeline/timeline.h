/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - records of each event, kept. What other rooms may ask for, by file; comes with
 * runtime.h.
 */
#ifndef CINSTR_RUNTIME_TIMELINE_H
#define CINSTR_RUNTIME_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct module;
struct thread;

/* timeline.c */
void timeline_init(void);
void timeline_describe(struct cinstr_header *header);
void timeline_forked(void);
/* A thread begins with a record of its own, or goes on in that of one that has ended. */
void timeline_begin(struct thread *thread, int has_new_record);
/* ... and is over, its record with it. */
void timeline_end(struct thread *thread);
/* Keeps the thread's buffer of n records, about to be folded. Returns 0: there is no room for
 * it. */
int timeline_keep(struct thread *thread, size_t n);

/* timeline_watch.c */
void timeline_watch_module(struct module *module);

#endif
