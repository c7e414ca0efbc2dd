/* SPDX-License-Identifier: MIT */
/*
 * system.h - clock, kernel, options, messages. What other rooms may ask for, by file; comes
 * with runtime.h.
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
/* What has been measured so far is what the threads' extremes will be chosen by. Once, before the
 * first fold. */
void clock_set_event_cost(void);
/*
 * What an interval measures that two events begin which are stamped at once (a call and its entry;
 * is_return: an exit and its after-call), less what one measures that the second of them begins
 * alone. Ticks.
 */
uint64_t clock_pair_ticks(int is_return);
void clock_forked(void);
/* The child's first pair of stamps is its parent's. */
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
 * What happened since the last question happened in the runtime itself: it belongs to no interval.
 * But while others had the processor, or the control group had used up its time, the program would
 * have waited, too: returns the ticks of that since `since`, and the next question tells of them.
 * Returns 0 if there were none, or too few for an interval to be asked for them, or if the runtime
 * waited for something itself. since: UINT64_MAX: all is the runtime's.
 */
uint64_t os_ask_own(struct thread *thread, uint64_t since);
void os_note_end(struct cinstr_thread *record);
uint64_t os_price_ticks(void);
/* What the cheapest system call takes; UINT64_MAX: r11 does not tell that there was one. */
uint64_t os_entry_ticks(void);
/* At an event behind a call that enters the kernel at times: did it? interval: up to the event,
 * with the way out of the probe before, as what that takes is an estimate (resume.c). */
int os_was_entered(const struct probe_frame *frame, uint64_t interval);
/* The kernel does not tell any more what it did. */
void os_no_counters(void);
/* Says, once, if the calling thread's restartable sequences are gone. */
void os_check_sequences(void);

/* apart.c */
/* CLONE_ VM, FS, FILES, SIGHAND, THREAD, VFORK, UNTRACED */
#define APART_CLONE_FLAGS 0x814f00u
#define APART_FIRST 3 /* the first of the program's descriptors that the task does not have */
/*
 * Calls work(data), which may open descriptors: they are in no table of the program's, except where
 * there can be no task for it. Returns when that is done.
 */
void call_apart(void (*work)(void *), void *data);
/* From here on there can be none: a filter, a tracer, or the kernel is in the way. */
void apart_not(void);

/* seccomp.c */
/* May the process be recorded at all? Before anything else. */
int seccomp_permits_start(void);
/* In the slow path, signals blocked, at a sled with this action: recording ends if it must. */
void seccomp_before(uint32_t action, const struct probe_frame *frame);

/* option.c */
const char *option_value(enum cinstr_option option);
int option_word(enum cinstr_option option, const char *const *words);
int option_size(enum cinstr_option option, uint64_t *value);
/* CINSTR_PATHS: the largest number of paths. Returns 1: which of them are kept is chosen by time
 * (auto). */
int option_paths(uint64_t *max);
/* SIZE, unlimited, none or ring:SIZE. */
void option_budget(enum cinstr_option option, int *is_ring, uint64_t *bytes);
/* A time, in nanoseconds. */
void option_time(enum cinstr_option option, uint64_t *ns);
/* A number with ns, us, ms or s. Returns 0: it is none. */
int option_read_time(const char *text, uint64_t *ns);
/* Is there a value, and one that makes sense? */
int option_is_given(enum cinstr_option option);
/* The value makes no sense: says so; it has its default from then on. */
void option_complain(enum cinstr_option option);
uint64_t option_millionths(enum cinstr_option option, uint64_t most);
void options_read(void);
/* Does CINSTR say that nothing is to be recorded? */
int option_is_off(void);
/* Tells of each variable CINSTR_... that is no option. */
void options_check_names(void);

/* message.c */
void messages_begin(void);
/* From here on it is known who is to be told: stderr, by the process that begins a session, or the
 * session's page. */
void messages_go(int to_stderr);
/* One line: WHAT: DETAIL (or NULL): the text of this errno (or 0) and what can be done. */
void cinstr_say(const char *what, const char *detail, int error);
/* The same on stderr, for who has asked for it by CINSTR_VERBOSE. */
void cinstr_tell(const char *what, const char *detail);

#endif
