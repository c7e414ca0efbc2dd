/* SPDX-License-Identifier: GPL-3.0-or-later */
/* row.c - a row by itself (profile.h). */

#include "caller_rows.h"
#include "profile.h"

const struct row row_empty = { .entity = ROW_NONE,
			       .about = ROW_NONE,
			       .parent = ROW_NONE,
			       .child = ROW_NONE,
			       .sibling = ROW_NONE,
			       .caller = EDGE_NO_CALLER,
			       .place = NAMES_NONE,
			       .shortest = { -1, -1, -1, -1 },
			       .longest = { -1, -1, -1, -1 } };

struct os_counts *row_os(struct row *row)
{
	if (!row->os)
		row->os = xcalloc(1, sizeof(*row->os));
	return row->os;
}

int row_is_empty(const struct row *row)
{
	return !row->name || (!row->calls && !row->entries && row->sums.elapsed_inclusive <= 0 && !row->pid &&
			      !row->n_threads);
}
