/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_builds.h - the builds of modules used in each run of a history. Executed instructions of runs
 * of one build are equal, unless a function varies by itself; those of other compilers or options
 * are not comparable.
 */
#ifndef REPORT_HISTORY_RUN_BUILDS_H
#define REPORT_HISTORY_RUN_BUILDS_H

#include "store.h"

struct run_modules;
struct run_builds {
	struct map strings;
	struct run_modules *runs; /* [n]: of all runs of the history */
	size_t n;
	uint8_t *is_left_out; /* [n]: has no instructions, or another compiler than the last run */
	int status;
};

/* Reads the builds of runs `first` and later. Unless `any_build` is set, leaves out runs of other
 * compilers than the last run's, with a warning. */
void run_builds_read(struct run_builds *builds, const struct history *history, size_t first, int any_build);
void run_builds_release(struct run_builds *builds);
/* Returns the build of a run's module of that name ("": of all its modules). Equal builds have the
 * same pointer. NULL: not known. */
const char *run_builds_of(struct run_builds *builds, size_t run, const char *module);

#endif
