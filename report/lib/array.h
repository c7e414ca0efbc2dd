/* SPDX-License-Identifier: GPL-3.0-or-later */
/* array.h - arrays that grow: by doubling, so that adding one costs the same however many there
 * are. */
#ifndef REPORT_ARRAY_H
#define REPORT_ARRAY_H

#include <stddef.h>
#include <string.h>

#include "util.h"

/*
 * Makes room in `list`, which has room for `size` items and holds at least `n`, for one more behind
 * the `n`. An array without room gets room for `first`. All but `first` are evaluated several
 * times; the new items are not set.
 */
#define ARRAY_ROOM(list, n, size, first) \
	do { \
		if ((n) >= (size)) { \
			(size) = (size) ? 2 * (size) : (first); \
			(list) = xrealloc((list), (size), sizeof(*(list))); \
		} \
	} while (0)

/* Makes room for the item `number`, which may lie far behind the last; the new items are not
 * set. */
#define ARRAY_REACH(list, number, size) \
	do { \
		if ((number) >= (size)) { \
			(size) = 2 * (size_t)(number) + 64; \
			(list) = xrealloc((list), (size), sizeof(*(list))); \
		} \
	} while (0)

/* The same; the new items are zero. */
#define ARRAY_REACH_ZEROED(list, number, size) \
	do { \
		size_t old_size_ = (size); \
		ARRAY_REACH(list, number, size); \
		if ((size) > old_size_) \
			memset((list) + old_size_, 0, ((size)-old_size_) * sizeof(*(list))); \
	} while (0)

/* Makes room for one more behind the `n` items of an array whose size is not stored: it is the next
 * power of two, if the array has only grown by this macro. */
#define ARRAY_ONE_MORE(list, n) \
	do { \
		if (!((n) & ((n)-1))) \
			(list) = xrealloc((list), (n) ? 2 * (size_t)(n) : 1, sizeof(*(list))); \
	} while (0)

#endif
