/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - a folder with what functions took in many runs: a folder run=N for each, with the
 * tables run.parquet and function.parquet, and, if executed instructions were counted,
 * module.parquet. A run gets its number when it is whole; several may be added at once, by several
 * machines.
 */
#ifndef REPORT_HISTORY_STORE_H
#define REPORT_HISTORY_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/util.h"
#include "parquet/parquet.h"

/* What is kept of a function: name, column, word for people, whether it is in ns */
/* clang-format off */
#define HISTORY_MEASURES(MEASURE) \
	MEASURE(ELAPSED, "elapsed", "elapsed_ns", "its own elapsed time", 1) \
	MEASURE(INCLUSIVE, "inclusive", "elapsed_inclusive_ns", "elapsed time with what it called", 1) \
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
	uint64_t instructions, unknown; /* of functions that are known; how many others */
	int has_instructions;		/* they were counted */
	const char *label, *commit, *command, *host, *method; /* ""; not known */
};

/* Of a folder: what there is, in order of time. */
struct history {
	const char *path;
	struct history_run *runs;
	size_t n, size;
	int status;	    /* STATUS_DATA: something could not be read, which was said */
	struct map strings; /* of the runs */
};

/* label: NULL, or a glob of those that are wanted. 0, or -1 after an error message. */
int history_open(struct history *history, const char *path, const char *label);
void history_release(struct history *history);
/* A table of a run; the caller frees it. */
char *history_table(const struct history *history, const struct history_run *run, const char *name);

/* A run that is to be added. */
struct history_addition {
	const char *label, *commit; /* NULL: none */
	uint64_t time_ns;	    /* 0: when it was recorded */
};
struct command;
/* An exit status. */
int history_add(const struct command *command, const char *path, const char *session,
		const struct history_addition *addition);

#endif
