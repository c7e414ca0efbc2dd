/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "output/grid.h"
#include "output/items.h"

#define NAME_LEAST 12

void share_complete(struct share *share, double n)
{
	double variance;

	share->mean = share->sum / n;
	variance = share->squares / n - share->mean * share->mean;
	share->deviation = variance > 0 ? sqrt(variance) : 0;
	/* of one alone it is nothing: what is rounded may be below the mean */
	share->imbalance = share->mean > 0 ? fmax(share->most / share->mean - 1, 0) : 0;
	share->cost = share->most > share->mean ? (share->most - share->mean) * n : 0;
}

ORDER_ITEMS(compare_shares, struct share, ORDER(y->cost, x->cost), strcmp(x->name, y->name))

/* " @12"; of several jobs " @JOB/12". */
static void put_who(struct strbuf *text, const struct shares *shares, const struct merged_contributor *c)
{
	if (!c->rank_after) {
		strbuf_printf(text, " @pid %u", c->pid);
		return;
	}
	strbuf_puts(text, " @");
	if (shares->has_jobs) {
		strbuf_visible(text, *c->job ? c->job : "?");
		strbuf_puts(text, "/");
	}
	strbuf_printf(text, "%u", c->rank_after - 1);
}

enum { COST, IMBALANCE, MEAN, DEVIATION, LEAST, MOST, OF_ALL, NAME, CALLER, COLUMNS };

static void put_amount(struct strbuf *text, const struct shares *shares, const struct share *s, double amount)
{
	if (!shares->are_instructions) {
		strbuf_duration(text, (long double)amount);
		return;
	}
	if (s->is_estimate)
		strbuf_puts(text, terminal_has_bars() ? "\xe2\x89\x88" : "=");
	strbuf_thousands(text, util_rounded((long double)amount));
}

static void put_line(const struct grid *grid, size_t line, const struct shares *shares, const struct share *s)
{
	put_amount(grid_cell(grid, line, COST), shares, s, s->cost);
	strbuf_printf(grid_cell(grid, line, IMBALANCE), "%.0f %%", s->imbalance * 100);
	put_amount(grid_cell(grid, line, MEAN), shares, s, s->mean);
	put_amount(grid_cell(grid, line, DEVIATION), shares, s, s->deviation);
	put_amount(grid_cell(grid, line, LEAST), shares, s, s->least);
	put_who(grid_cell(grid, line, LEAST), shares, s->who_least);
	put_amount(grid_cell(grid, line, MOST), shares, s, s->most);
	put_who(grid_cell(grid, line, MOST), shares, s->who_most);
	strbuf_printf(grid_cell(grid, line, OF_ALL), "%u of %u", s->n, shares->n_processes);
	strbuf_visible(grid_cell(grid, line, NAME), s->name);
	strbuf_visible(grid_cell(grid, line, CALLER), s->caller);
}

void shares_print_table(struct shares *shares, uint64_t limit)
{
	static const struct grid_head heads[COLUMNS] = {
		[COST] = { "Cost" },
		[IMBALANCE] = { "Imbal." },
		[MEAN] = { "Mean" },
		[DEVIATION] = { "Deviation", .drop = 1 },
		[LEAST] = { "Least @rank", .drop = 4 },
		[MOST] = { "Most @rank" },
		[OF_ALL] = { "Have it", .drop = 3 },
		[NAME] = { "Function", .is_text = 1, .least = NAME_LEAST },
		[CALLER] = { "called by", .is_text = 1, .drop = 2 },
	};
	size_t n = limit && shares->n > limit ? limit : shares->n;
	struct grid grid;

	util_sort(shares->list, shares->n, sizeof(*shares->list), compare_shares, NULL);
	grid_begin(&grid, n, heads, COLUMNS, INK_PLAIN);
	grid.columns[CALLER].is_gone = shares->are_instructions;
	for (size_t i = 0; i < n; i++)
		put_line(&grid, i + 1, shares, &shares->list[i]);
	grid_end(&grid, stdout);
	if (shares->n > n)
		printf("\n%zu more %s; --limit=0 shows them.\n", shares->n - n,
		       shares->are_instructions ? "functions" : "call paths");
}

static void put_rank(struct items *items, const char *name, const struct merged_contributor *c)
{
	if (c->rank_after)
		items_count(items, name, c->rank_after - 1);
	else
		items_none(items, name);
}

enum amount { AMOUNT_COST, AMOUNT_MEAN, AMOUNT_DEVIATION, AMOUNT_LEAST, AMOUNT_MOST, AMOUNTS };
static const char *const amounts[2][AMOUNTS] = {
	{ "cost_ns", "mean_ns", "deviation_ns", "least_ns", "most_ns" },
	{ "cost_instructions", "mean_instructions", "deviation_instructions", "least_instructions",
	  "most_instructions" },
};

static void put_number(struct items *items, const struct shares *shares, enum amount amount, double number)
{
	const char *name = amounts[shares->are_instructions][amount];

	if (shares->are_instructions)
		items_decimal(items, name, (long double)number, 1);
	else
		items_ns(items, name, (long double)number);
}

static void put_share(struct items *items, const struct shares *shares, const struct share *s)
{
	items_open(items, NULL, '{', ITEMS_LINES);
	items_text(items, "function", s->name);
	items_text(items, "caller", shares->are_instructions ? NULL : s->caller);
	if (shares->are_instructions)
		items_none(items, "calls");
	else
		items_count(items, "calls", s->calls);
	put_number(items, shares, AMOUNT_COST, s->cost);
	items_decimal(items, "imbalance", (long double)s->imbalance, 6);
	put_number(items, shares, AMOUNT_MEAN, s->mean);
	put_number(items, shares, AMOUNT_DEVIATION, s->deviation);
	put_number(items, shares, AMOUNT_LEAST, s->least);
	put_rank(items, "least_rank", s->who_least);
	items_count(items, "least_pid", s->who_least->pid);
	items_text(items, "least_host", s->who_least->host);
	put_number(items, shares, AMOUNT_MOST, s->most);
	put_rank(items, "most_rank", s->who_most);
	items_count(items, "most_pid", s->who_most->pid);
	items_text(items, "most_host", s->who_most->host);
	items_count(items, "n", s->n);
	items_count(items, "processes", shares->n_processes);
	/* the same under the names of other views */
	items_text(items, "name", s->name);
	items_count(items, "contributors", s->n);
	items_count(items, "contributors_of", shares->n_processes);
	if (shares->are_instructions)
		items_flag(items, "instructions_is_estimate", s->is_estimate);
	items_close(items);
}

void shares_print_items(struct shares *shares, uint64_t limit, const struct items_format *format)
{
	const char *const *names = amounts[shares->are_instructions];
	const char *const columns[] = { "function",
					"caller",
					"calls",
					names[AMOUNT_COST],
					"imbalance",
					names[AMOUNT_MEAN],
					names[AMOUNT_DEVIATION],
					names[AMOUNT_LEAST],
					"least_rank",
					"least_pid",
					"least_host",
					names[AMOUNT_MOST],
					"most_rank",
					"most_pid",
					"most_host",
					"n",
					"processes",
					"name",
					"contributors",
					"contributors_of",
					"instructions_is_estimate" };
	size_t n = limit && shares->n > limit ? limit : shares->n;
	struct items items;

	util_sort(shares->list, shares->n, sizeof(*shares->list), compare_shares, NULL);
	if (items_table(&items, stdout, format, ITEMS_LINES, columns,
			ARRAY_SIZE(columns) - !shares->are_instructions)) {
		items_open(&items, "session", '{', ITEMS_LINES);
		items_count(&items, "rows_hidden", shares->n - n);
		items_close(&items);
	}
	items_table_rows(&items, shares->are_instructions ? "functions" : "paths");
	for (size_t i = 0; i < n; i++)
		put_share(&items, shares, &shares->list[i]);
	items_table_end(&items);
}
