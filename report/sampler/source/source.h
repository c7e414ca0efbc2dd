/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.h - where samples come from: one interface, two implementations.
 *
 * Life: open (before the program is started, or on running processes), start, then wait + drain
 * again and again, enable 0 / 1 in between, close. All return 0 or -errno; after an error `why`
 * says it in words that a user understands.
 */
#ifndef SAMPLER_SOURCE_H
#define SAMPLER_SOURCE_H

#include <sys/types.h>

#include "cinstr/format.h"
#include "raw_sample.h"

/* What is to be sampled, and how. */
struct sampling {
	const char *event; /* name, as the user gave it or by default */
	uint64_t interval; /* in `unit`s; 0: the event's default */
	uint64_t asked;	   /* the interval that was asked for, likewise; 0: none */
	enum cinstr_sampling_unit unit;
	enum cinstr_sampling_stacks stacks;
	uint32_t stack_bytes; /* copied of a stack at most */
	/* 1: samples in the kernel are wanted; the source clears it when they are refused */
	int kernel;
	int starts_paused;
	int beside;	     /* of a recording by probes */
	int no_room;	     /* timers, since no more memory may be locked for samples */
	const char *session; /* absolute path of the session's folder */
	/* what is to be run, as it was named; NULL: not known. For what can be said ahead */
	const char *program;
};

struct source {
	const struct source_operations *operations;
	struct sampling sampling;
	const struct sink *sink;
	char why[512];
};

struct source_operations {
	enum cinstr_sampling_source kind;
	/*
	 * pids[n_pids]: running processes with all their threads. Otherwise the process `child`,
	 * which has been forked, waits, and will exec the program when it is told to: nothing of it
	 * before that exec is sampled.
	 */
	int (*open)(struct source *source, const pid_t *pids, size_t n_pids, pid_t child);
	/* Variables for the child's environment, by setenv() in the child before its exec. NULL:
	 * none. */
	void (*environment)(const struct source *source);
	int (*enable)(struct source *source, int on);
	/* Waits for data, `extra_fd` (-1: none) to be readable, a signal, or `timeout_ms`. */
	int (*wait)(struct source *source, int extra_fd, int timeout_ms);
	/* Tells the sink all there is, in order of time. is_end: what is held back to be put into
	 * order, too. */
	int (*drain)(struct source *source, int is_end);
	void (*close)(struct source *source); /* frees it */
};

/* perf_source.c, timer_source.c. What the sampling leaves open is filled in. */
struct source *perf_source_new(const struct sampling *sampling, const struct sink *sink);
struct source *timer_source_new(const struct sampling *sampling, const struct sink *sink);

#endif
