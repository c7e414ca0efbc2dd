/* SPDX-License-Identifier: MIT */
/*
 * slow.h - the slow path of probes, for rare events: functions for other rooms, by file. Included
 * by runtime.h.
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
/* Ends the current interval at `now`, with its OS events, and without an event of the program: the
 * next interval belongs to the same cell. Returns `now`, or the last stamp if that is later. */
uint64_t slow_end_interval(struct thread *thread, uint64_t now);
/*
 * Ends the thread's interval as the next event would, where none may come any more: at the thread's
 * end, or before a fork. Activations that have lost their probes end when these were taken out. sp:
 * of the program's stack; now: in ticks. Within the thread's own work (slow_call_begin()).
 */
void slow_end_last(struct thread *thread, uint64_t sp, uint64_t now);
/* Does as slow_end_interval(); the following time is not the program's. */
void slow_pause(struct thread *thread, uint64_t now);
/* Records that the following time is the program's again (RESUME). */
void slow_resume(struct probe_state *probe);
void slow_finish(struct probe_state *probe);

/* slow_call.c */
/*
 * Returns the stack for the runtime's work in this thread, made if need be: the program's may be a
 * handler's or a coroutine's, of a few hundred bytes. Returns NULL for the program's stack: under
 * valgrind and other tools that cannot follow a change of the stack, or without memory.
 */
char *slow_call_stack(struct probe_state *probe);
/* Unmaps the stack of a thread that does not record, as nothing would do so at the thread's end. */
void slow_call_drop_stack(struct probe_state *probe);
/* Returns a stack for a task that uses a thread's memory, as cinstr_slow_stack() does, or
 * SLOW_NOTHING: no memory. */
uint64_t slow_call_stack_aside(void);
/* Begin and end the runtime's work in the thread. */
void slow_call_begin(struct probe_state *probe);
void slow_call_end(struct probe_state *probe);
/* Takes the thread out of the count in cinstr.n_gates, if it is counted for this gate. */
void slow_call_close(struct probe_state *probe, uint64_t gate);
/* Calls work(data) in the thread, on a stack of the runtime's own, signals blocked. Returns 0, or
 * -1: the thread is at work already, or a filter was installed. */
int slow_call(void (*work)(void *), void *data);
/* Does the same in a task that uses a thread's memory, without touching the thread's state. Returns
 * 0, or -1: no memory, or a filter was installed. */
int slow_call_aside(void (*work)(void *), void *data);

/* resume.c */
void resume_init(void);
/* Moves the stamp of the last RESUME, if the record after it exists by now. now: stamp of an event
 * that is not recorded yet, or 0. */
void resume_settle(struct thread *thread, uint64_t now);
/* Does the same if the kernel reports no events since the RESUME: then all time up to the gate's
 * clock reading is the way out's, however long. next: the event that is not recorded yet, or
 * NULL. */
void resume_settle_undisturbed(struct thread *thread, uint64_t now, const struct cinstr_record *next);

#endif
