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
/* Returns the stamp of the thread's last record. */
uint64_t slow_last_stamp(const struct probe_state *probe);
void slow_note(struct thread *thread, uint32_t type, uint64_t now, uint64_t value);
/* Ends the interval at hand at `now`, with what the operating system did in it, and without an
 * event: it belongs to what it belonged to before. Returns `now`, or the last stamp if that is
 * later. */
uint64_t slow_end_interval(struct thread *thread, uint64_t now);
/*
 * Ends the thread's interval where no event may come any more: at its end, or before a fork. As the
 * next event would: what has lost its probes ended when they went. sp: of the program's stack; now:
 * in ticks. Within the thread's own work (slow_call_begin()).
 */
void slow_end_last(struct thread *thread, uint64_t sp, uint64_t now);
/* Does what slow_end_interval() does, and what follows is no time of the program's. */
void slow_pause(struct thread *thread, uint64_t now);
/* What follows is the program's time again. */
void slow_resume(struct probe_state *probe);
void slow_finish(struct probe_state *probe);

/* slow_call.c */
/*
 * Returns the stack that the runtime works on in this thread, which is made if need be: the
 * program's may be a handler's or a coroutine's, of a few hundred bytes. NULL: the program's, under
 * valgrind and other tools that cannot follow a change of the stack, or without memory.
 */
char *slow_call_stack(struct probe_state *probe);
/* Gives the stack of a thread back that does not record: nobody would when the thread ends. */
void slow_call_drop_stack(struct probe_state *probe);
/* Returns a stack for a task that uses a thread's memory, as cinstr_slow_stack() does;
 * SLOW_NOTHING: there is no memory. */
uint64_t slow_call_stack_aside(void);
/* Work begins, or ends. */
void slow_call_begin(struct probe_state *probe);
void slow_call_end(struct probe_state *probe);
/* Takes the thread out of the count of cinstr.n_gates, if it counts for this gate. */
void slow_call_close(struct probe_state *probe, uint64_t gate);
/* Does the runtime's work in the thread, on a stack of the runtime's own, signals blocked. Returns
 * 0, or -1: the thread is at work already, or a filter has come. */
int slow_call(void (*work)(void *), void *data);
/* Does the same in a task that uses a thread's memory: what is the thread's own is not touched.
 * Returns 0, or -1: there is no memory. */
int slow_call_aside(void (*work)(void *), void *data);

/* resume.c */
void resume_init(void);
/* Moves the last RESUME's stamp, if what follows it is there by now. now: of an event that is not
 * recorded yet, or 0. */
void resume_settle(struct thread *thread, uint64_t now);
/* The same when the kernel says that it did nothing since the RESUME: a way out that was long was
 * interrupted. next: the event that is not recorded yet, or NULL. */
void resume_settle_undisturbed(struct thread *thread, uint64_t now, const struct cinstr_record *next);

#endif
