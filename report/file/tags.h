/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tags.h - how long a thread had each value of the program's tags (cinstr/tags.h). */
#ifndef REPORT_FILE_TAGS_H
#define REPORT_FILE_TAGS_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/tags.h"

/* The periods of one value, or (is_others) of all that are not kept apart. Ticks are as measured:
 * nothing is subtracted for probes. */
struct tag_item {
	uint32_t name; /* number, of the data file (moved_file()) */
	int is_others;
	int is_open; /* the last period had not ended when the recording did */
	int64_t id;
	uint64_t times, ticks, waiting, longest;
	uint32_t cell;	    /* cell index: where its longest period began */
	uint32_t slow_cell; /* where its longest wait was; 0: it did not wait */
};

/* All items of a thread; the same value may be there twice. */
struct tags {
	struct tag_item *list;
	size_t n, size;
};

#endif
