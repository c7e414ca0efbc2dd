/* SPDX-License-Identifier: MIT */
/* fold_sums.c - see fold_sums.h. */
#include "fold_sums.h"

#include "cinstr/amounts.h"
#include "cinstr/tags.h"

static struct cinstr_record special(uint32_t type, uint64_t value)
{
	return (struct cinstr_record){ .code = CINSTR_SPECIAL(type, 0),
				       .time_lo = (uint32_t)value,
				       .extra = (uint32_t)value,
				       .second = (uint32_t)(value >> 32) | 1u << 31 };
}

static int is_special(const struct cinstr_record *r)
{
	return CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL;
}

static int is_of_type(const struct cinstr_record *r, uint32_t type)
{
	return is_special(r) && CINSTR_SPECIAL_TYPE(r->code) == type;
}

/* Returns 1 for records of what the system did in an interval, of the bytes that a call has moved,
 * and of what the program has counted and tagged: nothing of that is executed, and the first tree
 * has it. */
static int is_left_out(const struct cinstr_record *r)
{
	return is_of_type(r, CINSTR_SP_OS) || is_of_type(r, CINSTR_SP_SWITCHES) ||
	       is_of_type(r, CINSTR_SP_AMOUNT) || is_of_type(r, CINSTR_SP_TAG);
}

/* The event that the record is of: of SLOW and TARGET one that follows; `end`: none. */
static const struct cinstr_record *event_of(const struct cinstr_record *r, const struct cinstr_record *end)
{
	while (r < end &&
	       (is_of_type(r, CINSTR_SP_SLOW) || is_of_type(r, CINSTR_SP_TARGET) || is_left_out(r)))
		r++;
	return r;
}

static int has_stamp(const struct cinstr_record *r)
{
	uint32_t type = CINSTR_SPECIAL_TYPE(r->code);

	return type == CINSTR_SP_START || type == CINSTR_SP_RESUME || type == CINSTR_SP_SLOW ||
	       type == CINSTR_SP_PAUSE || type == CINSTR_SP_CONTINUE;
}

/*
 * What had been executed at the record. Within a segment, where source lines have events, that is
 * not known: what is there belongs to the function in any case. Nothing runs backward: a signal's
 * handler may see what a segment has not added yet, or too much.
 */
static uint64_t sum_at(const struct fold_sums *sums, const struct cinstr_record *r,
		       const struct cinstr_record *end)
{
	const struct cinstr_record *event = event_of(r, end);
	uint64_t sum = *fold_sum_of(r);

	if (event < end && CINSTR_CODE_KIND(event->code) == CINSTR_EV_LINE)
		return sums->last;
	return sum > sums->last ? sum : sums->last;
}

size_t fold_sums_records(struct fold_sums *sums, struct cinstr_record *to, const struct cinstr_record *from,
			 size_t n)
{
	const struct cinstr_record *end = from + n;
	struct cinstr_record *start = to;
	int is_slow = 0;

	for (const struct cinstr_record *r = from; r < end; r++) {
		uint64_t sum;

		if (is_left_out(r))
			continue;
		if (is_special(r) && !has_stamp(r)) {
			*to = *r;
			to++->time_lo = (uint32_t)sums->last;
			continue;
		}
		sum = sum_at(sums, r, end);
		sums->missing += !*fold_sum_of(r);
		if (is_special(r)) {
			*to++ = special(CINSTR_SPECIAL_TYPE(r->code), sum);
			is_slow = is_of_type(r, CINSTR_SP_SLOW);
			sums->last = sum;
			continue;
		}
		if (sum >> 32 != sums->last >> 32 && !is_slow)
			*to++ = special(CINSTR_SP_SLOW, sum);
		*to = *r;
		to++->time_lo = (uint32_t)sum;
		is_slow = 0;
		sums->last = sum;
	}
	return (size_t)(to - start);
}
