/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h - decides from the user's options what is sampled: the event, its interval, whether the
 * kernel is included, how stacks are taken, and which source is used. Reports what is impossible,
 * with a remedy.
 */
#ifndef REPORT_SAMPLER_PLAN_H
#define REPORT_SAMPLER_PLAN_H

#include <sys/types.h>

#include "sampler/source/source.h"

enum { CHOICE_SOURCE_AUTO, CHOICE_SOURCE_PERF, CHOICE_SOURCE_TIMERS };
enum { CHOICE_STACKS_AUTO, CHOICE_STACKS_FRAME_POINTERS, CHOICE_STACKS_DWARF, CHOICE_STACKS_NONE };

/* Values of the command line; NULL or 0: not given. */
struct sample_options {
	const char *interval; /* "": the default */
	const char *event;
	const char *pids;
	const char *stack_bytes;
	const char *duration;
	int stacks, source;
	int user_only, lists_events;
	int beside; /* besides a recording by probes: --mixed */
};

/* Parses "1ms" (unit NS), "10M", "10000" (unit EVENTS: of whatever is counted). Returns 0, or
 * -1. */
int plan_interval(const char *text, uint64_t *interval, enum cinstr_sampling_unit *unit);
/* Parses "1,2,3"; the caller frees *pids. Returns 0, or -1. */
int plan_pids(const char *text, pid_t **pids, size_t *n);
/* Sets *sampling (its strings are the options' or constant) and *source. program: to be run; NULL:
 * attaches to pids. Returns 0, or -1 after an error message. */
int plan_make(const struct sample_options *options, const char *program, const pid_t *pids, size_t n_pids,
	      struct sampling *sampling, enum cinstr_sampling_source *source);
/* Sets both to timers within the program, after perf events could not be opened (timers_can). */
void plan_take_timers(const struct sample_options *options, struct sampling *sampling,
		      enum cinstr_sampling_source *source);

#endif
