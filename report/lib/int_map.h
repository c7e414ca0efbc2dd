/* SPDX-License-Identifier: GPL-3.0-or-later */
/* int_map.h - maps integers to numbers in order of insertion: a key's number is the count of keys
 * before it. */
#ifndef REPORT_INT_MAP_H
#define REPORT_INT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct int_map {
	uint32_t *slots; /* number + 1; 0: free */
	uint64_t *keys;	 /* indexed by number */
	size_t n_slots, n;
};
#define INT_MAP_NONE UINT32_MAX

static inline uint64_t int_map_pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Returns the number of a key, adding it if needed; *is_new: it was added by this call. */
uint32_t int_map_add(struct int_map *map, uint64_t key, int *is_new);
/* Returns the number of a key, or INT_MAP_NONE. */
uint32_t int_map_find(const struct int_map *map, uint64_t key);
void int_map_release(struct int_map *map);

#endif
