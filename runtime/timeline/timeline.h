/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - the timeline: keeps the records of all events: functions for other rooms, by file.
 * Included by runtime.h.
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
/* Called when a thread begins, with a record of its own or in that of an ended thread ... */
void timeline_begin(struct thread *thread, int has_new_record);
/* ... and when the thread and its record are over. */
void timeline_end(struct thread *thread);
/* Keeps the thread's buffer of n records, which is about to be folded. Returns 1, or 0: no room. */
int timeline_keep(struct thread *thread, size_t n);

/* timeline_watch.c */
void timeline_watch_module(struct module *module);

#endif
