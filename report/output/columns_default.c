/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns_default.c - the default columns of a table, by view and width (columns.h). */
#include "columns.h"
#include "lib/util.h"
#include "values/wilson_interval.h"

#define WIDE 160 /* columns of a terminal from which there is room for more */

#define ALL_ROWS (~0u)
#define ROWS(by) (1u << (by))
#define LIVES (ROWS(BY_THREAD) | ROWS(BY_PROCESS))
#define MARKS ROWS(BY_MARK)
#define CODE (~(LIVES | MARKS))
#define PLACES (CODE & ~(ROWS(BY_MODULE) | ROWS(BY_LINE)))

struct default_column {
	enum column column;
	int drop;      /* the highest goes first when there is no room; 0: stays */
	int wide;      /* on wide terminals only */
	unsigned rows; /* bits 1 << enum profile_by */
};

#define BY_FUNCTION_OR_PLACE (CODE & ~(ROWS(BY_CALLERS) | ROWS(BY_PATH)))

/* What is looked for first: who computes, who waits. Functions and places by themselves; paths,
 * callers and threads with what they call. */
static const struct default_column cpu[] = {
	{ COLUMN_ELAPSED_INCLUSIVE, 0, 0, ROWS(BY_PATH) | ROWS(BY_CALLERS) },
	{ COLUMN_ELAPSED_INCLUSIVE_PERCENT, 2, 0, ROWS(BY_PATH) },
	{ COLUMN_CPU, 0, 0, LIVES | MARKS | ROWS(BY_CALLERS) },
	{ COLUMN_CPU_PERCENT, 3, 0, LIVES | MARKS },
	{ COLUMN_CPU_EXCLUSIVE, 0, 0, BY_FUNCTION_OR_PLACE },
	{ COLUMN_CPU_EXCLUSIVE, 4, 0, ROWS(BY_PATH) },
	{ COLUMN_CPU_EXCLUSIVE_PERCENT, 2, 0, BY_FUNCTION_OR_PLACE },
	{ COLUMN_UNCERTAINTY_EXCLUSIVE, 8, 0, CODE },
	{ COLUMN_NS_PER_INSTRUCTION, 9, 0, ROWS(BY_FUNCTION) },
	{ COLUMN_OFF_CPU, 1, 0, LIVES | MARKS | ROWS(BY_CALLERS) },
	{ COLUMN_OFF_CPU_EXCLUSIVE, 1, 0, BY_FUNCTION_OR_PLACE },
	{ COLUMN_OFF_CPU_EXCLUSIVE, 3, 0, ROWS(BY_PATH) },
	{ COLUMN_ELAPSED_INCLUSIVE, 4, 0, LIVES | MARKS },
	{ COLUMN_ELAPSED_INCLUSIVE, 11, 1, BY_FUNCTION_OR_PLACE },
	{ COLUMN_MPI, 2, 0, LIVES },
	{ COLUMN_MPI_BUSY, 4, 0, LIVES },
	{ COLUMN_CALLS, 1, 0, ALL_ROWS },
	{ COLUMN_AVERAGE, 5, 0, CODE & ~ROWS(BY_PATH) },
	{ COLUMN_AVERAGE, 10, 1, ROWS(BY_PATH) },
	{ COLUMN_LONGEST, 7, 0, CODE & ~(ROWS(BY_PATH) | ROWS(BY_CALLERS)) },
	{ COLUMN_LONGEST, 12, 1, ROWS(BY_PATH) | ROWS(BY_CALLERS) },
};

/* Of threads and processes inclusive and exclusive are the same. */
static const struct default_column times[] = {
	{ COLUMN_CALLS, 0, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE_PERCENT, 2, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_EXCLUSIVE, 0, 0, CODE },
	{ COLUMN_ELAPSED_EXCLUSIVE_PERCENT, 1, 0, CODE },
	{ COLUMN_APPLICATION_INCLUSIVE, 3, 0, ALL_ROWS },
	{ COLUMN_APPLICATION_INCLUSIVE_PERCENT, 6, 0, ALL_ROWS },
	{ COLUMN_APPLICATION_EXCLUSIVE, 0, 0, CODE & ~ROWS(BY_CALLERS) },
	{ COLUMN_APPLICATION_EXCLUSIVE, 1, 0, ROWS(BY_CALLERS) },
	{ COLUMN_APPLICATION_EXCLUSIVE_PERCENT, 5, 0, CODE },
	{ COLUMN_UNCERTAINTY_EXCLUSIVE, 8, 0, CODE },
	{ COLUMN_OFF_CPU_EXCLUSIVE, 11, 1, CODE },
	{ COLUMN_AVERAGE, 7, 0, CODE },
	{ COLUMN_SHORTEST, 13, 1, CODE },
	{ COLUMN_LONGEST, 10, 1, CODE },
	{ COLUMN_P99, 12, 1, CODE },
	{ COLUMN_ON_CPU_PERCENT, 1, 0, LIVES | MARKS },
};

static const struct default_column os[] = {
	{ COLUMN_CALLS, 2, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_OFF_CPU, 5, 0, CODE },
	{ COLUMN_OFF_CPU, 0, 0, LIVES | MARKS },
	{ COLUMN_OFF_CPU_EXCLUSIVE, 0, 0, CODE },
	{ COLUMN_VOLUNTARY_EXCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_INVOLUNTARY_EXCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_MAJOR_FAULT_EXCLUSIVE, 3, 0, ALL_ROWS },
	{ COLUMN_MINOR_FAULT_EXCLUSIVE, 6, 0, ALL_ROWS },
	{ COLUMN_BLOCK_IN_EXCLUSIVE, 4, 0, ALL_ROWS },
	{ COLUMN_BLOCK_OUT_EXCLUSIVE, 4, 0, ALL_ROWS },
	{ COLUMN_SYSCALL_EXCLUSIVE, 1, 0, ALL_ROWS },
	{ COLUMN_SYSCALL, 12, 1, CODE },
	{ COLUMN_VOLUNTARY, 13, 1, CODE },
	{ COLUMN_INVOLUNTARY, 14, 1, CODE },
};

static const struct default_column io[] = {
	{ COLUMN_BYTES_READ, 0, 0, ALL_ROWS },
	{ COLUMN_READS, 2, 0, ALL_ROWS },
	{ COLUMN_BYTES_PER_READ, 4, 0, ALL_ROWS },
	{ COLUMN_BYTES_WRITTEN, 0, 0, ALL_ROWS },
	{ COLUMN_WRITES, 2, 0, ALL_ROWS },
	{ COLUMN_BYTES_PER_WRITE, 4, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE, 3, 0, ALL_ROWS },
	{ COLUMN_CALLS, 6, 0, ALL_ROWS },
};

static const struct default_column memory[] = {
	{ COLUMN_ALLOCATED, 0, 0, ALL_ROWS },	    { COLUMN_ALLOCATED_OWN, 1, 0, ALL_ROWS },
	{ COLUMN_ALLOCATIONS, 9, 0, ALL_ROWS },	    { COLUMN_ALLOCATIONS_OWN, 2, 0, ALL_ROWS },
	{ COLUMN_ALLOCATION_MEAN, 5, 0, ALL_ROWS }, { COLUMN_CALLS, 6, 0, ALL_ROWS },
};

static const struct default_column held[] = {
	{ COLUMN_HELD, 0, 0, ALL_ROWS },	  { COLUMN_HELD_OWN, 1, 0, ALL_ROWS },
	{ COLUMN_HELD_BLOCKS, 9, 0, ALL_ROWS },	  { COLUMN_HELD_BLOCKS_OWN, 2, 0, ALL_ROWS },
	{ COLUMN_ALLOCATED_OWN, 4, 0, ALL_ROWS }, { COLUMN_ALLOCATIONS_OWN, 5, 0, ALL_ROWS },
};

static const struct default_column counts[] = {
	{ COLUMN_USER_COUNT, 0, 0, ALL_ROWS },	      { COLUMN_USER_COUNT_EXCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_TIME_PER_COUNT, 0, 0, ALL_ROWS },    { COLUMN_USER_COUNT_CALLS, 4, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE, 3, 0, ALL_ROWS }, { COLUMN_CALLS, 6, 0, ALL_ROWS },
};

/* Of a sampled session. Shares say more than counts. */
static const struct default_column samples[] = {
	{ COLUMN_INCLUSIVE_SAMPLES, 0, 0, LIVES | MARKS },
	{ COLUMN_INCLUSIVE_SAMPLES, 6, 0, CODE },
	{ COLUMN_INCLUSIVE_PERCENT, 0, 0, ALL_ROWS },
	{ COLUMN_INCLUSIVE_LOW, 7, 0, ALL_ROWS },
	{ COLUMN_INCLUSIVE_HIGH, 7, 0, ALL_ROWS },
	{ COLUMN_EXCLUSIVE_SAMPLES, 1, 0, CODE },
	{ COLUMN_EXCLUSIVE_PERCENT, 0, 0, CODE },
	{ COLUMN_EXCLUSIVE_LOW, 5, 0, CODE },
	{ COLUMN_EXCLUSIVE_HIGH, 5, 0, CODE },
};

/* Of executed instructions, or of another count, whatever the view. */
static const struct default_column counted[] = {
	{ COLUMN_INCLUSIVE_INSTRUCTIONS, 0, 0, ALL_ROWS },
	{ COLUMN_INCLUSIVE_COUNTED, 0, 0, ALL_ROWS },
	{ COLUMN_INCLUSIVE_INSTRUCTIONS_PERCENT, 2, 0, ALL_ROWS },
	{ COLUMN_INCLUSIVE_COUNTED_PERCENT, 2, 0, ALL_ROWS },
	{ COLUMN_EXCLUSIVE_INSTRUCTIONS, 1, 0, CODE },
	{ COLUMN_EXCLUSIVE_COUNTED, 1, 0, CODE },
	{ COLUMN_CALLS, 1, 0, ALL_ROWS },
	{ COLUMN_INCLUSIVE_INSTRUCTIONS_CALL, 5, 0, CODE },
	{ COLUMN_INCLUSIVE_COUNTED_CALL, 5, 0, CODE },
};

#define SET_SAMPLES (COLUMNS_COUNTS + 1)
#define SET_EXECUTED (COLUMNS_COUNTS + 2)
#define IN(set) (1u << (set))
#define TIMES (IN(COLUMNS_CPU) | IN(COLUMNS_FULL) | IN(SET_SAMPLES))
#define BYTES_COUNTS (IN(COLUMNS_IO) | IN(COLUMNS_MEMORY) | IN(COLUMNS_HELD) | IN(COLUMNS_COUNTS))
#define EXECUTED IN(SET_EXECUTED)
#define BUT_EXECUTED (TIMES | BYTES_COUNTS | IN(COLUMNS_OS))
#define ALL_SETS (BUT_EXECUTED | EXECUTED)

/* The columns that say what a row is about, behind the columns of values; each in some sets. */
static const struct {
	struct default_column column;
	unsigned sets; /* bits 1 << enum column_set, SET_SAMPLES or SET_EXECUTED */
} subjects[] = {
	{ { COLUMN_BEGIN, 7, 0, LIVES }, TIMES },
	{ { COLUMN_BEGIN, 0, 0, MARKS }, BUT_EXECUTED },
	{ { COLUMN_END, 6, 0, LIVES }, TIMES },
	{ { COLUMN_ENDED, 5, 0, LIVES }, TIMES },
	{ { COLUMN_PARENT_PID, 8, 0, ROWS(BY_PROCESS) }, TIMES },
	{ { COLUMN_PID, 4, 0, LIVES }, TIMES | EXECUTED },
	{ { COLUMN_PID, 4, 0, MARKS }, TIMES },
	{ { COLUMN_PID, 7, 0, LIVES | MARKS }, BYTES_COUNTS | IN(COLUMNS_OS) },
	{ { COLUMN_HOST, 3, 0, LIVES | MARKS }, BUT_EXECUTED },
	{ { COLUMN_JOB, 3, 0, LIVES }, BUT_EXECUTED },
	{ { COLUMN_RANK, 0, 0, LIVES }, BUT_EXECUTED },
	{ { COLUMN_PROCESSES, 2, 0, ROWS(BY_PROCESS) }, ALL_SETS },
	{ { COLUMN_TID, 0, 0, ROWS(BY_THREAD) }, ALL_SETS },
	{ { COLUMN_THREADS, 0, 0, ROWS(BY_THREAD) }, ALL_SETS },
	{ { COLUMN_ID, 3, 0, MARKS }, BUT_EXECUTED },
	{ { COLUMN_TYPE, 0, 0, ROWS(BY_CALLERS) }, ALL_SETS },
	{ { COLUMN_NAME, 0, 0, ALL_ROWS }, ALL_SETS },
	{ { COLUMN_PROCESS, 9, 0, ROWS(BY_THREAD) }, TIMES },
	{ { COLUMN_COMMAND_LINE, 9, 1, ROWS(BY_PROCESS) }, IN(COLUMNS_CPU) | IN(COLUMNS_FULL) },
	{ { COLUMN_COMMAND_LINE, 9, 0, ROWS(BY_PROCESS) }, IN(SET_SAMPLES) },
	{ { COLUMN_FUNCTION, 2, 0, ROWS(BY_LINE) }, BUT_EXECUTED },
	{ { COLUMN_FUNCTION, 2, 0, ROWS(BY_ADDRESS) }, IN(SET_SAMPLES) },
	{ { COLUMN_FILE, 9, 0, PLACES & ~ROWS(BY_PATH) }, IN(COLUMNS_CPU) },
	{ { COLUMN_FILE, 10, 1, ROWS(BY_PATH) }, IN(COLUMNS_CPU) },
	{ { COLUMN_MODULE_NAME, 12, 1, PLACES | ROWS(BY_LINE) }, IN(COLUMNS_CPU) },
	{ { COLUMN_MODULE_NAME, 12, 1, PLACES }, EXECUTED },
	{ { COLUMN_MODULE_NAME, 4, 0, PLACES | ROWS(BY_LINE) }, IN(COLUMNS_FULL) | IN(SET_SAMPLES) },
	{ { COLUMN_MODULE_NAME, 7, 0, PLACES | ROWS(BY_LINE) }, IN(COLUMNS_OS) },
	{ { COLUMN_MODULE_NAME, 7, 1, PLACES | ROWS(BY_LINE) }, BYTES_COUNTS },
	{ { COLUMN_FILE, 8, 0, PLACES }, ALL_SETS & ~(IN(COLUMNS_CPU) | EXECUTED) },
	{ { COLUMN_FILE, 9, 0, PLACES }, EXECUTED },
	{ { COLUMN_ADDRESS, 9, 0, ROWS(BY_SITE) }, ALL_SETS },
	{ { COLUMN_ADDRESS, 9, 0, ROWS(BY_ADDRESS) }, BUT_EXECUTED & ~IN(SET_SAMPLES) },
	{ { COLUMN_INLINED_FROM, 8, 0, ROWS(BY_LINE) }, TIMES },
};

static const struct {
	const struct default_column *list;
	size_t n;
} values[] = {
	[COLUMNS_CPU] = { cpu, ARRAY_SIZE(cpu) },
	[COLUMNS_FULL] = { times, ARRAY_SIZE(times) },
	[COLUMNS_OS] = { os, ARRAY_SIZE(os) },
	[COLUMNS_IO] = { io, ARRAY_SIZE(io) },
	[COLUMNS_MEMORY] = { memory, ARRAY_SIZE(memory) },
	[COLUMNS_HELD] = { held, ARRAY_SIZE(held) },
	[COLUMNS_COUNTS] = { counts, ARRAY_SIZE(counts) },
	[SET_SAMPLES] = { samples, ARRAY_SIZE(samples) },
	[SET_EXECUTED] = { counted, ARRAY_SIZE(counted) },
};

/* Samples and executed instructions have a set of their own, whatever the view. */
static unsigned set_of(enum column_set set, const struct profile *profile)
{
	if (profile_is_executed(profile))
		return SET_EXECUTED;
	return profile_is_sampled(profile) ? SET_SAMPLES : set;
}

/* Returns the set's column number i that the rows of the profile have, or NULL: values first. */
static const struct default_column *default_column(unsigned set, size_t i, const struct profile *profile)
{
	const struct default_column *found;

	if (i < values[set].n) {
		found = &values[set].list[i];
	} else {
		i -= values[set].n;
		if (!(subjects[i].sets & IN(set)))
			return NULL;
		found = &subjects[i].column;
	}
	return found->rows & ROWS(profile->by) ? found : NULL;
}

static int has_any(const struct profile *profile, enum column column)
{
	for (size_t i = 0; i < profile->n_rows; i++)
		if (column_value(profile, &profile->rows[i], column).type != VALUE_NONE)
			return 1;
	return 0;
}

static int has_mpi(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].mpi > 0)
			return 1;
	return 0;
}

/*
 * Machines are told where there are several, how well a share is known where it is not known well.
 * A thread has a number and a process, which is named too where there is room; several that are one
 * row have a name, and the name of their processes.
 */
static int is_needed(enum column column, const struct profile *profile, unsigned width)
{
	enum column_family family = column_infos[column].family;

	if (profile->by == BY_THREAD && column == COLUMN_PROCESS)
		return profile->merge_threads ? profile->totals.processes > 1 : width >= WIDE;
	if (column == COLUMN_THREADS)
		return profile->merge_threads;
	if (profile->merge_threads && (column == COLUMN_PID || column == COLUMN_TID))
		return 0;
	if (profile->group != GROUP_PROCESS && (column == COLUMN_PID || column == COLUMN_PARENT_PID ||
						column == COLUMN_ENDED || column == COLUMN_COMMAND_LINE))
		return 0;
	if (column == COLUMN_PROCESSES || (column == COLUMN_RANK && profile->group != GROUP_PROCESS))
		return column == COLUMN_PROCESSES && profile->group != GROUP_PROCESS;
	if (column == COLUMN_HOST && profile->group != GROUP_PROCESS)
		return profile->group != GROUP_HOST && profile->totals.hosts.n > 1;
	if (column == COLUMN_JOB && profile->group == GROUP_JOB)
		return 0;
	if (column_infos[column].method >= METHOD_INSTRUCTIONS)
		return column_of_method(profile, column);
	if (family == FAMILY_MPI)
		return has_mpi(profile);
	if (column == COLUMN_HOST)
		return profile->totals.hosts.n > 1;
	if (column == COLUMN_RANK)
		return profile->totals.ranked != 0;
	if (column == COLUMN_JOB)
		return profile->totals.jobs.n > 1;
	if (family == FAMILY_INSTRUCTIONS_TIME)
		return has_any(profile, column);
	if (family == FAMILY_UNCERTAINTY)
		return profile->totals.mixed.processes != 0;
	if (family == FAMILY_SHARE_LOW || family == FAMILY_SHARE_HIGH)
		return profile->totals.elapsed < SHARE_ENOUGH;
	return 1;
}

void column_list_default(struct column_list *columns, const struct profile *profile, enum column_set view,
			 unsigned width)
{
	unsigned set = set_of(view, profile);

	*columns = (struct column_list){ 0 };
	for (size_t i = 0; i < values[set].n + ARRAY_SIZE(subjects); i++) {
		const struct default_column *found = default_column(set, i, profile);

		if (found && (!found->wide || width >= WIDE) && is_needed(found->column, profile, width))
			column_list_add(columns, found->column);
	}
}

int column_drop(enum column column, enum column_set view, const struct profile *profile)
{
	unsigned set = set_of(view, profile);

	for (size_t i = 0; i < values[set].n + ARRAY_SIZE(subjects); i++) {
		const struct default_column *found = default_column(set, i, profile);

		if (found && found->column == column)
			return found->drop;
	}
	return 0;
}
