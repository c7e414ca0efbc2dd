/* SPDX-License-Identifier: MIT */
/*
 * sampler.h - the inside of libcinstr-sampler.so: samples by timers of the threads' processor time,
 * for machines where perf_event_open is forbidden. It is preloaded into programs by `cinstr record
 * --sample`, and is a library of its own so that programs that are recorded by probes have nothing
 * of it: it takes the place of a few functions of libc.
 *
 *   sampler_start.c    the process: finds the ring, tells of the program, of forks, of the end
 *   sampler_threads.c  a timer for each thread; pthread_create, thrd_create
 *   sampler_signal.c   the timers' signal: takes the sample
 *   sampler_slots.c    slots of the ring
 *   sampler_filter.c   programs that restrict their system calls: prctl, syscall
 *   sampler_uses.c     programs that use the timers' signal: sigaction, signal, sigwait and its
 *                      like, signalfd
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
 * What the program does not use is SIGURG most likely, and when it is sent nevertheless, or the
 * program sets all signals to their default, nothing happens: by default it is ignored. SIGPROF
 * would end the program.
 */
#define SAMPLER_SIGNAL SIGURG

/* One process. */
struct sampler {
	struct sampler_ring *ring; /* NULL: nothing is sampled here */
	uint32_t n_slots;	   /* copies: the ring may be written by anybody */
	uint32_t slot_bytes, stack_bytes;
	uint64_t interval_ns, tick_ns;
	char *words, *slots;
	uint32_t pid;
	uint32_t is_silent; /* no more samples */
};
extern struct sampler sampler;

/* One thread. */
struct sampler_thread {
	uint32_t tid; /* 0: it has no timer */
	int timer;
	uint32_t place;	  /* of the timer in the table */
	uint32_t is_main; /* its stack is the process's */
	uint64_t top;	  /* outer end of its stack */
	uint64_t next_ns; /* processor time of the next sample */
	uint64_t lost;	  /* samples, since the last record */
};
extern __thread struct sampler_thread sampler_self;

/* sampler_slots.c: NULL: no slot is free. What was taken is to be sent. */
struct sampler_record *slot_take(enum sampler_record_type type, uint32_t *slot);
void slot_send(uint32_t slot);
/* A record with a text. */
void slot_tell(enum sampler_record_type type, uint32_t parent_pid, uint32_t parent_tid, const char *text,
	       uint32_t bytes);

/* sampler_threads.c */
/* 1: threads of this process are sampled; 0 also in a vfork child, and in one that was made without
 * fork(). */
int threads_are_sampled(void);
void threads_begin_main(void);
void threads_forked(void);
/* No more timers in this process; said to the collector. */
void threads_silence(const char *why);
/* In the thread itself: the intervals that have passed; the timer's next expiry; its end. */
uint32_t thread_intervals(uint64_t cpu_ns);
void thread_rearm(void);
void thread_quiet(void);
/* No more samples of it; but its end and its forks are told. */
void thread_delete_timer(void);

/* libc's function, or another library's that stands between; it is kept in *found. */
void *next_of(const char *name, void **found);

/* sampler_uses.c: finds libc's functions, before there is a signal handler that needs one. */
void uses_begin(void);

/* sampler_signal.c: 0, or -errno: the signal is the program's. */
int signal_begin(void);
/* 1: our handler is what the signal has; that is our handler; the signal was sent by one of our
 * timers. */
int signal_is_handled(void);
int signal_is_ours(const void *handler);
int signal_is_timers(const siginfo_t *info);

#endif
