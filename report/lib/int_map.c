/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "int_map.h"

#include <stdlib.h>

#include "util.h"

#define SLOTS_MIN 64

static size_t slot_of(const struct int_map *map, uint64_t key)
{
	size_t mask = map->n_slots - 1, i = (key * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (map->slots[i] && map->keys[map->slots[i] - 1] != key)
		i = (i + 1) & mask;
	return i;
}

/* At most half of the slots are in use. */
static void grow(struct int_map *map)
{
	map->n_slots = map->n_slots ? 2 * map->n_slots : SLOTS_MIN;
	free(map->slots);
	map->slots = xcalloc(map->n_slots, sizeof(*map->slots));
	map->keys = xrealloc(map->keys, map->n_slots / 2, sizeof(*map->keys));
	for (uint32_t i = 0; i < map->n; i++)
		map->slots[slot_of(map, map->keys[i])] = i + 1;
}

uint32_t int_map_add(struct int_map *map, uint64_t key, int *is_new)
{
	size_t slot;

	if (2 * map->n >= map->n_slots)
		grow(map);
	slot = slot_of(map, key);
	*is_new = !map->slots[slot];
	if (*is_new) {
		map->keys[map->n++] = key;
		map->slots[slot] = (uint32_t)map->n;
	}
	return map->slots[slot] - 1;
}

uint32_t int_map_find(const struct int_map *map, uint64_t key)
{
	return map->n ? map->slots[slot_of(map, key)] - 1 : INT_MAP_NONE;
}

void int_map_release(struct int_map *map)
{
	free(map->slots);
	free(map->keys);
	*map = (struct int_map){ 0 };
}
