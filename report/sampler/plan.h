/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h - from what the user asked for to what is sampled: the event, its interval, whether the
 * kernel is seen, how stacks are taken, and which source there is for it. Says what cannot be, and
 * what to do about it.
 */
#ifndef REPORT_SAMPLER_PLAN_H
#define REPORT_SAMPLER_PLAN_H

#include <sys/types.h>

#include "sampler/source/source.h"

enum { CHOICE_SOURCE_AUTO, CHOICE_SOURCE_PERF, CHOICE_SOURCE_TIMERS };
enum { CHOICE_STACKS_AUTO, CHOICE_STACKS_FRAME_POINTERS, CHOICE_STACKS_DWARF, CHOICE_STACKS_NONE };

/* As given on the command line; NULL or 0: not given. */
struct sample_options {
	const char *interval; /* "": by default */
	const char *event;
	const char *pids;
	const char *stack_bytes;
	const char *duration;
	int stacks, source;
	int user_only, lists_events;
	int beside; /* of a recording by probes: what was given with --mixed */
};

/* "1ms" (unit NS), "10M", "10000" (unit EVENTS: of whatever is counted). 0, or -1. */
int choice_interval(const char *text, uint64_t *interval, enum cinstr_sampling_unit *unit);
/* "1,2,3"; the caller frees *pids. 0, or -1. */
int choice_pids(const char *text, pid_t **pids, size_t *n);
/*
 * Fills sampling (its strings are the options', or last) and the source; 0, or -1 after a message.
 * program: to be run, NULL: pids are attached to.
 */
int choice_make(const struct sample_options *options, const char *program, const pid_t *pids, size_t n_pids,
		struct sampling *sampling, enum cinstr_sampling_source *source);

#endif
