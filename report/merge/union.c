/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union.c - the nodes of the union and their look-up by key (union.h). */
#include "union.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "lib/array.h"

static uint64_t hash_of(const struct union_key *key)
{
	uint64_t hash = ((uint64_t)key->parent << 32 | key->func) * 0x9e3779b97f4a7c15u;

	hash = (hash ^ hash >> 29 ^ ((uint64_t)key->site << 32 | key->kind)) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 32 ^ key->target) * 0x94d049bb133111ebu;
	return hash ^ hash >> 31;
}

static int is_equal(const struct union_key *a, const struct union_key *b)
{
	return a->parent == b->parent && a->func == b->func && a->site == b->site && a->kind == b->kind &&
	       a->target == b->target;
}

static uint32_t *place_of(const struct union_tree *u, const struct union_key *key)
{
	size_t at = (size_t)hash_of(key) & (u->n_slots - 1);

	while (u->slots[at] && !is_equal(union_key(u, u->slots[at] - 1), key))
		at = (at + 1) & (u->n_slots - 1);
	return &u->slots[at];
}

static void slots_grow(struct union_tree *u)
{
	free(u->slots);
	u->n_slots = u->n_slots ? 2 * u->n_slots : 4 * UNION_BLOCK;
	u->slots = xcalloc(u->n_slots, sizeof(*u->slots));
	for (size_t i = 0; i < u->n_nodes; i++)
		*place_of(u, union_key(u, i)) = (uint32_t)i + 1;
}

/* Zeroed; its pages are got together rather than one by one. */
static void *block_new(size_t bytes)
{
	char *block = xcalloc(1, bytes);
#ifdef MADV_POPULATE_WRITE
	uintptr_t begin = ((uintptr_t)block + CINSTR_PAGE - 1) & ~(uintptr_t)(CINSTR_PAGE - 1);
	uintptr_t end = ((uintptr_t)block + bytes) & ~(uintptr_t)(CINSTR_PAGE - 1);

	if (begin < end) /* an error where the kernel does not know it */
		madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#endif
	return block;
}

static uint32_t node_new(struct union_tree *u, const struct union_key *key)
{
	size_t block = u->n_nodes / UNION_BLOCK;
	struct merged_item *item;

	if (u->n_nodes % UNION_BLOCK == 0) {
		u->blocks = xrealloc(u->blocks, block + 1, sizeof(*u->blocks));
		u->keys = xrealloc(u->keys, block + 1, sizeof(*u->keys));
		u->blocks[block] = block_new(UNION_BLOCK * sizeof(**u->blocks));
		u->keys[block] = block_new(UNION_BLOCK * sizeof(**u->keys));
	}
	*union_key(u, u->n_nodes) = *key;
	item = &union_node(u, u->n_nodes)->item;
	item->kind = key->kind & ~UNION_ESTIMATE;
	item->is_estimate = (key->kind & UNION_ESTIMATE) != 0;
	for (int i = 0; i < 4; i++)
		item->shortest[i] = UINT64_MAX;
	return (uint32_t)u->n_nodes++;
}

uint32_t union_find(struct union_tree *u, const struct union_key *key)
{
	uint32_t *place;

	if (u->last + 1 < u->n_nodes && is_equal(union_key(u, u->last + 1), key))
		return ++u->last;
	if (2 * (u->n_nodes + 1) > u->n_slots)
		slots_grow(u);
	place = place_of(u, key);
	if (!*place)
		*place = node_new(u, key) + 1;
	u->last = *place - 1;
	return u->last;
}

void union_init(struct union_tree *u)
{
	const struct union_key root = { .parent = UNION_NONE, .kind = CINSTR_CELL_ROOT };

	*u = (struct union_tree){ .stamp = 1 };
	union_find(u, &root);
}

void union_release(struct union_tree *u)
{
	for (size_t i = 0; i < u->n_nodes; i++) {
		if (union_node(u, i)->item.mixed)
			free(union_node(u, i)->item.mixed->shares);
		free(union_node(u, i)->item.mixed);
		if (union_node(u, i)->item.slots != union_node(u, i)->few)
			free(union_node(u, i)->item.slots);
		free(union_node(u, i)->item.buckets);
		free(union_node(u, i)->item.after_buckets);
	}
	for (size_t i = 0; i * UNION_BLOCK < u->n_nodes; i++) {
		free(u->blocks[i]);
		free(u->keys[i]);
	}
	for (size_t i = 0; i < u->n_modules; i++) {
		free(u->modules[i].bytes);
		free(u->modules[i].callees);
		for (int k = 0; k < UNION_COUNTS_KINDS; k++)
			free(u->modules[i].counts[k]);
	}
	for (size_t i = 0; i < u->n_properties; i++) {
		free(u->properties[i].key);
		free(u->properties[i].value);
	}
	free(u->blocks);
	free(u->keys);
	free(u->marks);
	union_waits_release(u);
	union_moved_release(u);
	union_tags_release(u);
	union_sums_release(u);
	union_functions_release(u);
	free(u->slots);
	free(u->now);
	free(u->modules);
	free(u->contributors);
	free(u->properties);
	free(u->counters);
	int_map_release(&u->counter_codes);
	union_known_release(u);
	map_release(&u->module_keys);
	map_release(&u->strings);
}
