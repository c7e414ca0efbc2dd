/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - a folder with values of functions in many runs: a folder run=N for each with the tables
 * run.parquet and function.parquet, and if executed instructions were counted module.parquet. A run
 * gets its number when it is complete; several machines may add runs at the same time.
 */
#ifndef REPORT_HISTORY_STORE_H
#define REPORT_HISTORY_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/util.h"
#include "parquet/parquet.h"

/* Measures of a function: name, column, text for people, whether it is in ns */
/* clang-format off */
#define HISTORY_MEASURES(MEASURE) \
	MEASURE(ELAPSED, "elapsed", "elapsed_ns", "its own elapsed time", 1) \
	MEASURE(INCLUSIVE, "inclusive", "elapsed_inclusive_ns", "elapsed time with what it called", 1) \
	MEASURE(UNPREEMPTED, "unpreempted", "unpreempted_ns", \
		"its own elapsed time, without waiting for a processor", 1) \
	MEASURE(APPLICATION, "application", "application_ns", "its own application time", 1) \
	MEASURE(WAITING, "waiting", "waiting_ns", "its own waiting", 1) \
	MEASURE(CALLS, "calls", "calls", "calls", 0) \
	MEASURE(SAMPLES, "samples", "samples", "samples of its own", 0) \
	MEASURE(INSTRUCTIONS, "instructions", "instructions", "its own executed instructions", 0)
/* clang-format on */
#define HISTORY_MEASURE_ID(id, ...) HISTORY_##id,
enum history_measure { HISTORY_MEASURES(HISTORY_MEASURE_ID) HISTORY_N_MEASURES };
#undef HISTORY_MEASURE_ID
struct history_measure_info {
	const char *name, *column, *words;
	int is_time;
};
extern const struct history_measure_info history_measures[HISTORY_N_MEASURES];

struct history_run {
	uint64_t number, time_ns, duration_ns, processes, functions;
	/* of functions whose number is known; number of other functions */
	uint64_t instructions, unknown;
	int has_instructions; /* instructions were counted */
	int has_unpreempted;  /* that time is in the tables: older ones lack it */
	const char *label, *commit, *command, *host, *method; /* "": not known */
};

/* The runs in a folder, in order of time. */
struct history {
	const char *path;
	struct history_run *runs;
	size_t n, size;
	int status;	    /* STATUS_DATA: something could not be read, and that was reported */
	struct map strings; /* owns the runs' texts */
};

/* Opens a folder. label: glob of the labels wanted, or NULL. Returns 0, or -1 after an error
 * message. */
int history_open(struct history *history, const char *path, const char *label);
void history_release(struct history *history);
/* Returns the path of a run's table, which the caller frees. */
char *history_table(const struct history *history, const struct history_run *run, const char *name);

/* Properties of a run to be added. */
struct history_addition {
	const char *label, *commit; /* NULL: none */
	uint64_t time_ns;	    /* 0: the time when it was recorded */
};
struct command;
/* Adds a session as a run. Returns an exit status. */
int history_add(const struct command *command, const char *path, const char *session,
		const struct history_addition *addition);

#endif
