/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * collector.h - turns the events of a source into data files (store.h): keeps track of processes,
 * their threads and mappings, unwinds raw samples, and polls the control blocks. Single-threaded.
 * If it is killed, the sampled programs are not affected.
 */
#ifndef SAMPLER_COLLECTOR_H
#define SAMPLER_COLLECTOR_H

#include <sys/types.h>

#include "sampler/source/source.h"

struct collector;

/* Results of a recording. */
struct collected {
	uint64_t samples, threads, processes; /* samples: kept; threads, processes: with samples */
	uint64_t discarded, paused, truncated, lost, throttled, silent;
	uint64_t failed; /* number of processes whose file could not be created */
	int failed_why;	 /* errno of the last failure */
	size_t going_on; /* processes still running */
	/* Stacks truncated in code without unwind information: their number in the file that has
	 * most of them, and its path; 0, "": none. */
	uint64_t blind;
	char blind_path[256];
};

struct collector *collector_new(const char *session);
const struct sink *collector_sink(struct collector *collector);
/* Sets what is sampled, after the source has been opened: processes to attach to, or the program
 * that will be run. */
void collector_begin(struct collector *collector, struct source *source, const pid_t *pids, size_t n_pids,
		     pid_t child);
/* Waits some milliseconds at most, or until `fd` (-1: none) is readable, and handles the events.
 * Returns 0 or -errno. */
int collector_turn(struct collector *collector, int fd);
/* Returns the number of attached processes that have not ended. */
size_t collector_attached(const struct collector *collector);
/* Handles the remaining events and ends all files, which lack only the symbols then. status: of the
 * program, as from waitpid(). */
void collector_finish(struct collector *collector, int status, struct collected *collected);
/* After collector_finish(): returns the path of a file that collector_symbolize() will write to, or
 * NULL: there is none. */
const char *collector_first_file(const struct collector *collector);
/* Writes the symbols into the files and closes these. To be called once; may be called in a process
 * that was forked, which then is the only one that may use the collector. */
void collector_symbolize(struct collector *collector);
void collector_release(struct collector *collector);

#endif
