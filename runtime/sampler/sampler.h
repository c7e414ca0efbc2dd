/* SPDX-License-Identifier: MIT */
/*
 * sampler.h - the inside of libcinstr-sampler.so: takes samples by timers of the threads' processor
 * time, for machines where perf_event_open is forbidden. `cinstr record --sample` preloads it into
 * programs. It is a separate library because it replaces a few functions of libc, which must not
 * affect programs that are recorded by probes.
 *
 *   sampler_start.c    the process: finds the ring, reports the program, forks, the end
 *   sampler_threads.c  a timer for each thread; pthread_create, thrd_create
 *   sampler_signal.c   the timers' signal: takes the sample
 *   sampler_slots.c    slots of the ring
 *   sampler_filter.c   programs that restrict their system calls: prctl, syscall
 *   sampler_uses.c     programs that use the timers' signal: sigaction, signal, sigwait and
 *                      similar, signalfd
 *
 * Rules of the runtime: no allocation, no stdio, no locks, errno and signal masks as they were,
 * general registers only.
 */
#ifndef CINSTR_SAMPLER_H
#define CINSTR_SAMPLER_H

#include <signal.h>

#include "sampler_ring.h"
#include "system/sys.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define SAMPLER_EXPORT __attribute__((visibility("default")))

/*
 * Programs are least likely to use SIGURG, and if it is sent nevertheless, or the program resets
 * all signals to their defaults, nothing happens: by default it is ignored. SIGPROF would end the
 * program.
 */
#define SAMPLER_SIGNAL SIGURG

/* One process. */
struct sampler {
	struct sampler_ring *ring; /* NULL: nothing is sampled here */
	uint32_t n_slots;	   /* copied from the ring, which other processes may write */
	uint32_t slot_bytes, stack_bytes;
	uint64_t interval_ns, tick_ns;
	char *words, *slots;
	uint32_t pid;
	uint32_t is_silent; /* 1: no more samples */
};
extern struct sampler sampler;

/* One thread. */
struct sampler_thread {
	uint32_t tid; /* 0: no timer */
	int timer;
	uint32_t place;	  /* index of its timer in the table */
	uint32_t is_main; /* 1: the first thread, on the process's stack */
	uint64_t top;	  /* outer end of its stack */
	uint64_t next_ns; /* processor time of the next sample */
	uint64_t lost;	  /* samples, lost samples since the last record */
};
extern __thread struct sampler_thread sampler_self;

/* sampler_slots.c: takes a slot and fills in the record's head. Returns NULL if no slot is free.
 * The slot must be sent. */
struct sampler_record *slot_take(enum sampler_record_type type, uint32_t *slot);
void slot_send(uint32_t slot);
/* Sends a record with a text. */
void slot_tell(enum sampler_record_type type, uint32_t parent_pid, uint32_t parent_tid, const char *text,
	       uint32_t bytes);

/* sampler_threads.c */
/* Returns 1 if threads of this process are sampled; 0 also in a vfork child, and in a child that
 * was made without fork(). */
int threads_are_sampled(void);
void threads_begin_main(void);
void threads_forked(void);
/* Deletes all timers of this process and tells the collector why. */
void threads_silence(const char *why);
/* In the thread itself: return the number of intervals that the sample stands for; set the timer's
 * next expiry; end sampling. */
uint32_t thread_intervals(uint64_t cpu_ns);
void thread_rearm(void);
void thread_quiet(void);
/* Deletes the thread's timer; its end and its forks are still reported. */
void thread_delete_timer(void);

/* Returns the next definition of a function, libc's or another library's, and keeps it in
 * *found. */
void *next_of(const char *name, void **found);

/* sampler_uses.c: finds libc's functions before a signal handler needs one. */
void uses_begin(void);

/* sampler_signal.c: installs the handler. Returns 0, or -errno; -EBUSY: the program uses the
 * signal. */
int signal_begin(void);
/* Return 1 if the signal has our handler; if `handler` is ours; if one of our timers sent the
 * signal. */
int signal_is_handled(void);
int signal_is_ours(const void *handler);
int signal_is_timers(const siginfo_t *info);

#endif
