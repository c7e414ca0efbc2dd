/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instruction_shares.c - whether a row's executed instructions are exact (profile.h). */
#include <math.h>

#include "caller_rows.h"
#include "executed/call_shares.h"

void row_add_share(struct row *row, uint64_t mark, unsigned parts)
{
	if (parts & ADD_EXCLUSIVE && mark & DATA_CELL_ROUGH)
		row->has_rough_code = 1;
	if (mark & DATA_CELL_RECURSIVE || (parts & (ADD_INCLUSIVE | ADD_CALLS)) == ADD_CALLS)
		row->has_recursion = 1;
}

int row_is_share(const struct profile *profile, const struct row *row, enum value_kind kind)
{
	int is_whole = profile->by != BY_PATH && row->caller == EDGE_NO_CALLER;
	long double mark = row->sums.share_mark_exclusive;

	if (kind == VALUE_ELAPSED_INCLUSIVE)
		mark = row->sums.share_mark_inclusive;
	if (is_whole) /* a function's own ones are known, whoever has called it */
		mark -= row->sums.share_mark_exclusive;
	return (is_whole && row->has_rough_code) || fmodl(mark, (long double)SHARES_WHOLE) != 0;
}
