/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timer_processes.h - the processes and threads that are sampled by timers, as far as the collector
 * has to know them: what is mapped in them, how threads are called, how much processor time they
 * used, whether they are still there. By /proc, and by what they tell of themselves.
 */
#ifndef SAMPLER_TIMER_PROCESSES_H
#define SAMPLER_TIMER_PROCESSES_H

#include "raw_sample.h"

struct timer_range {
	uint64_t start, end, file_offset, inode;
};

struct timer_process {
	uint32_t pid;
	struct timer_range *ranges; /* executable, sorted: told to the sink */
	size_t n_ranges, size;
	/* when they were read last, and how long that took; 0: never */
	uint64_t maps_ns, maps_cost_ns;
	uint64_t cpu_begin_ns, cpu_ns; /* of the process: when its program began, last known */
	uint64_t seen_cpu_ns;	       /* when it had its last sample */
	int is_unseen;		       /* it was said that there are none */
	int is_gone;		       /* what it told is in the ring, all of it */
};

struct timer_thread {
	uint32_t pid, tid;
	uint64_t named_ns; /* when its name was read last */
	char name[16];
};

struct timer_processes {
	const struct sink *sink;
	struct timer_process *processes;
	size_t n, size;
	struct timer_thread *threads;
	size_t n_threads, threads_size;
	uint64_t looked_ns; /* for those that are gone */
	uint64_t interval_ns;
};

/* NULL: not known. Valid until one is added or removed. */
struct timer_process *timer_process_find(struct timer_processes *all, uint32_t pid);
struct timer_process *timer_process_add(struct timer_processes *all, uint32_t pid);
/* Lines of /proc/PID/maps, from the process itself. */
void timer_process_lines(struct timer_processes *all, struct timer_process *process, uint64_t ticks,
			 const char *text, size_t bytes);
/* Before a sample at `ip` is told: what has been mapped meanwhile is told first. */
void timer_process_look(struct timer_processes *all, struct timer_process *process, uint64_t now,
			uint64_t ip);
/* Another program: nothing is mapped any more. */
void timer_process_clear(struct timer_process *process);
/* The thread has a sample: it is named if it has another name than before. */
void timer_thread_look(struct timer_processes *all, uint32_t pid, uint32_t tid, uint64_t now);
void timer_thread_named(struct timer_processes *all, uint64_t ticks, uint32_t pid, uint32_t tid,
			const char *name);
void timer_thread_end(struct timer_processes *all, uint32_t pid, uint32_t tid);
/* Before the ring is looked at: which of them are gone. Not more often than makes sense, unless
 * `is_end`. */
void timer_processes_find_gone(struct timer_processes *all, uint64_t now, int is_end);
/* And behind it: processor time of all; those that were gone have ended. */
void timer_processes_look(struct timer_processes *all, uint64_t now, int is_paused);
void timer_processes_release(struct timer_processes *all);

uint64_t timer_now(void);

#endif
