/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.c - the value of each column (columns.h). */
#include "columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows/uncertainty.h"
#include "values/wilson_interval.h"

const struct column_info column_infos[COLUMN_COUNT] = {
#define COLUMN_INFO(id, key, family, which, meaning) [COLUMN_##id] = { key, FAMILY_##family, which, meaning },
	COLUMN_TABLE(COLUMN_INFO)
#undef COLUMN_INFO
};

static struct value text(const char *string)
{
	return (struct value){ .type = string ? VALUE_TEXT : VALUE_NONE, .text = string };
}

static struct value count(uint64_t n)
{
	return (struct value){ .type = VALUE_COUNT, .count = n, .number = (long double)n };
}

/* 0: the view or the row has none */
static struct value count_or_none(uint64_t n)
{
	struct value value = count(n);

	value.type = n ? VALUE_COUNT : VALUE_NONE;
	return value;
}

static struct value ns(long double number)
{
	return (struct value){ .type = VALUE_NS, .number = number };
}

static struct value none(void)
{
	return (struct value){ .type = VALUE_NONE, .number = -1 };
}

static struct value ns_or_none(long double number)
{
	return number < 0 ? none() : ns(number);
}

static struct value percent(long double part, long double whole)
{
	return (struct value){ .type = VALUE_PERCENT, .number = whole > 0 ? 100 * part / whole : 0 };
}

/* ---- text and counts --------------------------------------------------------------------------- */

static struct value text_column(const struct row *row, enum column column)
{
	static const char *const types[] = { NULL, "caller", "root", "callee" };

	switch (column) {
	case COLUMN_TYPE:
		return text(types[row->relation]);
	case COLUMN_ROOT_FUNCTION:
		return text(row->root_function);
	case COLUMN_NAME:
		return text(row->name);
	case COLUMN_MODULE:
		return text(row->module);
	case COLUMN_MODULE_NAME:
		return text(row->module ? util_basename(row->module) : NULL);
	case COLUMN_FUNCTION:
		return text(row->function);
	case COLUMN_INLINED_FROM:
		return text(row->inlined_from);
	case COLUMN_CALLEE:
		return text(row->callee);
	case COLUMN_ADDRESS:
		return text(row->address);
	case COLUMN_HOST:
		return text(row->host);
	case COLUMN_PROCESS:
		return text(row->process);
	case COLUMN_ENDED:
		return text(row->ended);
	case COLUMN_COMMAND_LINE:
		return text(row->command_line);
	default:
		return text(row->file);
	}
}

/* How often a line was reached: where it has no line events, the calls of its function. */
static uint64_t row_calls(const struct row *row)
{
	return row->calls ? row->calls : row->entries;
}

static struct value count_column(const struct profile *profile, const struct row *row, enum column column)
{
	switch (column) {
	case COLUMN_LINE:
		return count_or_none(row->line);
	case COLUMN_LINE_FROM:
		return count_or_none(row_has_range(row) ? row->line_from : 0);
	case COLUMN_LINE_TO:
		return count_or_none(row_has_range(row) ? row->line_to : 0);
	case COLUMN_CALLS:
		return count(row_calls(row));
	case COLUMN_TAIL_CALLS:
		return count(row->tail_calls);
	case COLUMN_THREADS:
		return count(row->n_threads);
	case COLUMN_OPEN_CALLS:
		return count(row->open_calls);
	case COLUMN_PID:
		return count_or_none(row->pid);
	case COLUMN_TID:
		return count_or_none(row->tid);
	case COLUMN_PARENT_PID:
		return count_or_none(row->parent_pid);
	case COLUMN_RECURSIVE:
		return count(row->is_recursive != 0);
	case COLUMN_HOT:
		return count(row->is_hot != 0);
	case COLUMN_DEPTH:
		return count(row->depth);
	case COLUMN_ID:
		if (profile->by == BY_MARK)
			return count_or_none((uint64_t)row->mark_id);
		return count((uint64_t)(row - profile->rows));
	default:
		return row->depth > 1 ? count(row->parent) : none();
	}
}

/* ---- the four values --------------------------------------------------------------------------- */

static int is_application(int kind)
{
	return kind == VALUE_APPLICATION_INCLUSIVE || kind == VALUE_APPLICATION_EXCLUSIVE;
}

static long double total(const struct row *row, int kind)
{
	const struct sums *s = &row->sums;
	const long double totals[VALUE_KINDS] = {
		[VALUE_ELAPSED_INCLUSIVE] = s->elapsed_inclusive,
		[VALUE_ELAPSED_EXCLUSIVE] = s->elapsed_exclusive,
		[VALUE_APPLICATION_INCLUSIVE] = s->application_inclusive,
		[VALUE_APPLICATION_EXCLUSIVE] = s->application_exclusive,
	};

	return totals[kind];
}

/* R8: inclusive over all activations, nested ones too. */
static struct value average(const struct row *row, int kind)
{
	long double sum = kind == VALUE_ELAPSED_INCLUSIVE	? row->activations_elapsed
			  : kind == VALUE_APPLICATION_INCLUSIVE ? row->activations_application
								: total(row, kind);

	return row_calls(row) ? ns(sum / (long double)row_calls(row)) : none();
}

/* R9: nothing is known of the overhead where probes were not calibrated; raw values have it in them. */
static struct value uncertainty(const struct profile *profile, const struct row *row, int kind)
{
	if (profile->totals.uncalibrated && !profile->counting.raw)
		return none();
	return ns(uncertainty_of(&row->sums, (enum value_kind)kind));
}

static struct value four_column(const struct profile *profile, const struct row *row,
				const struct column_info *info)
{
	const struct totals *t = &profile->totals;

	if (is_application(info->which) && !totals_has_application(t))
		return none(); /* R12: never 0, never a copy of Elapsed */
	switch (info->family) {
	case FAMILY_TOTAL:
		return ns(total(row, info->which));
	case FAMILY_PERCENT:
		return percent(total(row, info->which),
			       is_application(info->which) ? t->application : t->elapsed);
	case FAMILY_AVERAGE:
		return average(row, info->which);
	case FAMILY_SHORTEST:
		return ns_or_none(row->shortest[info->which]);
	case FAMILY_LONGEST:
		return ns_or_none(row->longest[info->which]);
	default:
		return uncertainty(profile, row, info->which);
	}
}

/*
 * A slot's middle can lie beyond the shortest or the longest call, by half a slot. Raw it can by more: these two are the shortest and the
 * longest less their overhead.
 */
static int is_end(const struct profile *profile, long double value, long double end)
{
	return !profile->counting.raw || fabsl(value - end) * DURATIONS_PER_OCTAVE <= end;
}

static struct value quantile(const struct profile *profile, const struct row *row, int percents)
{
	long double value = durations_quantile(&row->durations, percents / 100.0);
	long double least = row->shortest[VALUE_ELAPSED_INCLUSIVE],
		    most = row->longest[VALUE_ELAPSED_INCLUSIVE];

	if (value < 0)
		return none();
	if (most >= 0 && value > most && is_end(profile, value, most))
		return ns(most);
	return ns(value < least && is_end(profile, value, least) ? least : value);
}

/* ---- the operating system, life ---------------------------------------------------------------- */

static struct value os_column(const struct profile *profile, const struct row *row,
			      const struct column_info *info)
{
	int inclusive = info->family == FAMILY_OS_INCLUSIVE;

	if (info->which != OS_SYSCALL && !totals_has_application(&profile->totals))
		return none();
	if (!row->os)
		return count(0);
	if (inclusive && row->os->is_partial)
		return none();
	return count(inclusive ? row->os->inclusive.of[info->which] : row->os->exclusive.of[info->which]);
}

static struct value off_cpu(const struct profile *profile, const struct row *row, int exclusive)
{
	if (!totals_has_application(&profile->totals))
		return none();
	return ns(exclusive ? row->sums.off_cpu_exclusive : row->sums.off_cpu_inclusive);
}

/* Of the intervals, as they were before anything was subtracted. */
static struct value on_cpu(const struct profile *profile, const struct row *row)
{
	const struct sums *s = &row->sums;
	long double all = s->elapsed_inclusive + (profile->counting.raw ? 0 : s->overhead_inclusive);

	if (!totals_has_application(&profile->totals) || all <= 0)
		return none();
	return percent(s->off_cpu_inclusive < all ? all - s->off_cpu_inclusive : 0, all);
}

static struct value life_column(const struct profile *profile, const struct row *row, int which)
{
	if (which == 2)
		return on_cpu(profile, row);
	return ns_or_none(which ? row->end : row->begin);
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* A sampled session's times are samples (samples.h). */
static struct value samples_column(const struct profile *profile, const struct row *row,
				   const struct column_info *info)
{
	long double samples = total(row, info->which);
	struct share share;

	if (!profile_is_sampled(profile))
		return none();
	if (info->family == FAMILY_SAMPLES)
		return count(util_rounded(samples));
	if (info->family == FAMILY_SHARE)
		return percent(samples, profile->totals.elapsed);
	share = share_of(samples, profile->totals.elapsed);
	return percent(info->family == FAMILY_SHARE_LOW ? share.low : share.high, 1);
}

/* What is known of a mark that began no phase. */
static int is_of_mark(enum column column)
{
	return column_infos[column].family == FAMILY_TEXT || column == COLUMN_PID || column == COLUMN_ID ||
	       column == COLUMN_BEGIN;
}

struct value column_value(const struct profile *profile, const struct row *row, enum column column)
{
	const struct column_info *info = &column_infos[column];

	if (row->is_unmeasured && !is_of_mark(column))
		return none();
	switch (info->family) {
	case FAMILY_TEXT:
		return text_column(row, column);
	case FAMILY_COUNT:
		return count_column(profile, row, column);
	case FAMILY_QUANTILE:
		return quantile(profile, row, info->which);
	case FAMILY_OVERHEAD:
		return ns(info->which ? row->sums.overhead_exclusive : row->sums.overhead_inclusive);
	case FAMILY_OFF_CPU:
		return off_cpu(profile, row, info->which);
	case FAMILY_OS_INCLUSIVE:
	case FAMILY_OS_EXCLUSIVE:
		return os_column(profile, row, info);
	case FAMILY_LIFE:
		return life_column(profile, row, info->which);
	case FAMILY_SAMPLES:
	case FAMILY_SHARE:
	case FAMILY_SHARE_LOW:
	case FAMILY_SHARE_HIGH:
		return samples_column(profile, row, info);
	default:
		return four_column(profile, row, info);
	}
}

int column_in_view(const struct profile *profile, enum column column)
{
	enum profile_by by = profile->by;

	if (!column_of_method(profile, column))
		return 0;
	switch (column) {
	case COLUMN_ID:
		if (by == BY_MARK)
			return 1;
		/* fall through */
	case COLUMN_DEPTH:
	case COLUMN_PARENT:
		return by == BY_PATH || (by == BY_MODULE && profile->functions);
	case COLUMN_HOT:
		return by == BY_PATH;
	case COLUMN_TAIL_CALLS:
		return !profile_is_sampled(profile) && (by == BY_PATH || by == BY_CALLERS || by == BY_SITE);
	case COLUMN_TYPE:
	case COLUMN_ROOT_FUNCTION:
	case COLUMN_RECURSIVE:
		return by == BY_CALLERS;
	case COLUMN_PARENT_PID:
	case COLUMN_COMMAND_LINE:
		return by == BY_PROCESS;
	case COLUMN_HOST:
	case COLUMN_BEGIN:
	case COLUMN_END:
	case COLUMN_ON_CPU_PERCENT:
		return by == BY_PROCESS || by == BY_THREAD || by == BY_MARK;
	case COLUMN_PROCESS:
	case COLUMN_ENDED:
		return by == BY_PROCESS || by == BY_THREAD;
	case COLUMN_THREADS:
		return by == BY_THREAD;
	case COLUMN_FUNCTION:
	case COLUMN_INLINED_FROM:
		return by == BY_LINE || (by == BY_ADDRESS && column == COLUMN_FUNCTION);
	case COLUMN_LINE_FROM:
	case COLUMN_LINE_TO:
		return by == BY_LINE && !profile_is_sampled(profile);
	case COLUMN_CALLEE:
		return by == BY_SITE || by == BY_ADDRESS;
	case COLUMN_ADDRESS:
		return by == BY_SITE || by == BY_ADDRESS || by == BY_FUNCTION || by == BY_CALLERS ||
		       (by == BY_MODULE && profile->functions);
	default:
		return 1;
	}
}
