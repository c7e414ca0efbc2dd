/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timer_processes.h - processes and threads sampled by timers: mappings, names of threads,
 * processor time used, whether they still exist. Uses /proc and what the processes send themselves.
 */
#ifndef SAMPLER_TIMER_PROCESSES_H
#define SAMPLER_TIMER_PROCESSES_H

#include "raw_sample.h"

struct timer_range {
	uint64_t start, end, file_offset, inode;
};

struct timer_process {
	uint32_t pid;
	struct timer_range *ranges; /* executable ones reported to the sink, sorted */
	size_t n_ranges, size;
	/* Time of the last reading, and how long that took; 0: never. */
	uint64_t maps_ns, maps_cost_ns;
	/* of the process: at its program's begin, and the last known */
	uint64_t cpu_begin_ns, cpu_ns;
	uint64_t seen_cpu_ns; /* processor time at the last sample */
	int is_unseen;	      /* its lack of samples was reported */
	int is_gone;	      /* has ended; all of its events are in the ring */
};

struct timer_thread {
	uint32_t pid, tid;
	uint64_t named_ns; /* time when the name was last read */
	char name[16];
};

struct timer_processes {
	const struct sink *sink;
	struct timer_process *processes;
	size_t n, size;
	struct timer_thread *threads;
	size_t n_threads, threads_size;
	uint64_t looked_ns; /* time of the last search for ended processes */
	uint64_t interval_ns;
};

/* Returns NULL if the process is not known. Valid until one is added or removed. */
struct timer_process *timer_process_find(struct timer_processes *all, uint32_t pid);
struct timer_process *timer_process_add(struct timer_processes *all, uint32_t pid);
/* Reports mappings from lines of /proc/PID/maps that the process sent itself. */
void timer_process_lines(struct timer_processes *all, struct timer_process *process, uint64_t ticks,
			 const char *text, size_t bytes);
/* To be called before a sample at `ip` is reported: reports new mappings first. */
void timer_process_look(struct timer_processes *all, struct timer_process *process, uint64_t now,
			uint64_t ip);
/* Forgets the mappings, for another program. */
void timer_process_clear(struct timer_process *process);
/* To be called for each sample of a thread: reports its name if it has changed. */
void timer_thread_look(struct timer_processes *all, uint32_t pid, uint32_t tid, uint64_t now);
void timer_thread_named(struct timer_processes *all, uint64_t ticks, uint32_t pid, uint32_t tid,
			const char *name);
void timer_thread_end(struct timer_processes *all, uint32_t pid, uint32_t tid);
/* To be called before the ring is read: finds ended processes; at intervals only, unless
 * `is_end`. */
void timer_processes_find_gone(struct timer_processes *all, uint64_t now, int is_end);
/* To be called after the ring is read: reports the processor time of all processes, and the end of
 * those found before. */
void timer_processes_look(struct timer_processes *all, uint64_t now, int is_paused);
void timer_processes_release(struct timer_processes *all);

#endif
