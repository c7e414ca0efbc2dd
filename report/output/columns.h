/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.h - the columns of every view: their names in csv and json, what they mean, and their values. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdio.h>

#include "rows/profile.h"

/*
 * COLUMN(id, name, family, which of it, what it means), in the order of csv and json. The names are fixed: users'
 * scripts read them; new columns come last. doc/columns.md is made of this table.
 */
#define EI VALUE_ELAPSED_INCLUSIVE
#define EE VALUE_ELAPSED_EXCLUSIVE
#define AI VALUE_APPLICATION_INCLUSIVE
#define AE VALUE_APPLICATION_EXCLUSIVE
#define COLUMN_TABLE(COLUMN) \
	COLUMN(TYPE, "type", TEXT, 0, \
	       "of callers: what the row is to the function: caller, root (itself) or callee") \
	COLUMN(NAME, "name", TEXT, 0, "what the row stands for") \
	COLUMN(ROOT_FUNCTION, "root_function", TEXT, 0, "of callers: the function that is looked at") \
	COLUMN(RECURSIVE, "recursive", COUNT, 0, \
	       "of callers: 1: the function called itself, directly or not") \
	COLUMN(MODULE, "module", TEXT, 0, "path of the executable or library") \
	COLUMN(FILE, "file", TEXT, 0, "path of the source file") \
	COLUMN(LINE, "line", COUNT, 0, "line in it") \
	COLUMN(FUNCTION, "function", TEXT, 0, "by line, address: the functions that execute it") \
	COLUMN(INLINED_FROM, "inlined_from", TEXT, 0, "by line: how it got there") \
	COLUMN(CALLEE, "callee", TEXT, 0, "by site, address: what is called") \
	COLUMN(ADDRESS, "address", TEXT, 0, \
	       "link address: of the function's entry probe, or of the call instruction") \
	COLUMN(INCLUSIVE_SAMPLES, "inclusive_samples", SAMPLES, EI, \
	       "of a sampled session: samples in it and what it called") \
	COLUMN(EXCLUSIVE_SAMPLES, "exclusive_samples", SAMPLES, EE, "samples in it alone") \
	COLUMN(INCLUSIVE_PERCENT, "inclusive_percent", SHARE, EI, "of all samples kept") \
	COLUMN(EXCLUSIVE_PERCENT, "exclusive_percent", SHARE, EE, "of all samples kept") \
	COLUMN(INCLUSIVE_LOW, "inclusive_percent_low", SHARE_LOW, EI, \
	       "the share lies between this and inclusive_percent_high, with 95 % confidence") \
	COLUMN(INCLUSIVE_HIGH, "inclusive_percent_high", SHARE_HIGH, EI, "the same") \
	COLUMN(EXCLUSIVE_LOW, "exclusive_percent_low", SHARE_LOW, EE, "the same of exclusive_percent") \
	COLUMN(EXCLUSIVE_HIGH, "exclusive_percent_high", SHARE_HIGH, EE, "the same") \
	COLUMN(CALLS, "calls", COUNT, 0, \
	       "number of calls; by module, thread, process: of calls in it; by line: times reached") \
	COLUMN(ELAPSED_INCLUSIVE, "elapsed_inclusive_ns", TOTAL, EI, "time in it and what it called") \
	COLUMN(ELAPSED_EXCLUSIVE, "elapsed_exclusive_ns", TOTAL, EE, "time in it alone") \
	COLUMN(APPLICATION_INCLUSIVE, "application_inclusive_ns", TOTAL, AI, \
	       "elapsed inclusive, without operating-system events") \
	COLUMN(APPLICATION_EXCLUSIVE, "application_exclusive_ns", TOTAL, AE, \
	       "elapsed exclusive, without operating-system events") \
	COLUMN(ELAPSED_INCLUSIVE_PERCENT, "elapsed_inclusive_percent", PERCENT, EI, \
	       "of the session's elapsed time") \
	COLUMN(ELAPSED_EXCLUSIVE_PERCENT, "elapsed_exclusive_percent", PERCENT, EE, \
	       "of the session's elapsed time") \
	COLUMN(APPLICATION_INCLUSIVE_PERCENT, "application_inclusive_percent", PERCENT, AI, \
	       "of the session's application time") \
	COLUMN(APPLICATION_EXCLUSIVE_PERCENT, "application_exclusive_percent", PERCENT, AE, \
	       "of the session's application time") \
	COLUMN(OVERHEAD_INCLUSIVE, "probe_overhead_inclusive_ns", OVERHEAD, 0, \
	       "cost of probes subtracted from elapsed inclusive") \
	COLUMN(OVERHEAD_EXCLUSIVE, "probe_overhead_exclusive_ns", OVERHEAD, 1, \
	       "cost of probes subtracted from elapsed exclusive") \
	COLUMN(OFF_CPU, "off_cpu_ns", OFF_CPU, 0, "of elapsed inclusive: time off the processor") \
	COLUMN(PID, "pid", COUNT, 0, "process number") \
	COLUMN(TID, "tid", COUNT, 0, "thread number") \
	COLUMN(AVERAGE, "avg_elapsed_inclusive_ns", AVERAGE, EI, "mean of a call") \
	COLUMN(SHORTEST, "min_elapsed_inclusive_ns", SHORTEST, EI, "shortest finished call") \
	COLUMN(LONGEST, "max_elapsed_inclusive_ns", LONGEST, EI, "longest finished call") \
	COLUMN(AVERAGE_EXCLUSIVE, "avg_elapsed_exclusive_ns", AVERAGE, EE, "mean of a call") \
	COLUMN(AVERAGE_APPLICATION_INCLUSIVE, "avg_application_inclusive_ns", AVERAGE, AI, "mean of a call") \
	COLUMN(AVERAGE_APPLICATION_EXCLUSIVE, "avg_application_exclusive_ns", AVERAGE, AE, "mean of a call") \
	COLUMN(OFF_CPU_EXCLUSIVE, "off_cpu_exclusive_ns", OFF_CPU, 1, \
	       "of elapsed exclusive: time off the processor") \
	COLUMN(OPEN_CALLS, "open_calls", COUNT, 0, "calls that had not returned when the recording ended") \
	COLUMN(DEPTH, "depth", COUNT, 0, "level in the tree, from 1") \
	COLUMN(ID, "id", COUNT, 0, "number of the row in the tree; of a mark: the program's number for it") \
	COLUMN(PARENT, "parent", COUNT, 0, "id of the row above") \
	COLUMN(HOT, "hot", COUNT, 0, "of the tree: 1: on the hot path") \
	COLUMN(PARENT_PID, "parent_pid", COUNT, 0, "number of the parent process") \
	COLUMN(HOST, "host", TEXT, 0, "machine") \
	COLUMN(SHORTEST_EXCLUSIVE, "min_elapsed_exclusive_ns", SHORTEST, EE, "least of a finished call") \
	COLUMN(LONGEST_EXCLUSIVE, "max_elapsed_exclusive_ns", LONGEST, EE, "most of a finished call") \
	COLUMN(SHORTEST_APPLICATION_INCLUSIVE, "min_application_inclusive_ns", SHORTEST, AI, \
	       "least of a finished call") \
	COLUMN(LONGEST_APPLICATION_INCLUSIVE, "max_application_inclusive_ns", LONGEST, AI, \
	       "most of a finished call") \
	COLUMN(SHORTEST_APPLICATION_EXCLUSIVE, "min_application_exclusive_ns", SHORTEST, AE, \
	       "least of a finished call") \
	COLUMN(LONGEST_APPLICATION_EXCLUSIVE, "max_application_exclusive_ns", LONGEST, AE, \
	       "most of a finished call") \
	COLUMN(P50, "p50_elapsed_inclusive_ns", QUANTILE, 50, "half of the calls took no longer") \
	COLUMN(P90, "p90_elapsed_inclusive_ns", QUANTILE, 90, "90 % of the calls took no longer") \
	COLUMN(P99, "p99_elapsed_inclusive_ns", QUANTILE, 99, "99 % of the calls took no longer") \
	COLUMN(UNCERTAINTY, "elapsed_inclusive_uncertainty_ns", UNCERTAINTY, EI, \
	       "the value is right within +- this, as the probes' cost is not known better") \
	COLUMN(UNCERTAINTY_EXCLUSIVE, "elapsed_exclusive_uncertainty_ns", UNCERTAINTY, EE, "the same") \
	COLUMN(UNCERTAINTY_APPLICATION_INCLUSIVE, "application_inclusive_uncertainty_ns", UNCERTAINTY, AI, \
	       "the same") \
	COLUMN(UNCERTAINTY_APPLICATION_EXCLUSIVE, "application_exclusive_uncertainty_ns", UNCERTAINTY, AE, \
	       "the same") \
	COLUMN(VOLUNTARY, "voluntary_switches_inclusive", OS_INCLUSIVE, OS_VOLUNTARY, \
	       "it waited: context switches in it and what it called") \
	COLUMN(VOLUNTARY_EXCLUSIVE, "voluntary_switches_exclusive", OS_EXCLUSIVE, OS_VOLUNTARY, \
	       "in it alone") \
	COLUMN(INVOLUNTARY, "involuntary_switches_inclusive", OS_INCLUSIVE, OS_INVOLUNTARY, \
	       "another thread got the processor") \
	COLUMN(INVOLUNTARY_EXCLUSIVE, "involuntary_switches_exclusive", OS_EXCLUSIVE, OS_INVOLUNTARY, \
	       "in it alone") \
	COLUMN(MAJOR_FAULTS, "major_fault_intervals_inclusive", OS_INCLUSIVE, OS_MAJOR_FAULT, \
	       "intervals in which a page was read in from a disk") \
	COLUMN(MAJOR_FAULTS_EXCLUSIVE, "major_fault_intervals_exclusive", OS_EXCLUSIVE, OS_MAJOR_FAULT, \
	       "in it alone") \
	COLUMN(BLOCK_INPUT, "block_input_intervals_inclusive", OS_INCLUSIVE, OS_BLOCK_IN, \
	       "intervals in which a disk was read") \
	COLUMN(BLOCK_INPUT_EXCLUSIVE, "block_input_intervals_exclusive", OS_EXCLUSIVE, OS_BLOCK_IN, \
	       "in it alone") \
	COLUMN(BLOCK_OUTPUT, "block_output_intervals_inclusive", OS_INCLUSIVE, OS_BLOCK_OUT, \
	       "intervals in which was written for a disk") \
	COLUMN(BLOCK_OUTPUT_EXCLUSIVE, "block_output_intervals_exclusive", OS_EXCLUSIVE, OS_BLOCK_OUT, \
	       "in it alone") \
	COLUMN(MINOR_FAULTS, "minor_fault_intervals_inclusive", OS_INCLUSIVE, OS_MINOR_FAULT, \
	       "intervals in which a page was found in memory or made") \
	COLUMN(MINOR_FAULTS_EXCLUSIVE, "minor_fault_intervals_exclusive", OS_EXCLUSIVE, OS_MINOR_FAULT, \
	       "in it alone") \
	COLUMN(SYSTEM_CALLS, "system_calls_inclusive", OS_INCLUSIVE, OS_SYSCALL, \
	       "calls of known system-call wrappers (read, poll, ...), and of stdio that entered the " \
	       "kernel") \
	COLUMN(SYSTEM_CALLS_EXCLUSIVE, "system_calls_exclusive", OS_EXCLUSIVE, OS_SYSCALL, \
	       "in it alone: of the wrapper itself") \
	COLUMN(MODULE_NAME, "module_name", TEXT, 0, "the last part of module") \
	COLUMN(PROCESS, "process", TEXT, 0, "name of the process") \
	COLUMN(BEGIN, "begin_ns", LIFE, 0, \
	       "begin of its recording, since the session's begin; of a mark: its moment") \
	COLUMN(END, "end_ns", LIFE, 1, \
	       "end of its recording, since the session's begin; of a mark: the next one that counts") \
	COLUMN(ON_CPU_PERCENT, "on_cpu_percent", LIFE, 2, "share of its recorded time on a processor") \
	COLUMN(ENDED, "ended", TEXT, 0, \
	       "exit STATUS, signal N, signal (it is not noted which), exec, a call that ends processes, " \
	       "unknown (by a signal, or where no probe was), running, snapshot, detached; of a thread " \
	       "that " \
	       "ended by itself: ended") \
	COLUMN(COMMAND_LINE, "command_line", TEXT, 0, "of a process") \
	COLUMN(LINE_FROM, "line_from", COUNT, 0, \
	       "by line: the time in it alone is of some of the lines from this one on; empty: of the line " \
	       "itself") \
	COLUMN(LINE_TO, "line_to", COUNT, 0, "to this one") \
	COLUMN(TAIL_CALLS, "tail_calls", COUNT, 0, \
	       "of calls: those that were jumps, the last thing that a function did (R15)") \
	COLUMN(THREADS, "threads", COUNT, 0, \
	       "by thread: of so many; more than 1 by thread-name, or where short-lived threads shared one " \
	       "record")

enum column {
#define COLUMN_ID(id, ...) COLUMN_##id,
	COLUMN_TABLE(COLUMN_ID)
#undef COLUMN_ID
		COLUMN_COUNT
};

enum column_family {
	FAMILY_TEXT,
	FAMILY_COUNT,
	FAMILY_TOTAL, /* of one of the four values, as all that have EI to AE */
	FAMILY_PERCENT,
	FAMILY_AVERAGE,
	FAMILY_SHORTEST,
	FAMILY_LONGEST,
	FAMILY_UNCERTAINTY,
	FAMILY_QUANTILE,
	FAMILY_OVERHEAD, /* 0 inclusive, 1 exclusive */
	FAMILY_OFF_CPU,
	FAMILY_OS_INCLUSIVE, /* enum os_kind */
	FAMILY_OS_EXCLUSIVE,
	FAMILY_LIFE,
	FAMILY_SAMPLES, /* of sampled sessions: EI or EE */
	FAMILY_SHARE,
	FAMILY_SHARE_LOW, /* of its interval of confidence */
	FAMILY_SHARE_HIGH,
};

struct column_info {
	const char *key;
	enum column_family family;
	int which;
	const char *meaning;
};
extern const struct column_info column_infos[COLUMN_COUNT];

enum value_type { VALUE_NONE, VALUE_TEXT, VALUE_COUNT, VALUE_NS, VALUE_PERCENT };

struct value {
	enum value_type type;
	const char *text;
	uint64_t count;
	long double number;
};

struct value column_value(const struct profile *profile, const struct row *row, enum column column);

/* Whether rows of this profile can have the column; what has none is not in csv and json of all columns. */
int column_in_view(const struct profile *profile, enum column column);

/* ---- the two methods: columns_method.c ----------------------------------------------------------- */

/* Whether the session's method gives the column values. */
int column_of_method(const struct profile *profile, enum column column);
/* What stands for a column in this session: samples for elapsed times, if it was sampled. */
enum column column_for(const struct profile *profile, enum column column);
/* That there is none, and what there is instead. */
void column_say_other_method(const struct profile *profile, enum column column);
/* 0, or -1 after an error message: rows of this session cannot be put in the order of this column. */
int column_check_sort(const struct profile *profile, enum column column);

/* ---- names: columns_choice.c --------------------------------------------------------------------- */

/*
 * The column of that name: as in csv, with or without the unit, with - or _, or a short form. Suggests one and
 * returns -1.
 */
int column_find(const char *name);

/* Columns in the order to show. */
struct column_list {
	enum column list[COLUMN_COUNT];
	int stays[COLUMN_COUNT]; /* by column: named by --columns, so it stays however narrow the terminal */
	size_t n;
};

/*
 * What --columns says: names and groups, separated by commas; +NAME and -NAME change `defaults`. 0, or -1 after an error
 * message.
 */
int column_list_parse(struct column_list *columns, const char *text, const struct column_list *defaults,
		      const struct profile *profile);
void column_list_add(struct column_list *columns, enum column column);
int column_list_has(const struct column_list *columns, enum column column);
/* Prints names and meanings of all columns, and the groups. */
void column_list_help(FILE *out);

/* ---- defaults: columns_default.c ----------------------------------------------------------------- */

enum column_set { COLUMNS_TIMES, COLUMNS_OS }; /* --view */

/* The columns of a table that is `width` wide (0: without limit). */
void column_list_default(struct column_list *columns, const struct profile *profile, enum column_set set,
			 unsigned width);
/* How soon one of the defaults goes where there is no room, the highest first; 0: it stays; above this: before names are shortened. */
#define COLUMN_DROP_WIDE 9
int column_drop(enum column column, enum column_set set, const struct profile *profile);

/* ---- order: columns_order.c ---------------------------------------------------------------------- */

enum direction { BY_NATURE, ASCENDING, DESCENDING }; /* by nature: numbers from the highest, text from A */

struct order {
	enum column column;
	enum direction direction;
};

/* COLUMN, COLUMN:asc or COLUMN:desc: 0, or -1 after an error message. */
int order_parse(struct order *order, const char *text);
/* Sorts rows; what has no value comes last, what is equal by name and place, always in the same way. */
void order_rows(const struct profile *profile, const struct row **rows, size_t n, const struct order *order);
/* The same by a column, by its nature. */
void column_sort(const struct profile *profile, const struct row **rows, size_t n, enum column column);

#endif
