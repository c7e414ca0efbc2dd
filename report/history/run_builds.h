/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_builds.h - which builds of its modules each run of a history was of. Executed instructions of
 * runs of one build are equal, unless a function varies by itself; those of other compilers, or
 * with other options, are not of the same work.
 */
#ifndef REPORT_HISTORY_RUN_BUILDS_H
#define REPORT_HISTORY_RUN_BUILDS_H

#include "store.h"

struct run_modules;
struct run_builds {
	struct map strings;
	struct run_modules *runs; /* [n]: of all runs of the history */
	size_t n;
	uint8_t *is_left_out; /* [n]: has none, or of others than the last run's compiler */
	int status;
};

/* Reads them of runs `first` and later, and warns if some are left out for their compiler. */
void run_builds_read(struct run_builds *builds, const struct history *history, size_t first, int any_build);
void run_builds_release(struct run_builds *builds);
/* Returns the build of the run's module of that name ("": of all its modules); the same pointer for
 * the same build. NULL: not known. */
const char *run_builds_of(struct run_builds *builds, size_t run, const char *module);

#endif
