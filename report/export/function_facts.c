/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "function_facts.h"

#include <math.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/order.h"
#include "output/columns.h"

#define TOLD_MOST 20

static const enum column columns[] = {
#define FACT_COLUMN(id) COLUMN_##id,
	FUNCTION_FACTS(FACT_COLUMN)
#undef FACT_COLUMN
};

const char *function_fact_name(enum function_fact fact)
{
	return column_infos[columns[fact]].key;
}

/* Makes the table of rows by entity. */
static void rows_number(struct export_tree *tree)
{
	for (size_t i = 0; i < tree->functions.n_rows; i++) {
		uint32_t entity = tree->functions.rows[i].entity;

		if (entity == NAMES_NONE)
			continue;
		ARRAY_REACH_ZEROED(tree->function_rows, entity, tree->n_function_rows);
		tree->function_rows[entity] = (uint32_t)i + 1;
	}
}

static struct value value_of(const struct export_tree *tree, const struct row *row, enum function_fact fact)
{
	if (!column_of_method(&tree->functions, columns[fact]))
		return (struct value){ .type = VALUE_NONE };
	return column_value(&tree->functions, row, columns[fact]);
}

int function_fact_value(struct export_tree *tree, uint32_t entity, enum function_fact fact, int64_t *value)
{
	struct value found;

	if (!tree->choice.has_functions)
		return 0;
	if (!tree->function_rows)
		rows_number(tree);
	if (entity >= tree->n_function_rows || !tree->function_rows[entity])
		return 0;
	found = value_of(tree, &tree->functions.rows[tree->function_rows[entity] - 1], fact);
	if (found.type == VALUE_NONE)
		return 0;
	*value = found.type == VALUE_COUNT ? (int64_t)found.count : (int64_t)llrintl(found.number);
	return 1;
}

/* ---- as text --------------------------------------------------------------------------------- */

ORDER_POINTERS(compare_rows, struct row, ORDER(y->sums.elapsed_exclusive, x->sums.elapsed_exclusive),
	       ORDER(x->entity, y->entity))

static void put_fact(struct strbuf *line, const struct export_tree *tree, const struct row *row,
		     enum function_fact fact, const char *before)
{
	struct value value = value_of(tree, row, fact);

	if (value.type == VALUE_NONE)
		return;
	strbuf_puts(line, before);
	strbuf_duration(line, value.number);
}

/* "f: calls took 12 ns (half of them at most), ..." */
static void put_row(struct strbuf *line, const struct export_tree *tree, const struct row *row)
{
	strbuf_visible(line, tree->functions.names->list[row->entity].name);
	strbuf_puts(line, ":");
	put_fact(line, tree, row, FUNCTION_FACT_P50, " a call p50 ");
	put_fact(line, tree, row, FUNCTION_FACT_P99, ", p99 ");
	put_fact(line, tree, row, FUNCTION_FACT_SHORTEST, ", min ");
	put_fact(line, tree, row, FUNCTION_FACT_LONGEST, ", max ");
	put_fact(line, tree, row, FUNCTION_FACT_UNCERTAINTY_EXCLUSIVE, "; its own time +- ");
}

void function_facts_tell(struct export_tree *tree, void (*put)(void *arg, const char *line), void *arg)
{
	const struct profile *functions = &tree->functions;
	FREED const struct row **rows = NULL;
	size_t n = 0;

	if (!tree->choice.has_functions || profile_is_sampled(functions))
		return;
	rows = xcalloc(functions->n_rows + 1, sizeof(*rows));
	for (size_t i = 0; i < functions->n_rows; i++) {
		const struct row *row = &functions->rows[i];

		if (row->entity != NAMES_NONE && functions->names->list[row->entity].is_function &&
		    util_rounded(row->sums.elapsed_exclusive))
			rows[n++] = row;
	}
	util_sort(rows, n, sizeof(*rows), compare_rows, NULL);
	for (size_t i = 0; i < n && i < TOLD_MOST; i++) {
		STRBUF(line);

		put_row(&line, tree, rows[i]);
		put(arg, line.text);
	}
}
