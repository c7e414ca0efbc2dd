/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * columns_order.c - sorts rows by a column (columns.h). The order is reproducible: rows with equal
 * values are sorted by name and place.
 */
#include <stdlib.h>
#include <string.h>

#include "columns.h"

int order_parse(struct order *order, const char *text)
{
	static const struct {
		const char *name;
		enum direction direction;
	} directions[] = { { "", BY_NATURE }, { ":asc", ASCENDING }, { ":desc", DESCENDING } };
	size_t n = strcspn(text, ":");
	char *name = strndup(text, n);
	int column = column_find(name);

	free(name);
	if (column < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++)
		if (!strcmp(text + n, directions[i].name)) {
			*order = (struct order){ (enum column)column, directions[i].direction };
			return 0;
		}
	return error("--sort does not take '%s': a column can end in :asc or :desc", util_shown(text));
}

/* A row and its value in the column, which may take long to find out. */
struct key {
	const struct row *row;
	struct value value;
};

static int compare_text(const char *a, const char *b)
{
	/* modules and files mostly are one text in memory */
	return a == b ? 0 : strcmp(a ? a : "", b ? b : "");
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By name, place and numbers; by position only where these say nothing. */
static int compare_identity(const struct row *x, const struct row *y)
{
	const char *const texts[][2] = { { x->name, y->name },
					 { x->module, y->module },
					 { x->file, y->file },
					 { x->callee, y->callee },
					 { x->host, y->host } };
	int order = 0;

	for (size_t i = 0; i < ARRAY_SIZE(texts) && !order; i++)
		order = compare_text(texts[i][0], texts[i][1]);
	order = order ? order : compare_numbers(x->line, y->line);
	order = order ? order : compare_text(x->address, y->address);
	order = order ? order : compare_numbers(x->pid, y->pid);
	order = order ? order : compare_numbers(x->tid, y->tid);
	return order ? order : compare_numbers((uintptr_t)x, (uintptr_t)y);
}

/* Ascending; 0: equal. */
static int compare_values(const struct value *a, const struct value *b)
{
	if (a->type == VALUE_TEXT)
		return strcmp(a->text, b->text);
	if (a->type == VALUE_COUNT)
		return compare_numbers(a->count, b->count);
	return a->number < b->number ? -1 : a->number > b->number;
}

/* What is to be ordered, and how. */
struct ordering {
	struct order order;
	int is_count;
};

/* Counts are often equal, mostly 0: then the row with more of the total comes first. */
static int compare_inclusive(const struct row *x, const struct row *y)
{
	long double a = x->sums.elapsed_inclusive, b = y->sums.elapsed_inclusive;

	return a > b ? -1 : a < b;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct key *x = a, *y = b;
	const struct ordering *ordering = arg;
	const struct order *order = &ordering->order;
	int descending, result;

	if ((x->value.type == VALUE_NONE) != (y->value.type == VALUE_NONE))
		return x->value.type == VALUE_NONE ? 1 : -1;
	result = x->value.type == VALUE_NONE ? 0 : compare_values(&x->value, &y->value);
	descending = order->direction == DESCENDING ||
		     (order->direction == BY_NATURE && x->value.type != VALUE_TEXT);
	if (result)
		return descending ? -result : result;
	if (ordering->is_count)
		result = compare_inclusive(x->row, y->row);
	return result ? result : compare_identity(x->row, y->row);
}

void order_rows(const struct profile *profile, const struct row **rows, size_t n, const struct order *order)
{
	struct ordering ordering = { { column_for(profile, order->column), order->direction },
				     profile_measure(profile)->is_count };
	FREED struct key *keys = NULL;

	if (n < 2)
		return;
	keys = xcalloc(n, sizeof(*keys));
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct key){ rows[i], column_value(profile, rows[i], ordering.order.column) };
	util_sort(keys, n, sizeof(*keys), compare, &ordering);
	for (size_t i = 0; i < n; i++)
		rows[i] = keys[i].row;
}

void column_sort(const struct profile *profile, const struct row **rows, size_t n, enum column column)
{
	struct order order = { .column = column };

	order_rows(profile, rows, n, &order);
}
