/* SPDX-License-Identifier: MIT */
/*
 * slow.h - what a probe does when something is rare. What other rooms may ask for, by file;
 * comes with runtime.h.
 */
#ifndef CINSTR_RUNTIME_SLOW_H
#define CINSTR_RUNTIME_SLOW_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct probe_state;
struct thread;

/* slow.c */
void slow_note(struct thread *thread, uint32_t type, uint64_t now, uint64_t value);
/* Ends the interval at hand at `now`, with what the operating system did in it, and without an
 * event: it belongs to what it belonged to before. Returns `now`, or the last stamp if that is
 * later. */
uint64_t slow_end_interval(struct thread *thread, uint64_t now);
/* The same, and what follows is no time of the program's. */
void slow_pause(struct thread *thread, uint64_t now);
/* What follows is the program's time again. */
void slow_resume(struct probe_state *probe);
/* Takes the thread out of the count of cinstr.n_gates, if it counts for this gate. */
void slow_gate_close(struct probe_state *probe, uint64_t gate);
int slow_call(void (*work)(void *), void *data);
int slow_call_aside(void (*work)(void *), void *data);
void slow_finish(struct probe_state *probe);

/* resume.c */
void resume_init(void);
/* Moves the last RESUME's stamp, if what follows it is there by now. now: of an event that is not
 * recorded yet, or 0. */
void resume_settle(struct thread *thread, uint64_t now);
/* The same when the kernel says that it did nothing since the RESUME: a way out that was long was
 * interrupted. next: the event that is not recorded yet, or NULL. */
void resume_settle_undisturbed(struct thread *thread, uint64_t now, const struct cinstr_record *next);

#endif
