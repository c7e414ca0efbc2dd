/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * address_ranges.h - which of many ranges of addresses holds an address: the innermost, where they
 * are nested. Filled once, sorted, then only asked.
 */
#ifndef REPORT_SYMBOLS_ADDRESS_RANGES_H
#define REPORT_SYMBOLS_ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t begin, end;
	uint64_t reach; /* the highest end of this one and all before it */
	uint32_t value;
};

/* Zero-initialised is empty. */
struct spans {
	struct span *list;
	size_t n, size;
};

/* Empty ranges are left out. */
void spans_add(struct spans *spans, uint64_t begin, uint64_t end, uint32_t value);
void spans_sort(struct spans *spans);
/*
 * The one that begins nearest before the address and has not ended there; of several with the same
 * begin the shortest, of the same ones that of the highest value. NULL: none.
 */
const struct span *spans_find(const struct spans *spans, uint64_t address);
/* The one of this value that the address is in; NULL: none. */
const struct span *spans_find_value(const struct spans *spans, uint64_t address, uint32_t value);
void spans_release(struct spans *spans);

#endif
