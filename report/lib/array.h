/* SPDX-License-Identifier: GPL-3.0-or-later */
/* array.h - arrays that grow by doubling, so that adding an item has constant cost on average. */
#ifndef REPORT_ARRAY_H
#define REPORT_ARRAY_H

#include <stddef.h>
#include <string.h>

#include "util.h"

/* Makes room for one more item after the `n` in `list`, which has room for `size`. An array without
 * room gets room for `first`. All arguments but `first` are evaluated several times; new items are
 * not initialised. */
#define ARRAY_ROOM(list, n, size, first) \
	do { \
		if ((n) >= (size)) { \
			(size) = (size) ? 2 * (size) : (first); \
			(list) = xrealloc((list), (size), sizeof(*(list))); \
		} \
	} while (0)

/* Makes room for the item with index `number`, which may be far beyond the last. New items are not
 * initialised. */
#define ARRAY_REACH(list, number, size) \
	do { \
		if ((number) >= (size)) { \
			(size) = 2 * (size_t)(number) + 64; \
			(list) = xrealloc((list), (size), sizeof(*(list))); \
		} \
	} while (0)

/* Like the above; new items are zero. */
#define ARRAY_REACH_ZEROED(list, number, size) \
	do { \
		size_t old_size_ = (size); \
		ARRAY_REACH(list, number, size); \
		if ((size) > old_size_) \
			memset((list) + old_size_, 0, ((size)-old_size_) * sizeof(*(list))); \
	} while (0)

/* Makes room for one more item after the `n` of an array whose size is not stored. The size is the
 * next power of two, provided that the array has grown only by this macro. */
#define ARRAY_ONE_MORE(list, n) \
	do { \
		if (!((n) & ((n)-1))) \
			(list) = xrealloc((list), (n) ? 2 * (size_t)(n) : 1, sizeof(*(list))); \
	} while (0)

#endif
