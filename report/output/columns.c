/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.c - the value of each column (columns.h). */
#include "columns.h"

#include <math.h>
#include <string.h>

#include "rows/mixed_rows.h"
#include "rows/uncertainty.h"
#include "values/wilson_interval.h"

/* ---- words of the table ---------------------------------------------------------------------- */

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

static struct value count_if(int is_there, uint64_t n)
{
	return is_there ? count(n) : none();
}

static struct value ns_or_none(long double number)
{
	return number < 0 ? none() : ns(number);
}

static struct value percent(long double part, long double whole)
{
	return (struct value){ .type = VALUE_PERCENT, .number = whole > 0 ? 100 * part / whole : 0 };
}

static struct value relation_of(const struct row *row)
{
	static const char *const types[] = { NULL, "caller", "root", "callee" };

	return text(types[row->relation]);
}

static struct value id_of(const struct profile *profile, const struct row *row)
{
	if (profile->by == BY_MARK)
		return count_or_none((uint64_t)row->mark_id);
	if (profile->by == BY_PATH)
		return count(profile->paths.row_of[row->path]);
	return count((uint64_t)(row - profile->rows));
}

/*
 * How often a line was reached: where it has no line events, the calls of its function. A call that
 * a path beyond the budget has lost to another one makes that path's -1: their sum is right.
 */
static uint64_t calls_of(const struct row *row)
{
	uint64_t calls = row->calls ? row->calls : row->entries;

	return (int64_t)calls < 0 ? 0 : calls;
}

static struct value calls_or_none(const struct row *row)
{
	return row->are_calls_least && !calls_of(row) ? none() : count(calls_of(row));
}

static const char *calls_bound_of(const struct row *row)
{
	return mixed_bound_word(row->are_calls_least);
}

/* Are all calls known that the row's times are of? A row of many functions has times of them all,
 * and estimates are of all calls; else what is known of is what was timed. */
static int has_calls_timed(const struct profile *profile, const struct row *row)
{
	int is_of_many = profile->by == BY_THREAD || profile->by == BY_PROCESS || profile->by == BY_MARK ||
			 (profile->by == BY_MODULE && row->entity == UINT32_MAX);

	return !row->are_calls_least ||
	       !(is_of_many ||
		 (row->source[CINSTR_INCLUSIVE] | row->source[CINSTR_EXCLUSIVE]) & SOURCE_ESTIMATE);
}

static const char *source_of(const struct row *row, int which)
{
	return mixed_source_word(row->source[which]);
}

/* Nothing is known of single calls where some were only counted. */
static struct value extreme(const struct row *row, const double *of_kind, int kind)
{
	return row->is_partly_timed ? none() : ns_or_none(of_kind[kind]);
}

static int is_application(int kind)
{
	return kind == VALUE_APPLICATION_INCLUSIVE || kind == VALUE_APPLICATION_EXCLUSIVE;
}

static long double total(const struct row *row, int kind)
{
	return uncertainty_value(&row->sums, (enum value_kind)kind);
}

/* Those whose times are in the row. */
static uint64_t timed_calls_of(const struct row *row)
{
	int64_t n = (int64_t)calls_of(row) - (row->calls ? row->untimed : 0);

	return n > 0 ? (uint64_t)n : 0;
}

/* R8: inclusive over all activations, nested ones too. */
static struct value average(const struct profile *profile, const struct row *row, int kind)
{
	long double sum = kind == VALUE_ELAPSED_INCLUSIVE	? row->activations_elapsed
			  : kind == VALUE_APPLICATION_INCLUSIVE ? row->activations_application
			  : kind == VALUE_ELAPSED_EXCLUSIVE	? total(row, kind) - row->inherited_elapsed
							    : total(row, kind) - row->inherited_application;

	return timed_calls_of(row) && !row->is_contributor && has_calls_timed(profile, row)
		       ? ns(sum / (long double)timed_calls_of(row))
		       : none();
}

/* R9: nothing is known of the overhead where probes were not calibrated; raw values have it in
 * them. */
static struct value uncertainty(const struct profile *profile, const struct row *row, int kind)
{
	if (profile->totals.uncalibrated && !profile->counting.raw)
		return none();
	return ns(uncertainty_of(&row->sums, (enum value_kind)kind));
}

/*
 * A slot's middle can lie beyond the shortest or the longest call, by half a slot. Raw it can by
 * more: these two are the shortest and the longest less their overhead.
 */
static int is_end(const struct profile *profile, long double value, long double end)
{
	return !profile->counting.raw || fabsl(value - end) * DURATIONS_PER_OCTAVE <= end;
}

static struct value quantile(const struct profile *profile, const struct row *row, double part)
{
	long double value = durations_quantile(&row->durations, part);
	long double least = row->shortest[VALUE_ELAPSED_INCLUSIVE],
		    most = row->longest[VALUE_ELAPSED_INCLUSIVE];

	if (value < 0 || row->is_partly_timed)
		return none();
	if (most >= 0 && value > most && is_end(profile, value, most))
		return ns(most);
	return ns(value < least && is_end(profile, value, least) ? least : value);
}

static struct value os_count(const struct profile *profile, const struct row *row, enum os_kind kind,
			     enum value_kind which)
{
	int inclusive = which == VALUE_ELAPSED_INCLUSIVE;

	if (row->is_contributor)
		return none();
	if (os_kind_infos[kind].counted != OS_CALLS && !totals_has_application(&profile->totals))
		return none();
	if (!row->os)
		return count(0);
	if (inclusive && row->os->is_partial)
		return none();
	return count(inclusive ? row->os->inclusive.of[kind] : row->os->exclusive.of[kind]);
}

static struct value off_cpu(const struct profile *profile, long double of_row)
{
	return totals_has_application(&profile->totals) ? ns(of_row) : none();
}

static struct value cpu(const struct profile *profile, const struct row *row, enum value_kind kind)
{
	if (!totals_has_application(&profile->totals))
		return none();
	return ns(uncertainty_cpu(&row->sums, kind == VALUE_ELAPSED_INCLUSIVE));
}

static struct value cpu_percent(const struct profile *profile, const struct row *row, enum value_kind kind)
{
	struct value value = cpu(profile, row, kind);

	return value.type == VALUE_NONE ? value : percent(value.number, totals_cpu(&profile->totals));
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

/* Of a row of a sampled session: its times are samples (samples.h). */
static struct share share(const struct profile *profile, const struct row *row, enum value_kind kind)
{
	return share_of(total(row, kind), profile->totals.elapsed);
}

static const struct moved_sums *moved_by(const struct row *row, int kind, enum value_kind which)
{
	const struct os_tally *tally =
		which == VALUE_ELAPSED_INCLUSIVE ? &row->os->inclusive : &row->os->exclusive;

	return &tally->moved[kind];
}

/* What calls have read or written (enum cinstr_amount_kind): bytes, and calls. */
static int knows_moved(const struct profile *profile, const struct row *row, enum value_kind which)
{
	return profile->totals.moving && !row->is_contributor &&
	       !(row->os && row->os->is_partial && which == VALUE_ELAPSED_INCLUSIVE);
}

static struct value moved_bytes(const struct profile *profile, const struct row *row, int kind,
				enum value_kind which)
{
	if (!knows_moved(profile, row, which))
		return none();
	return count(row->os ? moved_by(row, kind, which)->bytes : 0);
}

static struct value moved_bytes_of_all(const struct profile *profile, const struct row *row)
{
	struct value read = moved_bytes(profile, row, CINSTR_AMOUNT_READ, VALUE_ELAPSED_INCLUSIVE);

	if (read.type == VALUE_NONE || !row->os)
		return read;
	return count(read.count + moved_by(row, CINSTR_AMOUNT_WRITTEN, VALUE_ELAPSED_INCLUSIVE)->bytes);
}

static struct value moved_calls(const struct profile *profile, const struct row *row, int kind,
				enum value_kind which)
{
	if (!knows_moved(profile, row, which))
		return none();
	return count(row->os ? moved_by(row, kind, which)->calls : 0);
}

static struct value moved_per_call(const struct profile *profile, const struct row *row, int kind)
{
	const enum value_kind which = VALUE_ELAPSED_INCLUSIVE;
	uint64_t calls;

	if (!knows_moved(profile, row, which) || !row->os)
		return none();
	calls = moved_by(row, kind, which)->calls;
	if (!calls)
		return none();
	return count(util_rounded((long double)moved_by(row, kind, which)->bytes / (long double)calls));
}

/* Memory that was allocated. Beyond the budget of paths it is not known for whom. */
static int knows_allocated(const struct profile *profile, const struct row *row, int is_inclusive)
{
	return profile->totals.allocating + profile->totals.mixed.counted_bytes && !row->is_contributor &&
	       !(row->os && row->os->is_partial && is_inclusive);
}

/* Rows without any count have no struct for it: trees have millions. */
static int allocated_is_least(const struct profile *profile, const struct row *row)
{
	if (row->os)
		return row->os->is_least;
	return profile->totals.mixed.counted_bytes && profile->by != BY_THREAD && profile->by != BY_PROCESS;
}

static struct value allocated_bytes(const struct profile *profile, const struct row *row)
{
	const struct moved_sums *sums = row->os ? &row->os->inclusive.moved[CINSTR_AMOUNT_ALLOCATED] : NULL;

	if (!knows_allocated(profile, row, 1) || (allocated_is_least(profile, row) && !(sums && sums->calls)))
		return none();
	return count(sums ? sums->bytes : 0);
}

static struct value allocations(const struct profile *profile, const struct row *row)
{
	const struct moved_sums *sums = row->os ? &row->os->inclusive.moved[CINSTR_AMOUNT_ALLOCATED] : NULL;

	if (!knows_allocated(profile, row, 1) || (allocated_is_least(profile, row) && !(sums && sums->calls)))
		return none();
	return count(sums ? sums->calls : 0);
}

static struct value allocated_own(const struct profile *profile, const struct row *row)
{
	return knows_allocated(profile, row, 0) ? count(row->os ? row->os->own.bytes : 0) : none();
}

static struct value allocations_own(const struct profile *profile, const struct row *row)
{
	return knows_allocated(profile, row, 0) ? count(row->os ? row->os->own.calls : 0) : none();
}

static struct value allocation_mean(const struct profile *profile, const struct row *row)
{
	const struct moved_sums *own = row->os ? &row->os->own : NULL;

	if (!knows_allocated(profile, row, 0) || !own || own->calls <= own->failed)
		return none();
	return count(util_rounded((long double)own->bytes / (long double)(own->calls - own->failed)));
}

static struct value held(const struct profile *profile, const struct row *row, int is_inclusive,
			 int is_blocks)
{
	const struct moved_sums none_held = { 0 }, *sums = &none_held;

	if (row->is_contributor || (row->os && row->os->is_partial && is_inclusive))
		return none();
	(void)profile;
	if (row->os)
		sums = is_inclusive ? &row->os->inclusive.moved[CINSTR_AMOUNT_HELD] : &row->os->held;
	return count(is_blocks ? sums->calls : sums->bytes);
}

/* What the program has counted by the chosen name (counts_choose()). */
static int knows_count(const struct profile *profile, const struct row *row, enum value_kind which)
{
	return profile->totals.counting && !row->is_contributor &&
	       !(row->os && row->os->is_partial && which == VALUE_ELAPSED_INCLUSIVE);
}

static struct value user_count(const struct profile *profile, const struct row *row, enum value_kind which)
{
	if (!knows_count(profile, row, which))
		return none();
	return count(row->os ? moved_by(row, CINSTR_AMOUNT_COUNTED, which)->bytes : 0);
}

static struct value user_count_calls(const struct profile *profile, const struct row *row)
{
	if (!knows_count(profile, row, VALUE_ELAPSED_INCLUSIVE))
		return none();
	return count(row->os ? moved_by(row, CINSTR_AMOUNT_COUNTED, VALUE_ELAPSED_INCLUSIVE)->calls : 0);
}

static struct value time_per_count(const struct profile *profile, const struct row *row)
{
	struct value n = user_count(profile, row, VALUE_ELAPSED_INCLUSIVE);

	if (n.type == VALUE_NONE || !n.count)
		return none();
	return (struct value){ .type = VALUE_DECIMAL,
			       .number = total(row, VALUE_ELAPSED_INCLUSIVE) / (long double)n.count };
}

/* Of executed instructions. What calls have that were made by others of the row's is not known. */
static struct value per_call(const struct row *row, enum value_kind kind)
{
	uint64_t calls = calls_of(row);

	if (!calls || (kind == VALUE_ELAPSED_INCLUSIVE && row->has_recursion))
		return none();
	return count(util_rounded(total(row, kind) / (long double)calls));
}

/* Of what has taken all of its time by itself, if that is known well. */
static struct value ns_per_instruction(const struct profile *profile, const struct row *row)
{
	const struct executed_work *work =
		profile->work && row->entity < profile->n_work ? &profile->work[row->entity] : NULL;
	int has_cpu = totals_has_application(&profile->totals);

	if (!work || !work->is_known || work->ways_out || !work->instructions || row->is_partly_timed ||
	    row->are_calls_least || row->untimed || mixed_row_is_estimate(row, VALUE_ELAPSED_EXCLUSIVE) ||
	    (has_cpu ? uncertainty_cpu_is_rough(&row->sums, 0)
		     : uncertainty_is_rough(&row->sums, VALUE_ELAPSED_EXCLUSIVE)))
		return none();
	return (struct value){ .type = VALUE_DECIMAL,
			       .number = (has_cpu ? uncertainty_cpu(&row->sums, 0)
						  : total(row, VALUE_ELAPSED_EXCLUSIVE)) /
					 (long double)work->instructions };
}

/* ---- over processes -------------------------------------------------------------------------- */

static long double mean_of(const struct spread *s)
{
	return s->mean;
}

static long double least_of(const struct spread *s)
{
	return s->least;
}

static long double most_of(const struct spread *s)
{
	return s->most;
}

static struct value spread(const struct profile *profile, const struct row *row,
			   long double (*of)(const struct spread *s))
{
	struct spread s;

	return spread_of_row(profile, row, &s) ? none() : ns(of(&s));
}

static struct value spread_who(const struct profile *profile, const struct row *row, int most)
{
	struct spread s;

	if (spread_of_row(profile, row, &s))
		return none();
	return text(most ? s.who_most : s.who_least);
}

static struct value imbalance(const struct profile *profile, const struct row *row)
{
	struct spread s;

	return spread_of_row(profile, row, &s) ? none() : percent(spread_imbalance(&s), 1);
}

static struct value contributors(const struct profile *profile, const struct row *row)
{
	struct spread s;

	return spread_of_row(profile, row, &s) ? none() : count(s.n);
}

static struct value contributors_of(const struct profile *profile, const struct row *row)
{
	struct spread s;

	return spread_of_row(profile, row, &s) ? none() : count(profile->spreads.n);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define IN(by) (1u << BY_##by)
#define MODULES_FUNCTIONS (1u << (BY_CALLERS + 1)) /* by module, with functions */
#define ANY (MODULES_FUNCTIONS * 2 - 1)
#define TREE (IN(PATH) | MODULES_FUNCTIONS)
#define LIVES (IN(THREAD) | IN(PROCESS))
/* The view of a sampled session does not have it; no message tells that samples cannot know it. */
#define UNLESS_SAMPLED (MODULES_FUNCTIONS * 2)

#define COLUMN_GETTER(id, key, family, which, heading, views, method, expression, meaning) \
	static struct value get_##id(const struct profile *profile, const struct row *row) \
	{ \
		(void)profile; \
		(void)row; \
		return expression; \
	}
COLUMN_TABLE(COLUMN_GETTER)
#undef COLUMN_GETTER

const struct column_info column_infos[COLUMN_COUNT] = {
#define HEADING(group, text, form) \
	{ \
		group, text, FORM_##form \
	}
#define COLUMN_INFO(id, key, family, which, heading, views, method, expression, meaning) \
	[COLUMN_##id] = { key, FAMILY_##family, which, heading, views, METHOD_##method, get_##id, meaning },
	COLUMN_TABLE(COLUMN_INFO)
#undef COLUMN_INFO
#undef HEADING
};

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
	if (is_application(info->which) && !totals_has_application(&profile->totals))
		/* R12: Application time that is not known is neither 0 nor a copy of Elapsed */
		return none();
	if ((info->method == METHOD_SAMPLES && !profile_is_sampled(profile)) ||
	    (info->method >= METHOD_INSTRUCTIONS && !column_of_method(profile, column)))
		return none();
	return info->get(profile, row);
}

int column_in_view(const struct profile *profile, enum column column)
{
	unsigned views = column_infos[column].views, view = profile->by == BY_MODULE && profile->functions
								    ? MODULES_FUNCTIONS
								    : 1u << profile->by;

	if (column_infos[column].family == FAMILY_SPREAD && profile->totals.processes == 1)
		return 0;
	if (column_infos[column].family == FAMILY_INSTRUCTIONS_TIME && !profile->work &&
	    !profile->is_work_wanted)
		return 0;
	if (!column_of_method(profile, column) || (views & UNLESS_SAMPLED && profile_is_sampled(profile)))
		return 0;
	return (views & view) != 0;
}
