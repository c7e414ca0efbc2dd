/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "upper_end.h"

#include <math.h>

#include "rows/mixed_rows.h"
#include "rows/uncertainty.h"

#define ROUNDING 1e-9L /* what a long double may be off by, as a part of it: not a digit more */

const char upper_end_legend[] = "<= x: between 0 and x, more is not known: what was subtracted for probes "
				"may be off by all of the value.";
const char lower_end_legend[] = ">= n: calls by functions that were only counted at the time are not among "
				"these n.";

int lower_end_is_all(const struct row *row, enum column column)
{
	if (column == COLUMN_ALLOCATED || column == COLUMN_ALLOCATIONS)
		return row->os && row->os->is_least &&
		       row->os->inclusive.moved[CINSTR_AMOUNT_ALLOCATED].calls;
	return column == COLUMN_CALLS && row->are_calls_least && (row->calls || row->entries);
}

long double upper_end_shown(long double x, int decimals)
{
	long double shift = powl(10, decimals);

	return ceill(x * shift * (1 - ROUNDING)) / shift;
}

static long double upper_end_of_cpu(const struct profile *profile, const struct row *row,
				    const struct column_info *info)
{
	int inclusive = info->which == VALUE_ELAPSED_INCLUSIVE;
	long double end, whole = totals_cpu(&profile->totals);

	if (!totals_has_application(&profile->totals) || profile->counting.raw ||
	    mixed_row_is_estimate(row, info->which))
		return -1;
	end = uncertainty_cpu_upper_end(&row->sums, inclusive);
	if (end < 0 || info->family == FAMILY_CPU)
		return end;
	return whole > 0 ? fminl(100 * end / whole, 100) : -1;
}

long double upper_end_of(const struct profile *profile, const struct row *row, enum column column,
			 long double least)
{
	const struct column_info *info = &column_infos[column];
	int is_application =
		info->which == VALUE_APPLICATION_INCLUSIVE || info->which == VALUE_APPLICATION_EXCLUSIVE;
	long double whole = is_application ? profile->totals.application : profile->totals.elapsed;
	long double uncertainty, end;
	struct value value;

	if (info->family == FAMILY_CPU || info->family == FAMILY_CPU_PERCENT)
		return upper_end_of_cpu(profile, row, info);
	if ((info->family != FAMILY_TOTAL && info->family != FAMILY_PERCENT &&
	     info->family != FAMILY_AVERAGE) ||
	    profile->counting.raw || mixed_row_is_estimate(row, info->which))
		return -1;
	value = column_value(profile, row, column);
	if (value.type == VALUE_NONE)
		return -1;
	uncertainty = uncertainty_of(&row->sums, info->which);
	if (is_application && uncertainty < least)
		return -1;
	if (info->family == FAMILY_AVERAGE)
		return row->calls ? uncertainty_end(value.number, uncertainty / (long double)row->calls) : -1;
	end = uncertainty_upper_end(&row->sums, info->which);
	if (info->family == FAMILY_TOTAL)
		return end;
	return whole > 0 ? fminl(100 * end / whole, 100) : -1;
}
