/* SPDX-License-Identifier: GPL-3.0-or-later */
/* int_map.h - integers to numbers, in order of insertion: the number counts the keys before. */
#ifndef REPORT_INT_MAP_H
#define REPORT_INT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct int_map {
	uint32_t *slots; /* number + 1; 0: free */
	uint64_t *keys;	 /* by number */
	size_t n_slots, n;
};
#define INT_MAP_NONE UINT32_MAX

static inline uint64_t int_map_pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* The number of a key; *is_new says whether it was added by this call. */
uint32_t int_map_add(struct int_map *map, uint64_t key, int *is_new);
/* INT_MAP_NONE: it was not added. */
uint32_t int_map_find(const struct int_map *map, uint64_t key);
void int_map_release(struct int_map *map);

#endif
