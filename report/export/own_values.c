/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own_values.c - see own_values.h. */
#include "own_values.h"

static const struct own_column tag_columns[] = {
	{ "tag", 1, 0 },   { "value", 0, 1 },	   { "is_others", 0, 0 },  { "is_open", 0, 0 },
	{ "times", 0, 0 }, { "elapsed_ns", 0, 0 }, { "waiting_ns", 0, 0 }, { "longest_ns", 0, 0 },
	{ "path", 1, 1 },  { "function", 1, 1 },   { "waited_in", 1, 1 },
};
static const struct own_column count_columns[] = {
	{ "name", 1, 0 },
	{ "path", 1, 1 },
	{ "function", 1, 1 },
	{ "calls", 0, 0 },
	{ "count_exclusive", 0, 0 },
};

const struct own_schema own_values_schemas[OWN_TABLES] = {
	[OWN_TAGS] = { "tag", tag_columns, ARRAY_SIZE(tag_columns) },
	[OWN_COUNTS] = { "counted", count_columns, ARRAY_SIZE(count_columns) },
};

void own_values_add(struct export_tree *tree, const struct data *data)
{
	tag_facts_add(&tree->tags, tree->profile.names, data);
	count_facts_add(&tree->counts, tree->profile.names, data);
}

void own_values_sort(struct export_tree *tree)
{
	tag_facts_sort(&tree->tags);
	count_facts_sort(&tree->counts);
}

size_t own_values_rows(const struct export_tree *tree, enum own_table table)
{
	return table == OWN_TAGS ? tree->tags.n : tree->counts.n;
}

static struct own_cell text_of(const char *text)
{
	return (struct own_cell){ .text = text && *text ? text : NULL };
}

static struct own_cell number_of(int64_t number)
{
	return (struct own_cell){ .number = number, .is_known = 1 };
}

static struct own_cell function_of(const struct export_tree *tree, uint32_t entity)
{
	return text_of(entity == NAMES_NONE ? NULL : tree->profile.names->list[entity].name);
}

static void put_tag(const struct export_tree *tree, const struct tag_fact *fact, struct own_cell *cells)
{
	const struct own_cell row[] = {
		text_of(fact->name),
		fact->is_others ? (struct own_cell){ 0 } : number_of(fact->id),
		number_of(fact->is_others),
		number_of(fact->is_open),
		number_of((int64_t)fact->times),
		number_of((int64_t)util_rounded(fact->ns)),
		number_of((int64_t)util_rounded(fact->waiting_ns)),
		number_of((int64_t)util_rounded(fact->longest_ns)),
		text_of(fact->path),
		function_of(tree, fact->entity),
		text_of(fact->waited_in),
	};

	_Static_assert(ARRAY_SIZE(row) == ARRAY_SIZE(tag_columns) && ARRAY_SIZE(row) <= OWN_COLUMNS_MOST, "");
	memcpy(cells, row, sizeof(row));
}

static void put_count(const struct export_tree *tree, const struct count_fact *fact, struct own_cell *cells)
{
	const struct own_cell row[] = {
		text_of(fact->name),
		text_of(fact->path),
		function_of(tree, fact->entity),
		number_of((int64_t)fact->calls),
		number_of((int64_t)fact->sum),
	};

	_Static_assert(ARRAY_SIZE(row) == ARRAY_SIZE(count_columns), "");
	memcpy(cells, row, sizeof(row));
}

void own_values_row(const struct export_tree *tree, enum own_table table, size_t row, struct own_cell *cells)
{
	if (table == OWN_TAGS)
		put_tag(tree, &tree->tags.list[row], cells);
	else
		put_count(tree, &tree->counts.list[row], cells);
}

void own_values_release(struct export_tree *tree)
{
	tag_facts_release(&tree->tags);
	count_facts_release(&tree->counts);
}
