/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * address_ranges.h - finds the range of addresses that holds an address: the innermost one if they
 * are nested. Filled once, sorted, then only searched.
 */
#ifndef REPORT_SYMBOLS_ADDRESS_RANGES_H
#define REPORT_SYMBOLS_ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct address_range {
	uint64_t begin, end;
	uint64_t reach; /* highest end of this range and all before it */
	uint32_t value;
};

/* Zero-initialised: empty. */
struct address_ranges {
	struct address_range *list;
	size_t n, size;
};

/* Adds a range [begin, end); ignores empty ones. */
void ranges_add(struct address_ranges *spans, uint64_t begin, uint64_t end, uint32_t value);
void ranges_sort(struct address_ranges *spans);
/* Returns the range that holds the address: the one with the latest begin; of equal begins the
 * shortest, of equal ranges the one with the highest value. NULL: none. */
const struct address_range *ranges_find(const struct address_ranges *spans, uint64_t address);
/* Returns the range with this value that holds the address, or NULL. */
const struct address_range *ranges_find_value(const struct address_ranges *spans, uint64_t address,
					      uint32_t value);
void ranges_release(struct address_ranges *spans);

#endif
