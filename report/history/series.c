/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series.c - see series.h. */
#include "series.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/progress.h"
#include "parquet/reader.h"

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
	struct strbuf key = { 0 };
	size_t number;
	int is_new;

	module = util_basename(module);
	strbuf_printf(&key, "%s\n%s", name, module);
	number = map_add(&set->numbers, key.text, key.length, &is_new);
	strbuf_release(&key);
	ARRAY_REACH_ZEROED(set->list, number, set->size);
	set->n = set->numbers.n;
	if (is_new)
		set->list[number] = (struct series){ .name = map_keep(&set->strings, name),
						     .module = map_keep(&set->strings, module) };
	return &set->list[number];
}

/* Those of one name in one run are one. */
static void add_value(struct series *s, uint32_t run, double value)
{
	if (s->n && s->runs[s->n - 1] == run) {
		s->values[s->n - 1] += value;
		return;
	}
	if (s->n == s->size) {
		s->size = s->size ? 2 * s->size : 16;
		s->values = xrealloc(s->values, s->size, sizeof(*s->values));
		s->runs = xrealloc(s->runs, s->size, sizeof(*s->runs));
	}
	s->values[s->n] = value;
	s->runs[s->n++] = run;
}

static void read_run(struct series_set *set, const struct history *history, uint32_t number,
		     const struct series_choice *choice)
{
	const struct parquet_column columns[] = {
		{ "name", PARQUET_TEXT, 0, 0 },
		{ "module", PARQUET_TEXT, 1, 0 },
		{ history_measures[choice->measure].column, PARQUET_INT64, 1, 0 },
	};
	char *path = history_table(history, &history->runs[number], "function.parquet"), *shown;
	struct parquet_table table;
	const char *why = parquet_read(&table, path, columns, ARRAY_SIZE(columns));
	int has_total = choice->measure != HISTORY_INCLUSIVE && is_wanted(choice->function, SERIES_ALL);

	if (why) {
		shown = util_visible(path);
		error("%s: left out: %s", shown, why);
		free(shown);
		set->status = STATUS_DATA;
	}
	for (size_t i = 0; !why && i < table.n_rows; i++) {
		const char *name = table.columns[0].texts[i];
		double value = (double)table.columns[2].numbers[i];

		if (!table.columns[2].is_some[i])
			continue;
		if (has_total)
			add_value(series_of(set, SERIES_ALL, ""), number, value);
		if (is_wanted(choice->function, name))
			add_value(series_of(set, name, table.columns[1].texts[i]), number, value);
	}
	parquet_table_release(&table);
	free(path);
}

void series_read(struct series_set *set, const struct history *history, size_t first,
		 const struct series_choice *choice)
{
	*set = (struct series_set){ .status = STATUS_OK };
	progress_begin("reading", history->n - first, "runs");
	for (size_t i = first; i < history->n; i++) {
		read_run(set, history, (uint32_t)i, choice);
		progress_at(i - first);
	}
	progress_end();
	for (size_t i = 0; i < set->n; i++)
		set->list[i].median = change_median(set->list[i].values, set->list[i].n);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void choose(struct series_set *set, const struct series_choice *choice)
{
	double all = 0;

	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->list[i].name, SERIES_ALL) != 0)
			all += set->list[i].median;
	set->n_tested = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->list[i];

		s->is_tested = s->n >= CHANGE_LEAST && (choice->function || s->median >= SHARE_LEAST * all);
		set->n_tested += s->is_tested != 0;
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

/* Bonferroni: each has its share of the false alarms. */
void series_test(struct series_set *set, const struct series_choice *choice)
{
	struct change_null null = { 0 };

	choose(set, choice);
	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->list[i];

		if (!s->is_tested)
			continue;
		s->changes = changes_find(&null, s->values, s->n, choice->level / (double)set->n_tested,
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
