/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "series.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/progress.h"
#include "parquet/reader.h"
#include "shift.h"

/* Functions below this share of all are not tested: the more are, the less is found. It is that of
 * their medians, which do not depend on the order of the runs. */
#define SHARE_LEAST 0.001

/* A name, a glob, or a name without parameters. */
static int is_wanted(const char *function, const char *name)
{
	size_t length = strcspn(name, "(");

	if (!function || !fnmatch(function, name, 0))
		return 1;
	return length && strlen(function) == length && !strncmp(function, name, length);
}

static struct series *series_of(struct series_set *set, const char *name, const char *module)
{
	STRBUF(key);
	size_t number;
	int is_new;

	module = util_basename(module);
	strbuf_printf(&key, "%s\n%s", name, module);
	number = map_add(&set->numbers, key.text, key.length, &is_new);
	ARRAY_REACH_ZEROED(set->list, number, set->size);
	set->n = set->numbers.n;
	if (is_new)
		set->list[number] = (struct series){ .name = map_keep(&set->strings, name),
						     .module = map_keep(&set->strings, module) };
	return &set->list[number];
}

void series_put(struct series *s, uint32_t run, double value)
{
	if (s->n == s->size) {
		s->size = s->size ? 2 * s->size : 16;
		s->values = xrealloc(s->values, s->size, sizeof(*s->values));
		s->runs = xrealloc(s->runs, s->size, sizeof(*s->runs));
	}
	s->values[s->n] = value;
	s->runs[s->n++] = run;
	s->seen = run + 1;
}

/* Those of one name in one run are one. NAN: not known. */
static void add_value(struct series *s, uint32_t run, double value)
{
	if (s->seen == run + 1)
		s->values[s->n - 1] += value;
	else
		series_put(s, run, value);
}

/* What a run has not executed has 0 instructions there. */
static void fill_up(struct series *s, const struct run_builds *builds, uint32_t end)
{
	for (uint32_t run = s->seen; run < end; run++)
		if (!builds->is_left_out[run])
			series_put(s, run, 0);
}

static struct series *series_in_run(struct series_set *set, const char *name, const char *module,
				    uint32_t run, const struct series_choice *choice)
{
	struct series *s = series_of(set, name, module);

	if (choice->builds)
		fill_up(s, choice->builds, run);
	return s;
}

enum { NAME, MODULE, VALUE, IS_ESTIMATE };

static void read_row(struct series_set *set, const struct parquet_table *table, size_t row, uint32_t run,
		     const struct series_choice *choice)
{
	const char *name = table->columns[NAME].texts[row], *module = table->columns[MODULE].texts[row];
	double value = (double)table->columns[VALUE].numbers[row];
	int has_total = choice->measure != HISTORY_INCLUSIVE && !choice->builds &&
			is_wanted(choice->function, SERIES_ALL);
	struct series *s;

	if (!table->columns[VALUE].is_some[row]) {
		if (choice->builds && is_wanted(choice->function, name))
			add_value(series_in_run(set, name, module, run, choice), run, NAN);
		return;
	}
	if (has_total)
		add_value(series_of(set, SERIES_ALL, ""), run, value);
	if (!is_wanted(choice->function, name))
		return;
	s = series_in_run(set, name, module, run, choice);
	s->is_estimate |= choice->builds && table->columns[IS_ESTIMATE].numbers[row];
	add_value(s, run, value);
}

static void read_run(struct series_set *set, const struct history *history, uint32_t number,
		     const struct series_choice *choice)
{
	const struct parquet_column columns[] = {
		[NAME] = { "name", PARQUET_TEXT, 0, 0 },
		[MODULE] = { "module", PARQUET_TEXT, 1, 0 },
		[VALUE] = { history_measures[choice->measure].column, PARQUET_INT64, 1, 0 },
		[IS_ESTIMATE] = { "instructions_is_estimate", PARQUET_INT32, 1, 0 },
	};
	const struct history_run *run = &history->runs[number];
	FREED char *path = history_table(history, run, "function.parquet");
	struct parquet_table table;
	const char *why = parquet_read(&table, path, columns, ARRAY_SIZE(columns));

	if (why) {
		error("%s: left out: %s", util_shown(path), why);
		set->status = STATUS_DATA;
		if (choice->builds)
			choice->builds->is_left_out[number] = 1;
	}
	for (size_t i = 0; !why && i < table.n_rows; i++)
		read_row(set, &table, i, number, choice);
	if (!why && choice->builds && is_wanted(choice->function, SERIES_ALL))
		add_value(series_in_run(set, SERIES_ALL, "", number, choice), number,
			  run->unknown ? NAN : (double)run->instructions);
	parquet_table_release(&table);
}

/* Leaves out the runs whose value is not known. */
static void drop_unknown(struct series *s)
{
	size_t left = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!isnan(s->values[i])) {
			s->values[left] = s->values[i];
			s->runs[left++] = s->runs[i];
		}
	s->n = left;
}

/* Only those that have a value in some run are series. */
static void complete(struct series_set *set, const struct run_builds *builds)
{
	size_t left = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->list[i];
		double most = 0;

		if (builds) {
			fill_up(s, builds, (uint32_t)builds->n);
			drop_unknown(s);
		}
		for (size_t k = 0; k < s->n; k++)
			most = fmax(most, s->values[k]);
		if (builds && !(most > 0)) {
			free(s->values);
			free(s->runs);
			continue;
		}
		s->median = change_median(s->values, s->n);
		s->most = most;
		set->list[left++] = *s;
	}
	set->n = left;
}

void series_read(struct series_set *set, const struct history *history, size_t first,
		 const struct series_choice *choice)
{
	*set = (struct series_set){ .status = STATUS_OK };
	progress_begin("reading", history->n - first, "runs");
	for (size_t i = first; i < history->n; i++) {
		if (!choice->builds || !choice->builds->is_left_out[i])
			read_run(set, history, (uint32_t)i, choice);
		progress_at(i - first);
	}
	progress_end();
	complete(set, choice->builds);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Whether the function had as many executed instructions in all runs of each build. */
static enum series_kind kind_of(const struct series *s, struct run_builds *builds)
{
	struct map seen = { 0 };
	FREED double *values = xcalloc(s->n + 1, sizeof(*values));
	enum series_kind kind = SERIES_SINGLE;

	for (size_t i = 0; i < s->n && kind != SERIES_VARIES; i++) {
		const char *build = run_builds_of(builds, s->runs[i], s->module);
		int is_new;
		size_t number;

		if (!build)
			continue;
		number = map_add(&seen, build, strlen(build), &is_new);
		if (is_new)
			values[number] = s->values[i];
		else if (s->values[i] < values[number] || s->values[i] > values[number])
			kind = SERIES_VARIES;
		else if (s->values[i] > 0)
			kind = SERIES_EXACT;
	}
	map_release(&seen);
	return s->is_estimate && kind == SERIES_EXACT ? SERIES_VARIES : kind;
}

static void choose(struct series_set *set, const struct series_choice *choice)
{
	double all = 0;

	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->list[i].name, SERIES_ALL) != 0)
			all += set->list[i].median;
	set->n_tested = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->list[i];
		/* what has gone or come counts, too, where chance plays no part */
		double share = choice->builds ? s->most : s->median;

		s->kind = choice->builds ? kind_of(s, choice->builds) : SERIES_STATISTICS;
		s->is_tested = (s->kind == SERIES_EXACT ? s->n > 1 : s->n >= CHANGE_LEAST) &&
			       (choice->function || share >= SHARE_LEAST * all);
		set->n_tested += s->is_tested != 0;
		set->n_of_kind[s->kind] += choice->function || share >= SHARE_LEAST * all;
	}
}

/* Where an exact value has moved by so much from what it was after the change before. */
static void find_exact(struct series *s, double percent)
{
	double reference = s->values[0];

	for (size_t i = 1; i < s->n; i++) {
		double value = s->values[i], step = fabs(value - reference);

		if (!(step > 0) || step * 100 < percent * reference)
			continue;
		ARRAY_ONE_MORE(s->changes, s->n_changes);
		s->changes[s->n_changes++] = (struct change){ .at = i, .before = reference, .after = value };
		reference = value;
	}
}

static void drop_small(struct series *s, double percent)
{
	size_t left = 0;

	for (size_t i = 0; i < s->n_changes; i++) {
		const struct change *c = &s->changes[i];

		if (fabs(c->after - c->before) * 100 >= percent * fabs(c->before) &&
		    fabs(c->after - c->before) > 0)
			s->changes[left++] = *c;
	}
	s->n_changes = left;
}

struct series *series_add(struct series_set *set, const char *name)
{
	ARRAY_REACH_ZEROED(set->list, set->n, set->size);
	set->list[set->n] = (struct series){ .name = map_keep(&set->strings, name), .module = "" };
	return &set->list[set->n++];
}

/* Bonferroni: each has its share of the false alarms; what is exact has none. */
void series_test(struct series_set *set, const struct series_choice *choice)
{
	struct change_null null = { 0 };
	size_t n_by_chance = 0;

	choose(set, choice);
	if (!choice->builds && !choice->function && history_measures[choice->measure].is_time)
		shift_separate(set);
	for (size_t i = 0; i < set->n; i++)
		n_by_chance += set->list[i].is_tested && set->list[i].kind != SERIES_EXACT;
	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->list[i];

		if (!s->is_tested)
			continue;
		if (s->kind == SERIES_EXACT) {
			find_exact(s, choice->least_percent);
			continue;
		}
		s->changes = changes_find(&null, s->values, s->n, choice->level / (double)n_by_chance,
					  &s->n_changes);
		drop_small(s, choice->least_percent);
	}
	change_null_release(&null);
}

void series_release(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->list[i].values);
		free(set->list[i].runs);
		free(set->list[i].changes);
	}
	free(set->list);
	map_release(&set->numbers);
	map_release(&set->strings);
}
