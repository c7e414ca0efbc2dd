/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * collector.h - makes data files (store.h) of what a source tells: keeps the processes, their
 * threads and what is mapped in them, turns raw samples into stacks, and looks at the control
 * blocks. One thread; a signal or its death leaves the sampled alone.
 */
#ifndef SAMPLER_COLLECTOR_H
#define SAMPLER_COLLECTOR_H

#include <sys/types.h>

#include "sampler/source/source.h"

struct collector;

/* What was recorded. */
struct collected {
	uint64_t samples, threads, processes; /* kept; those that have some */
	uint64_t discarded, paused, truncated, lost, throttled, silent;
	uint64_t failed; /* processes whose file could not be made ... */
	int failed_why;	 /* ... errno of the last */
	size_t going_on; /* processes that run on */
	/* truncated stacks that ended in one file's code for want of unwind information: in the
	 * file that has most of them, and its path; 0, "": there is none */
	uint64_t blind;
	char blind_path[256];
};

struct collector *collector_new(const char *session);
const struct sink *collector_sink(struct collector *collector);
/* What is sampled, as the source knows it once it is open: processes that are attached to, or the
 * program that will be run. */
void collector_begin(struct collector *collector, struct source *source, const pid_t *pids, size_t n_pids,
		     pid_t child);
/* One turn: waits, at most some milliseconds or until fd (-1: none) can be read, and works on what
 * there is. 0 or -errno. */
int collector_turn(struct collector *collector, int fd);
/* Processes attached to that have not ended. */
size_t collector_attached(const struct collector *collector);
/* Works on the rest, writes the symbols, ends all files. status: the program's, as from waitpid. */
void collector_finish(struct collector *collector, int status, struct collected *collected);
void collector_release(struct collector *collector);

#endif
