/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.c - see columns.h. */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

const char *const column_keys[COLUMN_COUNT] = {
#define COLUMN_KEY(id, key) [COLUMN_##id] = key,
	COLUMN_TABLE(COLUMN_KEY)
#undef COLUMN_KEY
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

static struct value percent(long double part, long double whole)
{
	return (struct value){ .type = VALUE_PERCENT, .number = whole > 0 ? 100 * part / whole : 0 };
}

static struct value average(long double sum, uint64_t calls)
{
	return calls ? ns(sum / (long double)calls) : none();
}

static struct value text_column(const struct row *row, enum column column)
{
	switch (column) {
	case COLUMN_NAME:
		return text(row->name);
	case COLUMN_MODULE:
		return text(row->module);
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
	case COLUMN_CALLS:
		return count(row_calls(row));
	case COLUMN_OPEN_CALLS:
		return count(row->open_calls);
	case COLUMN_PID:
		return count_or_none(row->pid);
	case COLUMN_TID:
		return count_or_none(row->tid);
	case COLUMN_PARENT_PID:
		return count_or_none(row->parent_pid);
	case COLUMN_DEPTH:
		return count(row->depth);
	case COLUMN_ID:
		return count((uint64_t)(row - profile->rows));
	default:
		return count_or_none(row->parent);
	}
}

static struct value application_column(const struct profile *profile, const struct row *row,
				       enum column column)
{
	const struct sums *s = &row->sums;

	if (!totals_has_application(&profile->totals))
		return none(); /* R12: never 0, never a copy of Elapsed */
	switch (column) {
	case COLUMN_APPLICATION_INCLUSIVE:
		return ns(s->application_inclusive);
	case COLUMN_APPLICATION_EXCLUSIVE:
		return ns(s->application_exclusive);
	case COLUMN_APPLICATION_INCLUSIVE_PERCENT:
		return percent(s->application_inclusive, profile->totals.application);
	case COLUMN_APPLICATION_EXCLUSIVE_PERCENT:
		return percent(s->application_exclusive, profile->totals.application);
	case COLUMN_AVERAGE_APPLICATION_INCLUSIVE:
		return average(row->activations_application, row_calls(row));
	default:
		return average(s->application_exclusive, row_calls(row));
	}
}

static struct value time_column(const struct profile *profile, const struct row *row, enum column column)
{
	const struct sums *s = &row->sums;

	switch (column) {
	case COLUMN_ELAPSED_INCLUSIVE:
		return ns(s->elapsed_inclusive);
	case COLUMN_ELAPSED_EXCLUSIVE:
		return ns(s->elapsed_exclusive);
	case COLUMN_ELAPSED_INCLUSIVE_PERCENT:
		return percent(s->elapsed_inclusive, profile->totals.elapsed);
	case COLUMN_ELAPSED_EXCLUSIVE_PERCENT:
		return percent(s->elapsed_exclusive, profile->totals.elapsed);
	case COLUMN_OVERHEAD_INCLUSIVE:
		return ns(s->overhead_inclusive);
	case COLUMN_OVERHEAD_EXCLUSIVE:
		return ns(s->overhead_exclusive);
	case COLUMN_OFF_CPU:
		return ns(s->off_cpu_inclusive);
	case COLUMN_OFF_CPU_EXCLUSIVE:
		return ns(s->off_cpu_exclusive);
	case COLUMN_AVERAGE:
		return average(row->activations_elapsed, row_calls(row));
	case COLUMN_AVERAGE_EXCLUSIVE:
		return average(s->elapsed_exclusive, row_calls(row));
	case COLUMN_SHORTEST:
		return row->shortest < 0 ? none() : ns(row->shortest);
	default:
		return row->longest < 0 ? none() : ns(row->longest);
	}
}

struct value column_value(const struct profile *profile, const struct row *row, enum column column)
{
	switch (column) {
	case COLUMN_NAME:
	case COLUMN_MODULE:
	case COLUMN_FILE:
	case COLUMN_FUNCTION:
	case COLUMN_INLINED_FROM:
	case COLUMN_CALLEE:
	case COLUMN_ADDRESS:
	case COLUMN_HOST:
		return text_column(row, column);
	case COLUMN_LINE:
	case COLUMN_CALLS:
	case COLUMN_OPEN_CALLS:
	case COLUMN_PID:
	case COLUMN_TID:
	case COLUMN_DEPTH:
	case COLUMN_ID:
	case COLUMN_PARENT:
	case COLUMN_PARENT_PID:
		return count_column(profile, row, column);
	case COLUMN_APPLICATION_INCLUSIVE:
	case COLUMN_APPLICATION_EXCLUSIVE:
	case COLUMN_APPLICATION_INCLUSIVE_PERCENT:
	case COLUMN_APPLICATION_EXCLUSIVE_PERCENT:
	case COLUMN_AVERAGE_APPLICATION_INCLUSIVE:
	case COLUMN_AVERAGE_APPLICATION_EXCLUSIVE:
		return application_column(profile, row, column);
	default:
		return time_column(profile, row, column);
	}
}

int column_in_view(enum profile_by by, enum column column)
{
	switch (column) {
	case COLUMN_DEPTH:
	case COLUMN_ID:
	case COLUMN_PARENT:
		return by == BY_PATH;
	case COLUMN_PARENT_PID:
		return by == BY_PROCESS;
	case COLUMN_HOST:
		return by == BY_PROCESS || by == BY_THREAD;
	case COLUMN_FUNCTION:
	case COLUMN_INLINED_FROM:
		return by == BY_LINE;
	case COLUMN_CALLEE:
	case COLUMN_ADDRESS:
		return by == BY_SITE;
	default:
		return 1;
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

static int names_equal(const char *key, const char *name)
{
	for (; *key && *name; key++, name++)
		if (*key != *name && !(*key == '_' && *name == '-'))
			return 0;
	return !*name && (!*key || !strcmp(key, "_ns"));
}

int column_find(const char *name)
{
	static const struct {
		const char *name;
		enum column column;
	} aliases[] = { { "avg", COLUMN_AVERAGE },
			{ "min", COLUMN_SHORTEST },
			{ "max", COLUMN_LONGEST },
			{ "overhead", COLUMN_OVERHEAD_EXCLUSIVE } };
	const char *closest;
	char *shown;

	for (int i = 0; i < COLUMN_COUNT; i++)
		if (names_equal(column_keys[i], name))
			return i;
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(name, aliases[i].name))
			return (int)aliases[i].column;
	closest = util_closest(name, column_keys, COLUMN_COUNT);
	shown = util_visible(name);
	error("there is no column '%s'%s%s%s", shown, closest ? "; did you mean " : "",
	      closest ? closest : "", closest ? "?" : "; see the first line of --format=csv");
	free(shown);
	return -1;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct order {
	const struct profile *profile;
	enum column column;
};

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	struct value v = column_value(order->profile, x, order->column);
	struct value w = column_value(order->profile, y, order->column);
	int by_text = v.type == VALUE_TEXT || w.type == VALUE_TEXT ? compare_text(v.text, w.text) : 0;

	if (by_text)
		return by_text;
	if (v.number != w.number)
		return v.number < w.number ? 1 : -1;
	by_text = compare_text(x->name, y->name);
	if (by_text)
		return by_text;
	return x < y ? -1 : x > y;
}

void column_sort(const struct profile *profile, const struct row **rows, size_t n, enum column column)
{
	struct order order = { profile, column };

	util_sort(rows, n, sizeof(*rows), compare_rows, &order);
}
