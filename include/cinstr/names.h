/* SPDX-License-Identifier: MIT */
/* cinstr/names.h - finds a function's name in a table in the order of strcmp(), without libc. */
#ifndef CINSTR_NAMES_H
#define CINSTR_NAMES_H

#include <stddef.h>

/* Compares two names as strcmp() does, which the runtime may not call. */
static inline int cinstr_names_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

/* Returns the entry with this name of a table of `n` entries, `bytes` large each, which begin with
 * their names; NULL if there is none. */
static inline const void *cinstr_names_find(const void *table, size_t n, size_t bytes, const char *name)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;
		const char *entry = (const char *)table + middle * bytes;
		int order = cinstr_names_compare(name, *(const char *const *)(const void *)entry);

		if (!order)
			return entry;
		if (order < 0)
			n = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* The same, of an array. */
#define CINSTR_NAMES_FIND(table, name) \
	cinstr_names_find(table, sizeof(table) / sizeof(*(table)), sizeof(*(table)), name)

#endif
