/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.h - the columns of every view: their names in csv and json, and their values. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "profile.h"

/* In the order of csv and json. The names are fixed: users' scripts read them. */
#define COLUMN_TABLE(COLUMN) \
	COLUMN(NAME, "name") \
	COLUMN(MODULE, "module") \
	COLUMN(FILE, "file") \
	COLUMN(LINE, "line") \
	COLUMN(FUNCTION, "function") \
	COLUMN(INLINED_FROM, "inlined_from") \
	COLUMN(CALLEE, "callee") \
	COLUMN(ADDRESS, "address") \
	COLUMN(CALLS, "calls") \
	COLUMN(ELAPSED_INCLUSIVE, "elapsed_inclusive_ns") \
	COLUMN(ELAPSED_EXCLUSIVE, "elapsed_exclusive_ns") \
	COLUMN(APPLICATION_INCLUSIVE, "application_inclusive_ns") \
	COLUMN(APPLICATION_EXCLUSIVE, "application_exclusive_ns") \
	COLUMN(ELAPSED_INCLUSIVE_PERCENT, "elapsed_inclusive_percent") \
	COLUMN(ELAPSED_EXCLUSIVE_PERCENT, "elapsed_exclusive_percent") \
	COLUMN(APPLICATION_INCLUSIVE_PERCENT, "application_inclusive_percent") \
	COLUMN(APPLICATION_EXCLUSIVE_PERCENT, "application_exclusive_percent") \
	COLUMN(OVERHEAD_INCLUSIVE, "probe_overhead_inclusive_ns") \
	COLUMN(OVERHEAD_EXCLUSIVE, "probe_overhead_exclusive_ns") \
	COLUMN(OFF_CPU, "off_cpu_ns") \
	COLUMN(PID, "pid") \
	COLUMN(TID, "tid") \
	COLUMN(AVERAGE, "avg_elapsed_inclusive_ns") \
	COLUMN(SHORTEST, "min_elapsed_inclusive_ns") \
	COLUMN(LONGEST, "max_elapsed_inclusive_ns") \
	COLUMN(AVERAGE_EXCLUSIVE, "avg_elapsed_exclusive_ns") \
	COLUMN(AVERAGE_APPLICATION_INCLUSIVE, "avg_application_inclusive_ns") \
	COLUMN(AVERAGE_APPLICATION_EXCLUSIVE, "avg_application_exclusive_ns") \
	COLUMN(OFF_CPU_EXCLUSIVE, "off_cpu_exclusive_ns") \
	COLUMN(OPEN_CALLS, "open_calls") \
	COLUMN(DEPTH, "depth") \
	COLUMN(ID, "id") \
	COLUMN(PARENT, "parent") \
	COLUMN(PARENT_PID, "parent_pid") \
	COLUMN(HOST, "host")

enum column {
#define COLUMN_ID(id, key) COLUMN_##id,
	COLUMN_TABLE(COLUMN_ID)
#undef COLUMN_ID
		COLUMN_COUNT
};

enum value_type { VALUE_NONE, VALUE_TEXT, VALUE_COUNT, VALUE_NS, VALUE_PERCENT };

struct value {
	enum value_type type;
	const char *text;
	uint64_t count;
	long double number;
};

extern const char *const column_keys[COLUMN_COUNT];

struct value column_value(const struct profile *profile, const struct row *row, enum column column);

/*
 * The column of that name: as in csv, with or without the unit, with - or _. Suggests one and
 * returns -1.
 */
int column_find(const char *name);

/* Sorts rows by a column: numbers from the highest, text from A. */
void column_sort(const struct profile *profile, const struct row **rows, size_t n, enum column column);

/* Columns that the view has: DEPTH, ID, PARENT are the tree's; HOST, PARENT_PID those of processes; FUNCTION and the like those of lines and call sites. */
int column_in_view(enum profile_by by, enum column column);

#endif
