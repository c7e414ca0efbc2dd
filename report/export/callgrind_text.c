/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "callgrind_text.h"

#include <string.h>

void callgrind_put_text(struct sink *sink, const char *before, const char *text)
{
	FREED char *shown = util_visible(text);

	sink_puts(sink, before);
	sink_puts(sink, shown);
	sink_puts(sink, "\n");
}

void callgrind_put_numbered(struct sink *sink, struct map *map, const char *key, const char *name)
{
	int is_new;
	size_t number;

	name = name && *name ? name : CALLGRIND_UNKNOWN;
	number = map_add(map, name, strlen(name), &is_new);
	sink_puts(sink, key);
	sink_puts(sink, "(");
	sink_number(sink, number + 1);
	if (is_new)
		callgrind_put_text(sink, ") ", name);
	else
		sink_puts(sink, ")\n");
}
