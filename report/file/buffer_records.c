/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "buffer_records.h"

#include "cinstr/amounts.h"

/* Does a record of the buffer carry a full stamp, by which the clock of what follows goes? */
static int has_full_stamp(const struct cinstr_record *r)
{
	uint32_t type = CINSTR_SPECIAL_TYPE(r->code);

	return CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL &&
	       (type == CINSTR_SP_START || type == CINSTR_SP_SLOW || type == CINSTR_SP_RESUME ||
		type == CINSTR_SP_PAUSE || type == CINSTR_SP_CONTINUE);
}

size_t buffer_records(const struct cinstr_record *records, size_t n)
{
	uint64_t time = n ? CINSTR_SPECIAL_VALUE(&records[0]) : 0;
	size_t i;

	for (i = 0; i < n && records[i].code; i++) {
		const struct cinstr_record *r = &records[i];

		if (has_full_stamp(r)) {
			if (CINSTR_SPECIAL_VALUE(r) < time || r->time_lo != (uint32_t)CINSTR_SPECIAL_VALUE(r))
				break;
			time = CINSTR_SPECIAL_VALUE(r);
		} else if (r->time_lo < (uint32_t)time) {
			break;
		} else {
			time += r->time_lo - (uint32_t)time;
		}
	}
	return i;
}

size_t buffer_whole_groups(const struct cinstr_record *records, size_t n)
{
	while (n > 1) {
		const struct cinstr_record *r = &records[n - 1];
		uint32_t type = CINSTR_SPECIAL_TYPE(r->code);

		if (CINSTR_CODE_KIND(r->code) != CINSTR_EV_SPECIAL ||
		    !(type == CINSTR_SP_SLOW || type == CINSTR_SP_OS || type == CINSTR_SP_SWITCHES ||
		      type == CINSTR_SP_TARGET || type == CINSTR_SP_AMOUNT || type == CINSTR_SP_CONTINUE))
			return n;
		n--;
	}
	return n;
}
