/* SPDX-License-Identifier: MIT */
/*
 * system.h - clock, kernel, options, messages: functions for other rooms, by file. Included by
 * runtime.h.
 */
#ifndef CINSTR_RUNTIME_SYSTEM_H
#define CINSTR_RUNTIME_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/options.h"

struct thread;
struct cinstr_header;
struct cinstr_thread;
struct probe_frame;

/* clock.c */
void clock_choose(void);
void clock_mark(int which);
void calibrate(unsigned rounds);
/* Sets the cost of an event, by which threads' extremes are chosen, from the measurements so far.
 * Call it once, before the first fold. */
void clock_set_event_cost(void);
/*
 * Returns the ticks that an empty interval measures if it begins with two events of one stamp (a
 * call and its entry; is_return: an exit and its after-call), less those if the second event begins
 * it alone.
 */
uint64_t clock_pair_ticks(int is_return);
void clock_forked(void);
/* Takes the child's first pair of stamps from its parent. */
void clock_inherit(const struct cinstr_header *parent);

/* os.c */
struct os_answer {
	uint32_t bits; /* enum cinstr_os_bit; 0: nothing happened */
	uint64_t off_cpu_ticks;
	uint64_t switches; /* voluntary | involuntary << 32 */
};
void os_begin(struct thread *thread, uint64_t now);
struct os_answer os_ask(struct thread *thread, uint64_t now, uint64_t interval);
/*
 * Charges all OS events since the last question to the runtime itself: they belong to no interval.
 * Exception: while others had the processor, or the control group had used up its time, the program
 * would have waited, too: returns the ticks of that since `since`, and the next question reports
 * them. Returns 0 if there were none, or too few for an interval to be checked for them, or if the
 * runtime itself waited. since: UINT64_MAX: all is the runtime's.
 */
uint64_t os_ask_own(struct thread *thread, uint64_t since);
void os_note_end(struct cinstr_thread *record);
uint64_t os_price_ticks(void);
/* Returns the ticks of the cheapest system call, or UINT64_MAX: r11 does not show that one was
 * made. */
uint64_t os_entry_ticks(void);
/* Returns 1 if the call before this event, one that enters the kernel at times, did so, else 0.
 * interval: ticks up to the event, including the way out of the probe before, whose duration is an
 * estimate (resume.c). */
int os_was_entered(const struct probe_frame *frame, uint64_t interval);
/* Notes that the kernel's counters cannot be read any more. */
void os_no_counters(void);
/* Reports, once, that the calling thread's restartable sequences are unregistered, if so. */
void os_check_sequences(void);

/* apart.c */
/* CLONE_ VM, FS, FILES, SIGHAND, THREAD, VFORK, UNTRACED */
#define APART_CLONE_FLAGS 0x814f00u
#define APART_FIRST 3 /* the first of the program's descriptors that the task does not have */
/*
 * Calls work(data), which may open descriptors, in a task with a descriptor table of its own;
 * without such a task, in the program's table. Returns when the work is done.
 */
void call_apart(void (*work)(void *), void *data);
/* Has call_apart() make no tasks any more: a filter, a tracer or the kernel prevents them. */
void apart_not(void);

/* seccomp.c */
/* Returns 1 if the process may be recorded at all, else 0. Call it before anything else. */
int seccomp_permits_start(void);
/* Ends recording if the call at a sled with this action requires it. In the slow path, signals
 * blocked. */
void seccomp_before(uint32_t action, const struct probe_frame *frame);

/* option.c */
const char *option_value(enum cinstr_option option);
int option_word(enum cinstr_option option, const char *const *words);
int option_size(enum cinstr_option option, uint64_t *value);
/* Reads CINSTR_PATHS, the largest number of paths. Returns 1 if paths are chosen by time (auto),
 * else 0. */
int option_paths(uint64_t *max);
/* Reads SIZE, unlimited, none or ring:SIZE. */
void option_budget(enum cinstr_option option, int *is_ring, uint64_t *bytes);
/* Reads a time, in nanoseconds. */
void option_time(enum cinstr_option option, uint64_t *ns);
/* Reads a number with ns, us, ms or s. Returns 1, or 0 if it is no time. */
int option_read_time(const char *text, uint64_t *ns);
/* Returns 1 if the option was set to a valid value, else 0. */
int option_is_given(enum cinstr_option option);
/* Reports that the value is invalid, and resets it to the default. */
void option_complain(enum cinstr_option option);
uint64_t option_millionths(enum cinstr_option option, uint64_t most);
void options_read(void);
/* Returns 1 if CINSTR switches recording off, else 0. */
int option_is_off(void);
/* Reports each variable CINSTR_... that is no option. */
void options_check_names(void);

/* message.c */
void messages_begin(void);
/* Sets where messages go: to stderr, in the process that begins a session, or to the session's
 * page. Sends those held back. */
void messages_go(int to_stderr);
/* Sends one line: WHAT: DETAIL (or NULL): the text of this errno (or 0) and a remedy. */
void cinstr_say(const char *what, const char *detail, int error);
/* Writes a line to stderr if CINSTR_VERBOSE is set. */
void cinstr_tell(const char *what, const char *detail);

#endif
