/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "diff_fields.h"
#include "diff_processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEAST 8 /* columns */
#define KEYS_MAX 64

#define NAME_OF(id, name, heading, keys) name,
static const char *const names[DIFF_FIELDS] = { DIFF_FIELD_LIST(NAME_OF) };
const struct field_list diff_fields = { names, DIFF_FIELDS };
const struct field_choice diff_fields_default = {
	{ DIFF_FIELD_VERDICT, DIFF_FIELD_A, DIFF_FIELD_B, DIFF_FIELD_CHANGE, DIFF_FIELD_PERCENT,
	  DIFF_FIELD_INTERVAL, DIFF_FIELD_CALLS_A, DIFF_FIELD_CALLS_B, DIFF_FIELD_IMBALANCE_A,
	  DIFF_FIELD_IMBALANCE_B, DIFF_FIELD_NAME, DIFF_FIELD_MODULE },
	12,
};

/* ---- what is chosen -------------------------------------------------------------------------- */

/* Whether there can be more or less of it. */
static int is_amount(enum column column)
{
	enum column_family family = column_infos[column].family;

	if (family == FAMILY_COUNT)
		return column == COLUMN_CALLS || column == COLUMN_OPEN_CALLS;
	return family != FAMILY_TEXT && family != FAMILY_LIFE;
}

int diff_check_column(enum column column, int is_counted, int is_relative)
{
	const char *key = column_infos[column].key;

	if (!is_amount(column))
		error("diff: --column=%s is not a number that can be compared", key);
	else if (is_counted && strcmp(key, "exclusive_counted") != 0 && strcmp(key, "inclusive_counted") != 0)
		error("diff: --column=%s: of what the processor counted exclusive_counted and "
		      "inclusive_counted can be compared",
		      key);
	else if (is_relative && !diff_total_of(column) && column_infos[column].method != METHOD_SAMPLES)
		error("diff: --relative needs one of the four times as --column");
	else
		return 0;
	return -1;
}

int diff_check_certainty(enum column column, double alpha, int is_unpreempted)
{
	if (alpha <= 0 || alpha >= 100)
		return error("diff: --alpha: more than 0 %%, and less than 100 %%");
	if (!is_unpreempted || column == COLUMN_ELAPSED_INCLUSIVE || column == COLUMN_ELAPSED_EXCLUSIVE)
		return 0;
	return error("diff: --unpreempted: --column=%s is no elapsed time", column_infos[column].key);
}

int diff_check_of_shares(double alpha, int is_unpreempted)
{
	if (!is_unpreempted && alpha == 100 * DIFF_ALPHA)
		return 0;
	return error("diff: --%s: of samples shares are compared, with 95 %% confidence",
		     is_unpreempted ? "unpreempted" : "alpha");
}

size_t diff_drop_times(struct field_choice *columns)
{
	size_t n = 0;

	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i] < DIFF_FIELD_OTHERS || columns->list[i] >= DIFF_FIELD_NAME)
			columns->list[n++] = columns->list[i];
	return columns->n = n;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct ordering {
	const struct diff *diff;
	const struct field_order *order;
};

static long double imbalance_of(const struct diff *diff, uint32_t number, int side)
{
	const struct process_spread *spread = diff->processes ? &diff->processes->rows[number][side] : NULL;

	return spread && spread->n ? (long double)spread->imbalance : NAN;
}

static struct field_value value_of(const struct diff *diff, uint32_t number, size_t field)
{
	const struct diff_row *row = &diff->rows[number];
	const struct difference *d = &row->difference;
	enum diff_value other = DIFF_ELAPSED_INCLUSIVE + (enum diff_value)(field - DIFF_FIELD_OTHERS);

	switch (field) {
	case DIFF_FIELD_VERDICT:
		return (struct field_value){ diff_verdicts[0][row->verdict], 0 };
	case DIFF_FIELD_A:
		return (struct field_value){ NULL, d->a };
	case DIFF_FIELD_B:
		return (struct field_value){ NULL, d->b };
	case DIFF_FIELD_CHANGE:
		return (struct field_value){ NULL, d->change };
	case DIFF_FIELD_PERCENT:
		return (struct field_value){ NULL, d->a != 0 ? 100 * d->change / d->a : NAN };
	case DIFF_FIELD_INTERVAL:
		return (struct field_value){ NULL, d->half };
	case DIFF_FIELD_CALLS_A:
	case DIFF_FIELD_CALLS_B:
		return (struct field_value){ NULL, row->means[field == DIFF_FIELD_CALLS_B][DIFF_CALLS] };
	case DIFF_FIELD_NAME:
		return (struct field_value){ row->name, 0 };
	case DIFF_FIELD_MODULE:
		return (struct field_value){ row->module ? row->module : "", 0 };
	case DIFF_FIELD_IMBALANCE_A:
	case DIFF_FIELD_IMBALANCE_B:
		return (struct field_value){ NULL,
					     imbalance_of(diff, number, field == DIFF_FIELD_IMBALANCE_B) };
	default:
		return (struct field_value){ NULL, row->means[1][other] - row->means[0][other] };
	}
}

static int is_change(size_t field)
{
	return field == DIFF_FIELD_CHANGE || field == DIFF_FIELD_PERCENT ||
	       (field >= DIFF_FIELD_OTHERS && field < DIFF_FIELD_NAME);
}

/* Changes by their size, unless a direction is given. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct ordering *o = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct field_value v = value_of(o->diff, x, o->order->field),
			   w = value_of(o->diff, y, o->order->field);
	int result;

	if (is_change(o->order->field) && o->order->direction == BY_NATURE) {
		v.number = fabsl(v.number);
		w.number = fabsl(w.number);
	}
	result = field_compare(&v, &w, o->order->direction);
	if (!result && o->diff->shares && o->diff->rows[x].share != o->diff->rows[y].share)
		return o->diff->rows[x].share < o->diff->rows[y].share ? 1 : -1;
	return result ? result : (x > y) - (x < y);
}

void diff_order_rows(const struct diff *diff, uint32_t *rows, size_t n, const struct field_order *order)
{
	static const struct field_order by_change = { DIFF_FIELD_CHANGE, BY_NATURE };
	struct ordering ordering = { diff, order ? order : &by_change };

	util_sort(rows, n, sizeof(*rows), compare, &ordering);
}

/* ---- columns --------------------------------------------------------------------------------- */

static int is_text(size_t field)
{
	return field == DIFF_FIELD_VERDICT || field == DIFF_FIELD_NAME || field == DIFF_FIELD_MODULE;
}

void diff_grid_choose(struct grid *grid, const struct field_choice *choice, const struct diff_cells *cells,
		      unsigned terminal)
{
	size_t order[KEYS_MAX] = { cells ? cells[DIFF_FIELD_NAME].first : DIFF_FIELD_NAME }, n = 0, name = 0;
	int text[KEYS_MAX] = { 1 };

	for (size_t i = 0; i < choice->n; i++) {
		struct diff_cells of = { choice->list[i], 1 };

		if (cells)
			of = cells[choice->list[i]];
		if (choice->list[i] == DIFF_FIELD_NAME)
			name = n;
		for (size_t c = 0; c < of.n; c++) {
			text[n] = is_text(choice->list[i]);
			order[n++] = of.first + c;
		}
	}
	n += !n; /* samples have none of these */
	grid_choose(grid, order, n);
	grid_measure(grid);
	for (size_t c = 0; c < n; c++) {
		grid->columns[c].is_text = text[c];
		grid->columns[c].is_gone = grid->n_lines > 1 && !grid_widest(grid, 1, c);
	}
	grid_fit(grid, terminal, NULL, 0, name, NAME_LEAST);
}

void diff_sheet_choose(struct items *items, const struct field_choice *choice,
		       const char *const keys[DIFF_FIELDS])
{
	static char text[1024]; /* what is chosen points into it until all is written */
	static const char *chosen[KEYS_MAX];
	size_t n = 0, used = 0;

	for (size_t i = 0; i < choice->n; i++) {
		const char *all = keys[choice->list[i]];
		char *copy = text + used, *key;

		if (!all)
			continue;
		used += strlen(all) + 1;
		memcpy(copy, all, strlen(all) + 1);
		while ((key = strsep(&copy, " ")))
			chosen[n++] = key;
	}
	items_choose(items, chosen, n);
}
