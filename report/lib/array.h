/* SPDX-License-Identifier: GPL-3.0-or-later */
/* array.h - arrays that grow: by doubling, so that adding one costs the same however many there
 * are. */
#ifndef REPORT_ARRAY_H
#define REPORT_ARRAY_H

#include <stddef.h>

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

#endif
