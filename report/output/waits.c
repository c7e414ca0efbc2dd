/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits.c - lists the longest waits by call site below a table sorted by time on the processor; and
 * formats the place of a function. */
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/terminal.h"
#include "output.h"
#include "rows/hot_path.h"
#include "selection/just_my_code.h"

#define SHOWN 3
#define PERCENT 2 /* of the waiting time: less is not worth a word */
#define WIDTH 100 /* where there is no terminal */
#define LABEL "Waiting (not CPU):"

long double output_waited(const struct row *row)
{
	return row->sums.off_cpu_exclusive - row->sums.preempted_exclusive;
}

int output_is_wait(const struct row *row)
{
	const struct os_counts *os = row->os;

	if (!row->callee || !*row->callee || output_waited(row) <= 0 || waits_for_others(row->callee) ||
	    waits_for_signals(row->callee))
		return 0;
	return !os || os->exclusive.of[OS_VOLUNTARY] || !os->exclusive.of[OS_INVOLUNTARY];
}

void output_put_place(struct strbuf *text, const struct profile *profile, const struct row *row)
{
	const struct map *instrumented = &profile->totals.facts.instrumented;
	int is_own = !row->module || !instrumented->n ||
		     map_find(instrumented, row->module, strlen(row->module)) != MAP_NONE;

	if (row->file && is_own) {
		strbuf_visible(text, util_basename(row->file));
		if (row->line)
			strbuf_printf(text, ":%u", row->line);
	} else if (row->module) {
		strbuf_visible(text, util_basename(row->module));
	}
}

ORDER_POINTERS(by_wait, struct row, ORDER(output_waited(y), output_waited(x)), ORDER(x, y))

void output_sort_waits(const struct row **rows, size_t n)
{
	util_sort(rows, n, sizeof(*rows), by_wait, NULL);
}

/* The largest first. Returns how many. */
static size_t largest(const struct profile *sites, const struct row **rows)
{
	long double least = waits_sum(&sites->totals.facts.waits) * PERCENT / 100;
	size_t n = 0;

	for (size_t i = 0; i < sites->n_rows; i++) {
		const struct row *row = &sites->rows[i];

		if (!row->filtered && output_is_wait(row) && output_waited(row) >= least)
			rows[n++] = row;
	}
	output_sort_waits(rows, n);
	return n < SHOWN ? n : SHOWN;
}

/* The line in a header of the system that was inlined there says nothing of the program. */
void output_put_caller(struct strbuf *text, const struct row *site)
{
	strbuf_visible(text, site->name);
	if (site->line && !system_code_is_header(site->file))
		strbuf_printf(text, ":%u", site->line);
}

void output_waits(FILE *out, const struct view *view)
{
	FREED const struct row **rows = NULL;
	size_t width = terminal_width(out), at = strlen(LABEL), n;

	if (!view->sites || !totals_has_application(&view->sites->totals))
		return;
	width = width ? width : WIDTH;
	rows = xcalloc(view->sites->n_rows + 1, sizeof(*rows));
	n = largest(view->sites, rows);
	fputs(n ? "\n" LABEL : "", out);
	for (size_t i = 0; i < n; i++) {
		STRBUF(text);

		strbuf_visible(&text, rows[i]->callee);
		strbuf_puts(&text, " ");
		strbuf_duration(&text, output_waited(rows[i]));
		strbuf_puts(&text, " <- ");
		output_put_caller(&text, rows[i]);
		if (at + 2 + util_columns(text.text) > width && i)
			at = (size_t)fprintf(out, "\n%*s", (int)strlen(LABEL), "") - 1;
		fprintf(out, "  %s", text.text);
		at += 2 + util_columns(text.text);
	}
	fputs(n ? "\n" : "", out);
}
