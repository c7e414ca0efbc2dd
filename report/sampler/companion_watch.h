/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * companion_watch.h - what sampled processes record about themselves: those with cinstr's runtime
 * have a file of their own in the session (CINSTR_SAMPLING_COMPANION) with their marks, names, and
 * the times when they switched themselves or a thread off and on. The collector reads these files
 * while it runs. Of programs that are recorded and sampled, the data file is read for whether the
 * process is off.
 *
 * The session's level is not read here: its state is in the session's own block.
 */
#ifndef REPORT_SAMPLER_COMPANION_WATCH_H
#define REPORT_SAMPLER_COMPANION_WATCH_H

#include <stdint.h>

#include "cinstr/format.h"

struct companions *companions_new(const char *session);
void companions_release(struct companions *all);
/* Reads new files and what was added since the last look. To be called before samples are
 * processed; cheap if there is nothing new. */
void companions_look(struct companions *all, uint64_t now);

/* Whether recording was on for the thread at that time, at the levels of its process and of the
 * thread. 1 without a companion. */
int companions_are_on(const struct companions *all, uint32_t pid, uint32_t tid, uint64_t ticks);
/* Returns the control block in the companion of the process's current program, which replaces the
 * one in its file of samples; NULL: it has no companion. */
const struct cinstr_control_block *companions_block(const struct companions *all, uint32_t pid);
/* Returns the name that the program gave a thread, or NULL. */
const char *companions_thread_name(const struct companions *all, uint32_t pid, uint32_t tid);

/* Forget a thread, whose number may be used again, or a process that has ended. */
void companions_thread_end(struct companions *all, uint32_t pid, uint32_t tid);
void companions_end(struct companions *all, uint32_t pid, enum cinstr_end end, int status);
/* Like companions_end() for an exec at that time: the next program may already have a companion
 * when the exec is reported. */
void companions_exec(struct companions *all, uint32_t pid, uint64_t ticks);

#endif
