/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * companion_watch.h - what sampled processes tell of themselves: those with the runtime of cinstr
 * have a file of their own in the session (CINSTR_SAMPLING_COMPANION) with their marks, names, and
 * when they switched themselves or a thread off and on. The collector looks into these files while
 * it goes on. Of programs that record besides being sampled it is the data file, which tells
 * whether the process is off.
 *
 * The level of the session is not looked at here: its state is in the session's own block.
 */
#ifndef REPORT_SAMPLER_COMPANION_WATCH_H
#define REPORT_SAMPLER_COMPANION_WATCH_H

#include <stdint.h>

#include "cinstr/format.h"

struct companions *companions_new(const char *session);
void companions_release(struct companions *all);
/* Sees new files and what was written since the last look. To be called before samples are judged;
 * a look at nothing new is cheap. */
void companions_look(struct companions *all, uint64_t now);

/* Was recording on for the thread at that moment, at the levels of its process and of itself?
 * Without a companion: 1. */
int companions_are_on(const struct companions *all, uint32_t pid, uint32_t tid, uint64_t ticks);
/*
 * The control block of the process's program of now; NULL: it has no companion, and the block in
 * its file of samples counts. This one counts instead of that.
 */
const struct cinstr_control_block *companions_block(const struct companions *all, uint32_t pid);
/* The name that the program gave a thread; NULL: none. */
const char *companions_thread_name(const struct companions *all, uint32_t pid, uint32_t tid);

/* A thread has ended: another one may get its number. The process has ended. */
void companions_thread_end(struct companions *all, uint32_t pid, uint32_t tid);
void companions_end(struct companions *all, uint32_t pid, enum cinstr_end end, int status);
/* The same for an exec at that moment: the next program may have a companion by the time that it is
 * told of. */
void companions_exec(struct companions *all, uint32_t pid, uint64_t ticks);

#endif
