/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "address_ranges.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"

void ranges_add(struct address_ranges *spans, uint64_t begin, uint64_t end, uint32_t value)
{
	if (begin >= end)
		return;
	ARRAY_ROOM(spans->list, spans->n, spans->size, 16);
	spans->list[spans->n++] = (struct address_range){ begin, end, end, value };
}

ORDER_ITEMS(compare, struct address_range, ORDER(x->begin, y->begin), ORDER(y->end, x->end),
	    ORDER(x->value, y->value))

void ranges_sort(struct address_ranges *spans)
{
	if (!spans->n)
		return;
	util_sort(spans->list, spans->n, sizeof(*spans->list), compare, NULL);
	for (size_t i = 1; i < spans->n; i++)
		if (spans->list[i].reach < spans->list[i - 1].reach)
			spans->list[i].reach = spans->list[i - 1].reach;
}

/* How many begin at the address or before. */
static size_t begun(const struct address_ranges *spans, uint64_t address)
{
	size_t i;

	SEARCH(i, spans->n, spans->list[i].begin > address);
	return i;
}

const struct address_range *ranges_find(const struct address_ranges *spans, uint64_t address)
{
	for (size_t i = begun(spans, address); i && spans->list[i - 1].reach > address; i--)
		if (spans->list[i - 1].end > address)
			return &spans->list[i - 1];
	return NULL;
}

const struct address_range *ranges_find_value(const struct address_ranges *spans, uint64_t address,
					      uint32_t value)
{
	for (size_t i = begun(spans, address); i && spans->list[i - 1].reach > address; i--)
		if (spans->list[i - 1].end > address && spans->list[i - 1].value == value)
			return &spans->list[i - 1];
	return NULL;
}

void ranges_release(struct address_ranges *spans)
{
	free(spans->list);
	*spans = (struct address_ranges){ 0 };
}
