/* SPDX-License-Identifier: MIT */
/*
 * index.h - a hash table from numbers to their places in an array. The owner of the array writes,
 * one thread at a time; any thread may read meanwhile: it finds a number, or does not find it yet.
 * Single numbers are never removed, only all at once.
 */
#ifndef CINSTR_INDEX_H
#define CINSTR_INDEX_H

#include <stdint.h>

#include "cinstr/atomics.h"

struct index {
	uint32_t *places; /* 1 + the number's place in the array; 0: free */
	uint32_t bits;	  /* 1 << bits places, more than numbers; 0: no table, nothing is found */
};

#define INDEX_BYTES(bits) (sizeof(uint32_t) << (bits))
#define INDEX_NONE UINT32_MAX

static inline uint32_t *index_place(const struct index *index, const uint32_t *array, uint32_t number)
{
	uint32_t at = number * 0x9e3779b1u >> (32 - index->bits), place;

	while ((place = atomic_load_acquire(&index->places[at])) && array[place - 1] != number)
		at = (at + 1) & ((1u << index->bits) - 1);
	return &index->places[at];
}

static inline uint32_t index_find(const struct index *index, const uint32_t *array, uint32_t number)
{
	return index->bits ? atomic_load_acquire(index_place(index, array, number)) - 1 : INDEX_NONE;
}

/* Adds the number array[at], which was just stored and is not in the table yet. */
static inline void index_add(const struct index *index, const uint32_t *array, uint32_t at)
{
	atomic_store_release(index_place(index, array, array[at]), at + 1); /* index_place() */
}

#endif
