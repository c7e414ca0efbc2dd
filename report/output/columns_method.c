/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * columns_method.c - the columns of a session by its recording method (columns.h): sampled sessions
 * have samples and shares but no calls or times, instrumented ones the reverse. Executed
 * instructions, and what a counter of the processor's has counted, have calls but no times.
 */
#include "columns.h"

int column_of_method(const struct profile *profile, enum column column)
{
	enum column_method method = column_infos[column].method;

	if (profile->any_method || method == METHOD_BOTH)
		return 1;
	if (method == METHOD_MOVED)
		return profile->totals.moving != 0;
	if (method == METHOD_USER)
		return profile->totals.counting != 0;
	if (method == METHOD_MEMORY)
		return profile->totals.allocating + profile->totals.mixed.counted_bytes != 0;
	if (method == METHOD_HELD)
		return profile->totals.holding != 0;
	if (profile_is_executed(profile))
		return method == METHOD_CALLS ||
		       method == (profile_counter(profile) ? METHOD_COUNTER : METHOD_INSTRUCTIONS);
	if (method == METHOD_MIXED)
		return profile->totals.is_mixed;
	return method < METHOD_INSTRUCTIONS && profile_is_sampled(profile) == (method == METHOD_SAMPLES);
}

/* Where it is not known what threads were off the processor, all of the time stands for it. */
static enum column without_off_cpu(enum column column)
{
	static const enum column elapsed[][2] = {
		{ COLUMN_CPU, COLUMN_ELAPSED_INCLUSIVE },
		{ COLUMN_CPU_PERCENT, COLUMN_ELAPSED_INCLUSIVE_PERCENT },
		{ COLUMN_CPU_EXCLUSIVE, COLUMN_ELAPSED_EXCLUSIVE },
		{ COLUMN_CPU_EXCLUSIVE_PERCENT, COLUMN_ELAPSED_EXCLUSIVE_PERCENT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(elapsed); i++)
		if (elapsed[i][0] == column)
			return elapsed[i][1];
	return column;
}

static enum column instead(enum column column, const enum column pairs[][2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pairs[i][0] == column)
			return pairs[i][1];
	return column;
}

enum column column_for(const struct profile *profile, enum column column)
{
	static const enum column samples[][2] = {
		{ COLUMN_ELAPSED_INCLUSIVE, COLUMN_INCLUSIVE_SAMPLES },
		{ COLUMN_ELAPSED_EXCLUSIVE, COLUMN_EXCLUSIVE_SAMPLES },
		{ COLUMN_ELAPSED_INCLUSIVE_PERCENT, COLUMN_INCLUSIVE_PERCENT },
		{ COLUMN_ELAPSED_EXCLUSIVE_PERCENT, COLUMN_EXCLUSIVE_PERCENT },
	};

	static const enum column instructions[][2] = {
		{ COLUMN_ELAPSED_INCLUSIVE, COLUMN_INCLUSIVE_INSTRUCTIONS },
		{ COLUMN_ELAPSED_EXCLUSIVE, COLUMN_EXCLUSIVE_INSTRUCTIONS },
		{ COLUMN_ELAPSED_INCLUSIVE_PERCENT, COLUMN_INCLUSIVE_INSTRUCTIONS_PERCENT },
		{ COLUMN_ELAPSED_EXCLUSIVE_PERCENT, COLUMN_EXCLUSIVE_INSTRUCTIONS_PERCENT },
		{ COLUMN_AVERAGE, COLUMN_INCLUSIVE_INSTRUCTIONS_CALL },
		{ COLUMN_AVERAGE_EXCLUSIVE, COLUMN_EXCLUSIVE_INSTRUCTIONS_CALL },
	};

	static const enum column counted[][2] = {
		{ COLUMN_ELAPSED_INCLUSIVE, COLUMN_INCLUSIVE_COUNTED },
		{ COLUMN_ELAPSED_EXCLUSIVE, COLUMN_EXCLUSIVE_COUNTED },
		{ COLUMN_ELAPSED_INCLUSIVE_PERCENT, COLUMN_INCLUSIVE_COUNTED_PERCENT },
		{ COLUMN_ELAPSED_EXCLUSIVE_PERCENT, COLUMN_EXCLUSIVE_COUNTED_PERCENT },
		{ COLUMN_AVERAGE, COLUMN_INCLUSIVE_COUNTED_CALL },
		{ COLUMN_AVERAGE_EXCLUSIVE, COLUMN_EXCLUSIVE_COUNTED_CALL },
	};

	if (!profile_is_sampled(profile) && !profile_is_executed(profile))
		return totals_has_application(&profile->totals) ? column : without_off_cpu(column);
	column = without_off_cpu(column);
	if (profile_counter(profile))
		return instead(column, counted, ARRAY_SIZE(counted));
	if (profile_is_executed(profile))
		return instead(column, instructions, ARRAY_SIZE(instructions));
	return instead(column, samples, ARRAY_SIZE(samples));
}

void column_say_other_method(const struct profile *profile, enum column column)
{
	if (profile_counter(profile))
		error("counts have no '%s': there are calls, inclusive_counted, exclusive_counted and the "
		      "like (--columns=help)",
		      column_infos[column].key);
	else if (profile_is_executed(profile))
		error("executed instructions have no '%s': there are calls, inclusive_instructions, "
		      "exclusive_instructions and the like (--columns=help)",
		      column_infos[column].key);
	else if (column_infos[column].method == METHOD_INSTRUCTIONS)
		error("'%s' is of executed instructions: --measure=instructions", column_infos[column].key);
	else if (column_infos[column].method == METHOD_COUNTER)
		error("'%s' is of a counter of the processor's: --measure=cycles, retired or misses",
		      column_infos[column].key);
	else if (column_infos[column].method == METHOD_MOVED)
		error("no calls that read or write are known in this session, so there is no '%s'",
		      column_infos[column].key);
	else if (column_infos[column].method == METHOD_USER)
		error("the program counted nothing (cinstr_count() of cinstr.h), so there is no '%s'",
		      column_infos[column].key);
	else if (column_infos[column].method == METHOD_MEMORY)
		error("no calls that allocate are known in this session, so there is no '%s'",
		      column_infos[column].key);
	else if (column_infos[column].method == METHOD_HELD)
		error("there is no '%s' in this session: record it with --held=on", column_infos[column].key);
	else if (column_infos[column].method == METHOD_MIXED)
		error("this session has no samples beside its calls, so there is no '%s'",
		      column_infos[column].key);
	else if (profile_is_sampled(profile))
		error("this session was sampled, so there is no '%s': there are inclusive_samples, "
		      "exclusive_samples, inclusive_percent, exclusive_percent",
		      column_infos[column].key);
	else
		error("this session was not sampled, so there is no '%s': there are calls and times "
		      "(--columns=help)",
		      column_infos[column].key);
}

int column_may_be(const struct profile *profile, enum column column)
{
	return column_of_method(profile, column) ||
	       (column_infos[column].method >= METHOD_MOVED && !profile_is_sampled(profile));
}

int column_check_sort(const struct profile *profile, enum column column)
{
	if (column_may_be(profile, column_for(profile, column)))
		return 0;
	column_say_other_method(profile, column);
	return -1;
}
