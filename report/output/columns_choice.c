/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns_choice.c - finds columns by name: one for --sort, a list of names and groups for
 * --columns (columns.h). */
#include <stdlib.h>
#include <string.h>

#include "columns.h"

/* ---- names ----------------------------------------------------------------------------------- */

static const struct alias {
	const char *name;
	enum column column;
} aliases[] = {
	{ "inclusive", COLUMN_ELAPSED_INCLUSIVE },
	{ "exclusive", COLUMN_ELAPSED_EXCLUSIVE },
	{ "ei", COLUMN_ELAPSED_INCLUSIVE },
	{ "ee", COLUMN_ELAPSED_EXCLUSIVE },
	{ "ai", COLUMN_APPLICATION_INCLUSIVE },
	{ "ae", COLUMN_APPLICATION_EXCLUSIVE },
	{ "path", COLUMN_MODULE },
	{ "module_path", COLUMN_MODULE },
	{ "p50", COLUMN_P50 },
	{ "p90", COLUMN_P90 },
	{ "p95", COLUMN_P95 },
	{ "p99", COLUMN_P99 },
	{ "on_cpu", COLUMN_ON_CPU_PERCENT },
	{ "switches", COLUMN_VOLUNTARY_EXCLUSIVE },
	{ "system_calls", COLUMN_SYSCALL_EXCLUSIVE },
	{ "off_cpu_inclusive", COLUMN_OFF_CPU },
	{ "time", COLUMN_ELAPSED_EXCLUSIVE },
	{ "self", COLUMN_ELAPSED_EXCLUSIVE },
	{ "total", COLUMN_ELAPSED_INCLUSIVE },
	{ "cpu", COLUMN_CPU_EXCLUSIVE },
	{ "wait", COLUMN_OFF_CPU_EXCLUSIVE },
	{ "count", COLUMN_CALLS },
	{ "avg", COLUMN_AVERAGE },
	{ "min", COLUMN_SHORTEST },
	{ "max", COLUMN_LONGEST },
	{ "waiting", COLUMN_OFF_CPU_EXCLUSIVE },
};

/* Names of groups that stand for one column where there can be one only. */
static const struct alias aliases_of_groups[] = {
	{ "overhead", COLUMN_OVERHEAD_EXCLUSIVE },
	{ "elapsed", COLUMN_ELAPSED_EXCLUSIVE },
	{ "application", COLUMN_APPLICATION_EXCLUSIVE },
};

int column_names_equal(const char *key, const char *name)
{
	for (; *key && *name; key++, name++)
		if (*key != *name && !(*key == '_' && *name == '-'))
			return 0;
	return !*name && (!*key || !strcmp(key, "_ns"));
}

static int find_alias(const struct alias *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (column_names_equal(list[i].name, name))
			return (int)list[i].column;
	return -1;
}

static int find_column(const char *name)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (column_names_equal(column_infos[i].key, name))
			return i;
	return find_alias(aliases, ARRAY_SIZE(aliases), name);
}

/* ---- groups ---------------------------------------------------------------------------------- */

#define FAMILY(family) (1u << FAMILY_##family)
#define OF(kind) (1u << VALUE_##kind)
#define OF_ELAPSED (OF(ELAPSED_INCLUSIVE) | OF(ELAPSED_EXCLUSIVE))
#define OF_APPLICATION (OF(APPLICATION_INCLUSIVE) | OF(APPLICATION_EXCLUSIVE))
#define EVERY (~0u)

static const struct group {
	const char *name;
	unsigned families; /* none: the defaults */
	unsigned which;
	const char *meaning;
} groups[] = {
	{ "elapsed", FAMILY(TOTAL) | FAMILY(PERCENT), OF_ELAPSED,
	  "elapsed inclusive and exclusive, with percent" },
	{ "application", FAMILY(TOTAL) | FAMILY(PERCENT), OF_APPLICATION,
	  "application inclusive and exclusive, with percent" },
	{ "samples", FAMILY(SAMPLES) | FAMILY(SHARE), EVERY,
	  "of sampled sessions: inclusive and exclusive, with percent" },
	{ "percent", FAMILY(PERCENT) | FAMILY(SHARE), EVERY,
	  "the four percentages; of sampled sessions the two" },
	{ "averages", FAMILY(AVERAGE), EVERY, "mean of a call: of each of the four values" },
	{ "minima", FAMILY(SHORTEST), EVERY, "least of a call: of each of the four values" },
	{ "maxima", FAMILY(LONGEST), EVERY, "most of a call: of each of the four values" },
	{ "percentiles", FAMILY(QUANTILE), EVERY, "p50, p90, p95, p99" },
	{ "overhead", FAMILY(OVERHEAD), EVERY, "the probes' cost" },
	{ "uncertainty", FAMILY(UNCERTAINTY) | FAMILY(SHARE_LOW) | FAMILY(SHARE_HIGH), EVERY,
	  "of each of the four values; of sampled sessions of each share" },
	{ "cpu_time", FAMILY(CPU) | FAMILY(CPU_PERCENT), EVERY,
	  "time on the processor, inclusive and exclusive, with percent" },
	{ "os", FAMILY(OFF_CPU) | FAMILY(OS), EVERY,
	  "time off the processor, and what the operating system did" },
	{ "io", FAMILY(MOVED), EVERY, "bytes read and written, and the calls that did it" },
	{ "memory", FAMILY(MEMORY), EVERY, "memory that was allocated, and the calls that did it" },
	{ "counts", FAMILY(USER), EVERY, "what the program counted by cinstr_count()" },
	{ "processes", FAMILY(SPREAD), EVERY,
	  "of a session of several processes: how evenly they share the row" },
	{ "mpi", FAMILY(MPI), EVERY, "by process, thread, rank: time in calls of MPI that wait" },
	{ "all", EVERY, EVERY, "every column of the view" },
	{ "default", 0, 0, "what is shown without --columns" },
};

static int group_has(const struct group *group, enum column column)
{
	const struct column_info *info = &column_infos[column];

	return (group->families >> info->family & group->which >> info->which & 1) != 0;
}

static const struct group *find_group(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (!strcmp(groups[i].name, name))
			return &groups[i];
	return NULL;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void unknown(const char *name, int with_groups)
{
	const char *names[COLUMN_COUNT + ARRAY_SIZE(aliases) + ARRAY_SIZE(groups)], *closest;
	size_t n = 0;

	for (int i = 0; i < COLUMN_COUNT; i++)
		names[n++] = column_infos[i].key;
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		names[n++] = aliases[i].name;
	for (size_t i = 0; with_groups && i < ARRAY_SIZE(groups); i++)
		names[n++] = groups[i].name;
	closest = util_closest(name, names, n);
	error("there is no column '%s'%s%s%s", util_shown(name), closest ? "; did you mean " : "",
	      closest ? closest : "", closest ? "?" : "; --columns=help lists them");
}

int column_find(const char *name)
{
	int column = find_column(name);

	if (column < 0)
		column = find_alias(aliases_of_groups, ARRAY_SIZE(aliases_of_groups), name);
	if (column < 0)
		unknown(name, 0);
	return column;
}

void column_list_help(FILE *out)
{
	fputs("Columns (for --sort and --columns; _ns may be left out):\n", out);
	for (int i = 0; i < COLUMN_COUNT; i++)
		fprintf(out, "  %-38s %s\n", column_infos[i].key, column_infos[i].meaning);
	fputs("\nShort forms:\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		fprintf(out, "  %-38s %s\n", aliases[i].name, column_infos[aliases[i].column].key);
	fputs("\nGroups (for --columns):\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		fprintf(out, "  %-38s %s\n", groups[i].name, groups[i].meaning);
}

/* ---- lists ----------------------------------------------------------------------------------- */

int column_list_has(const struct column_list *columns, enum column column)
{
	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i] == column)
			return 1;
	return 0;
}

void column_list_add(struct column_list *columns, enum column column)
{
	if (!column_list_has(columns, column))
		columns->list[columns->n++] = column;
}

static void remove_column(struct column_list *columns, enum column column)
{
	size_t n = 0;

	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i] != column)
			columns->list[n++] = columns->list[i];
	columns->n = n;
}

/* One item of a list. */
struct item {
	int sign; /* '+', '-' or 0 */
	int stays;
	int is_change; /* the list changes the defaults: what has no sign is added */
	const struct column_list *defaults;
	const struct profile *profile;
};

/* +NAME of a number comes before the name of the row, as in the default. */
static void insert(struct column_list *columns, enum column column)
{
	size_t at = 0;

	while (at < columns->n && columns->list[at] != COLUMN_NAME)
		at++;
	if (at == columns->n || column_infos[column].family == FAMILY_TEXT ||
	    column_list_has(columns, column)) {
		column_list_add(columns, column);
		return;
	}
	memmove(columns->list + at + 1, columns->list + at, (columns->n - at) * sizeof(*columns->list));
	columns->list[at] = column;
	columns->n++;
}

static void change(struct column_list *columns, enum column column, const struct item *item)
{
	if (item->sign == '-') {
		remove_column(columns, column);
		return;
	}
	if (item->sign == '+')
		insert(columns, column);
	else
		column_list_add(columns, column);
	columns->stays[column] |= item->stays;
}

/* 0, or -1 after an error message: it is a group of what this session does not have. */
static int change_group(struct column_list *columns, const struct group *group, struct item *item)
{
	int n = 0, other = -1;

	item->stays = group->families != 0;
	for (size_t i = 0; !group->families && i < item->defaults->n; i++)
		change(columns, item->defaults->list[i], item);
	for (int i = 0; i < COLUMN_COUNT; i++) {
		if (!group_has(group, i))
			continue;
		if (column_in_view(item->profile, i)) {
			change(columns, i, item);
			n++;
		} else if (other < 0 && !column_of_method(item->profile, i)) {
			other = i;
		}
	}
	if (n || other < 0)
		return 0;
	column_say_other_method(item->profile, other);
	return -1;
}

/* "exclusive" are samples where there are any; a column by its full name is what it says. */
static enum column in_session(const char *name, enum column column, const struct profile *profile)
{
	return column_names_equal(column_infos[column].key, name) ? column : column_for(profile, column);
}

static int change_by_name(struct column_list *columns, const char *name, struct item *item)
{
	const struct group *group;
	int column;

	item->sign = *name == '+' || *name == '-' ? *name++ : item->is_change ? '+' : 0;
	item->stays = 1;
	group = find_group(name);
	if (group)
		return change_group(columns, group, item);
	column = find_column(name);
	if (column < 0) {
		unknown(name, 1);
		return -1;
	}
	column = in_session(name, column, item->profile);
	if (!column_may_be(item->profile, column)) {
		column_say_other_method(item->profile, column);
		return -1;
	}
	if (!column_in_view(item->profile, column))
		return error("rows of this view have no column '%s'", column_infos[column].key);
	change(columns, column, item);
	return 0;
}

int column_list_parse(struct column_list *columns, const char *text, const struct column_list *defaults,
		      const struct profile *profile)
{
	struct item item = { .defaults = defaults,
			     .profile = profile,
			     .is_change = *text == '+' || *text == '-' };
	int status = 0;

	*columns = (struct column_list){ 0 };
	if (item.is_change)
		*columns = *defaults;
	while (!status && *text) {
		size_t n = strcspn(text, ",");
		FREED char *name = strndup(text, n);

		status = change_by_name(columns, name, &item);
		text += n + (text[n] == ',');
	}
	if (!status && !columns->n) {
		error("--columns leaves no column");
		status = -1;
	}
	return status;
}
