/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.h - where samples come from: one interface, two implementations.
 *
 * Use: open (before the program is started, or on running processes), then wait and drain
 * repeatedly, with enable 0 / 1 in between, close. All return 0 or -errno; after an error `why` has
 * an explanation for users.
 */
#ifndef SAMPLER_SOURCE_H
#define SAMPLER_SOURCE_H

#include <sys/types.h>

#include "cinstr/format.h"
#include "raw_sample.h"

/* The event to sample, its interval and the kind of stacks. */
struct sampling {
	const char *event; /* name, from the user or the default */
	uint64_t interval; /* in `unit`s; 0: the event's default */
	uint64_t asked;	   /* the interval that the user gave, in `unit`s; 0: none */
	enum cinstr_sampling_unit unit;
	enum cinstr_sampling_stacks stacks;
	uint32_t stack_bytes; /* largest copy of a stack */
	/* 1: samples in the kernel are wanted; cleared by the source if they are refused. */
	int kernel;
	int starts_paused;
	int beside;	     /* besides a recording by probes */
	int timers_can;	     /* take the samples if no more memory may be locked for perf events */
	const char *session; /* absolute path of the session's folder */
	/* Program to be run, as the user named it; NULL: not known. For early error messages. */
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
	/* pids[n_pids]: running processes, with all their threads. Otherwise `child`, a forked
	 * process that waits and will exec the program; nothing of it before that exec is
	 * sampled. */
	int (*open)(struct source *source, const pid_t *pids, size_t n_pids, pid_t child);
	/* Sets environment variables for the child by setenv() in this process; launch_go() passes
	 * them on. NULL: none. */
	void (*environment)(const struct source *source);
	int (*enable)(struct source *source, int on);
	/* Waits for data, `extra_fd` (-1: none) to be readable, a signal, or `timeout_ms`. */
	int (*wait)(struct source *source, int extra_fd, int timeout_ms);
	/* Passes all available events to the sink in order of time. is_end: also those held back
	 * for sorting. */
	int (*drain)(struct source *source, int is_end);
	void (*close)(struct source *source); /* also frees it */
};

/* perf_source.c, timer_source.c: create a source. It sets the members of `sampling` that were left
 * open. */
struct source *perf_source_new(const struct sampling *sampling, const struct sink *sink);
struct source *timer_source_new(const struct sampling *sampling, const struct sink *sink);

#endif
