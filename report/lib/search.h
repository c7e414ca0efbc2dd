/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search.h - binary search in what is sorted: an array, or a range of its indices. */
#ifndef REPORT_SEARCH_H
#define REPORT_SEARCH_H

/* Sets `i` to the first index from `from` on for which `is_reached`, an expression of `i`, is true,
 * and to `end` if it is true for none. It must be true for every index after the first. `from` and
 * `end` are evaluated once. */
#define SEARCH_IN(i, from, end, is_reached) \
	do { \
		__typeof__(i) low_ = (from), high_ = (end); \
		while (low_ < high_) { \
			(i) = low_ + (high_ - low_) / 2; \
			if (is_reached) \
				high_ = (i); \
			else \
				low_ = (i) + 1; \
		} \
		(i) = low_; \
	} while (0)

/* Like the above, from index 0 on. */
#define SEARCH(i, n, is_reached) SEARCH_IN(i, 0, n, is_reached)

#endif
