/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_ranks.c - for a session of several processes: their names, and the amount that each has of
 * each function. Not for merged files: least, mean and most are in the functions. */
#include <math.h>
#include <stdlib.h>

#include "html_sections.h"
#include "rows/spread.h"

#define PARTS_MOST 500000 /* in a page: of the functions that take most */

int html_has_ranks(const struct html *html)
{
	const struct profile *profile = html->profiles[HTML_FUNCTIONS];

	return profile->spreads.n > 1 && profile->spreads.n_parts && !profile_is_sampled(profile);
}

/* The parts in order of their rows: where each row's are, n_rows + 1. */
static size_t *starts_make(const struct profile *profile)
{
	const struct spreads *spreads = &profile->spreads;
	size_t *starts = xcalloc(profile->n_rows + 2, sizeof(*starts));

	for (size_t i = 0; i < spreads->n_parts; i++)
		starts[spreads->parts[i].row + 2]++;
	for (size_t i = 2; i < profile->n_rows + 2; i++)
		starts[i] += starts[i - 1];
	return starts; /* after sorted_make(): by row */
}

static const struct spread_part **sorted_make(const struct profile *profile, size_t *starts)
{
	const struct spreads *spreads = &profile->spreads;
	const struct spread_part **sorted = xcalloc(spreads->n_parts + 1, sizeof(*sorted));

	for (size_t i = 0; i < spreads->n_parts; i++)
		sorted[starts[spreads->parts[i].row + 1]++] = &spreads->parts[i];
	return sorted;
}

static void put_column(struct html *html, const struct html_rows *rows, const size_t *starts,
		       const struct spread_part *const *sorted, size_t n_functions, int column)
{
	static const char *const names[] = { "function", "process", "cpu_exclusive_ns" };

	pack_column(&html->pack, names[column], column == 2 ? PACK_NUMBER : PACK_DELTA, NULL);
	for (size_t i = 0; i < n_functions; i++) {
		size_t row = (size_t)(rows->rows[i] - rows->profile->rows);

		for (size_t k = starts[row]; k < starts[row + 1]; k++)
			pack_number(&html->pack, column == 0   ? (int64_t)i
						 : column == 1 ? (int64_t)sorted[k]->process
							       : llrintl(sorted[k]->value));
	}
	pack_column_end(&html->pack);
}

void html_write_ranks(struct html *html)
{
	struct profile *profile = html->profiles[HTML_FUNCTIONS];
	FREED size_t *starts = starts_make(profile);
	size_t n = 0, parts = 0;
	FREED const struct spread_part **sorted = sorted_make(profile, starts);
	struct html_rows rows;

	html_rows_of(&rows, profile, COLUMN_CPU_EXCLUSIVE);
	for (; n < rows.n; n++) {
		size_t row = (size_t)(rows.rows[n] - profile->rows);

		parts += starts[row + 1] - starts[row];
		if (parts > PARTS_MOST)
			break;
	}
	for (int column = 0; column < 3; column++)
		put_column(html, &rows, starts, sorted, n, column);
	free(rows.rows);
}

static int64_t number_of(struct html *html, const struct spread_process *process, int column)
{
	return column == 0   ? (int64_t)html_string(html, process->who)
	       : column == 1 ? (int64_t)html_string(html, process->host ? process->host : "")
			     : (int64_t)process->pid;
}

void html_write_rank_list(struct html *html)
{
	static const char *const names[] = { "who", "host", "pid", "rank" };
	const struct spreads *spreads = &html->profiles[HTML_FUNCTIONS]->spreads;

	for (int column = 0; column < 4; column++) {
		pack_column(&html->pack, names[column], column < 2 ? PACK_STRING : PACK_NUMBER, NULL);
		for (size_t i = 0; i < spreads->n; i++) {
			const struct spread_process *process = &spreads->processes[i];

			if (column < 3)
				pack_number(&html->pack, number_of(html, process, column));
			else if (process->rank_after)
				pack_number(&html->pack, process->rank_after - 1);
			else
				pack_none(&html->pack);
		}
		pack_column_end(&html->pack);
	}
}
