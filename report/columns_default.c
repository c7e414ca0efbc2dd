/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns_default.c - the columns of a table when nothing else is wished, by view and width (columns.h). */
#include "columns.h"
#include "util.h"

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

/* Of threads and processes inclusive and exclusive are the same. */
static const struct default_column times[] = {
	{ COLUMN_CALLS, 0, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE_PERCENT, 2, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_EXCLUSIVE, 0, 0, CODE },
	{ COLUMN_ELAPSED_EXCLUSIVE_PERCENT, 1, 0, CODE },
	{ COLUMN_APPLICATION_INCLUSIVE, 3, 0, ALL_ROWS },
	{ COLUMN_APPLICATION_INCLUSIVE_PERCENT, 6, 0, ALL_ROWS },
	{ COLUMN_APPLICATION_EXCLUSIVE, 0, 0, CODE },
	{ COLUMN_APPLICATION_EXCLUSIVE_PERCENT, 5, 0, CODE },
	{ COLUMN_OFF_CPU_EXCLUSIVE, 11, 1, CODE },
	{ COLUMN_AVERAGE, 7, 0, CODE },
	{ COLUMN_SHORTEST, 13, 1, CODE },
	{ COLUMN_LONGEST, 10, 1, CODE },
	{ COLUMN_P99, 12, 1, CODE },
	{ COLUMN_ON_CPU_PERCENT, 1, 0, LIVES | MARKS },
	{ COLUMN_BEGIN, 7, 0, LIVES },
	{ COLUMN_BEGIN, 0, 0, MARKS },
	{ COLUMN_END, 6, 0, LIVES },
	{ COLUMN_ENDED, 5, 0, LIVES },
	{ COLUMN_PARENT_PID, 8, 0, ROWS(BY_PROCESS) },
	{ COLUMN_PID, 4, 0, LIVES | MARKS },
	{ COLUMN_HOST, 3, 0, LIVES | MARKS },
	{ COLUMN_TID, 0, 0, ROWS(BY_THREAD) },
	{ COLUMN_ID, 3, 0, MARKS },
	{ COLUMN_TYPE, 0, 0, ROWS(BY_CALLERS) },
	{ COLUMN_NAME, 0, 0, ALL_ROWS },
	{ COLUMN_PROCESS, 9, 1, ROWS(BY_THREAD) },
	{ COLUMN_COMMAND_LINE, 9, 1, ROWS(BY_PROCESS) },
	{ COLUMN_FUNCTION, 2, 0, ROWS(BY_LINE) },
	{ COLUMN_MODULE_NAME, 4, 0, PLACES | ROWS(BY_LINE) },
	{ COLUMN_FILE, 8, 0, PLACES },
	{ COLUMN_ADDRESS, 9, 0, ROWS(BY_SITE) | ROWS(BY_ADDRESS) },
	{ COLUMN_INLINED_FROM, 8, 0, ROWS(BY_LINE) },
};

static const struct default_column os[] = {
	{ COLUMN_CALLS, 2, 0, ALL_ROWS },
	{ COLUMN_ELAPSED_INCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_OFF_CPU, 5, 0, CODE },
	{ COLUMN_OFF_CPU, 0, 0, LIVES | MARKS },
	{ COLUMN_OFF_CPU_EXCLUSIVE, 0, 0, CODE },
	{ COLUMN_VOLUNTARY_EXCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_INVOLUNTARY_EXCLUSIVE, 0, 0, ALL_ROWS },
	{ COLUMN_MAJOR_FAULTS_EXCLUSIVE, 3, 0, ALL_ROWS },
	{ COLUMN_MINOR_FAULTS_EXCLUSIVE, 6, 0, ALL_ROWS },
	{ COLUMN_BLOCK_INPUT_EXCLUSIVE, 4, 0, ALL_ROWS },
	{ COLUMN_BLOCK_OUTPUT_EXCLUSIVE, 4, 0, ALL_ROWS },
	{ COLUMN_SYSTEM_CALLS_EXCLUSIVE, 1, 0, ALL_ROWS },
	{ COLUMN_SYSTEM_CALLS, 12, 1, CODE },
	{ COLUMN_VOLUNTARY, 13, 1, CODE },
	{ COLUMN_INVOLUNTARY, 14, 1, CODE },
	{ COLUMN_BEGIN, 0, 0, MARKS },
	{ COLUMN_PID, 7, 0, LIVES | MARKS },
	{ COLUMN_HOST, 3, 0, LIVES | MARKS },
	{ COLUMN_TID, 0, 0, ROWS(BY_THREAD) },
	{ COLUMN_ID, 3, 0, MARKS },
	{ COLUMN_TYPE, 0, 0, ROWS(BY_CALLERS) },
	{ COLUMN_NAME, 0, 0, ALL_ROWS },
	{ COLUMN_FUNCTION, 2, 0, ROWS(BY_LINE) },
	{ COLUMN_MODULE_NAME, 7, 0, PLACES | ROWS(BY_LINE) },
	{ COLUMN_FILE, 8, 0, PLACES },
	{ COLUMN_ADDRESS, 9, 0, ROWS(BY_SITE) | ROWS(BY_ADDRESS) },
};

static const struct default_column *set_of(enum column_set set, size_t *n)
{
	*n = set == COLUMNS_OS ? ARRAY_SIZE(os) : ARRAY_SIZE(times);
	return set == COLUMNS_OS ? os : times;
}

void column_list_default(struct column_list *columns, const struct profile *profile, enum column_set set,
			 unsigned width)
{
	size_t n;
	const struct default_column *defaults = set_of(set, &n);

	*columns = (struct column_list){ 0 };
	for (size_t i = 0; i < n; i++)
		if ((defaults[i].rows & ROWS(profile->by)) && (!defaults[i].wide || width >= WIDE) &&
		    (defaults[i].column != COLUMN_HOST || profile->totals.hosts.n > 1))
			column_list_add(columns, defaults[i].column);
}

int column_drop(enum column column, enum column_set set, enum profile_by by)
{
	size_t n;
	const struct default_column *defaults = set_of(set, &n);

	for (size_t i = 0; i < n; i++)
		if (defaults[i].column == column && (defaults[i].rows & ROWS(by)))
			return defaults[i].drop;
	return 0;
}
