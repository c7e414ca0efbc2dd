/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union.c - the nodes of the union, found by what they are (union.h). */
#include "union.h"

#include <stdlib.h>

#include "lib/array.h"

static uint64_t hash_of(uint32_t parent, const struct merged_item *key)
{
	uint64_t hash = ((uint64_t)parent << 32 | key->func) * 0x9e3779b97f4a7c15u;

	hash = (hash ^ hash >> 29 ^ ((uint64_t)key->site << 32 | key->kind)) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 32 ^ key->target) * 0x94d049bb133111ebu;
	return hash ^ hash >> 31;
}

static int is_equal(const struct union_node *node, uint32_t parent, const struct merged_item *key)
{
	return node->parent == parent && node->item.func == key->func && node->item.site == key->site &&
	       node->item.kind == key->kind && node->item.target == key->target;
}

static uint32_t *place_of(const struct union_tree *u, uint32_t parent, const struct merged_item *key)
{
	size_t at = (size_t)hash_of(parent, key) & (u->n_slots - 1);

	while (u->slots[at] && !is_equal(union_node(u, u->slots[at] - 1), parent, key))
		at = (at + 1) & (u->n_slots - 1);
	return &u->slots[at];
}

static void slots_grow(struct union_tree *u)
{
	free(u->slots);
	u->n_slots = u->n_slots ? 2 * u->n_slots : 4 * UNION_BLOCK;
	u->slots = xcalloc(u->n_slots, sizeof(*u->slots));
	for (size_t i = 0; i < u->n_nodes; i++) {
		const struct union_node *node = union_node(u, i);

		*place_of(u, node->parent, &node->item) = (uint32_t)i + 1;
	}
}

static uint32_t node_new(struct union_tree *u, uint32_t parent, const struct merged_item *key)
{
	struct union_node *node;

	if (u->n_nodes % UNION_BLOCK == 0) {
		u->blocks = xrealloc(u->blocks, u->n_nodes / UNION_BLOCK + 1, sizeof(*u->blocks));
		u->blocks[u->n_nodes / UNION_BLOCK] = xcalloc(UNION_BLOCK, sizeof(**u->blocks));
	}
	node = union_node(u, u->n_nodes);
	node->parent = parent;
	node->item.kind = key->kind;
	node->item.site = key->site;
	node->item.func = key->func;
	node->item.target = key->target;
	for (int i = 0; i < 4; i++)
		node->item.shortest[i] = UINT64_MAX;
	return (uint32_t)u->n_nodes++;
}

uint32_t union_find(struct union_tree *u, uint32_t parent, const struct merged_item *key)
{
	uint32_t *place;

	if (u->last + 1 < u->n_nodes && is_equal(union_node(u, u->last + 1), parent, key))
		return ++u->last;
	if (2 * (u->n_nodes + 1) > u->n_slots)
		slots_grow(u);
	place = place_of(u, parent, key);
	if (!*place)
		*place = node_new(u, parent, key) + 1;
	u->last = *place - 1;
	return u->last;
}

void union_init(struct union_tree *u)
{
	const struct merged_item root = { .kind = CINSTR_CELL_ROOT };

	*u = (struct union_tree){ .stamp = 1 };
	union_find(u, UNION_NONE, &root);
}

void union_release(struct union_tree *u)
{
	for (size_t i = 0; i < u->n_nodes; i++) {
		free(union_node(u, i)->item.slots);
		free(union_node(u, i)->item.buckets);
		free(union_node(u, i)->item.after_buckets);
	}
	for (size_t i = 0; i * UNION_BLOCK < u->n_nodes; i++)
		free(u->blocks[i]);
	for (size_t i = 0; i < u->n_modules; i++) {
		free(u->modules[i].bytes);
		free(u->modules[i].callees);
	}
	for (size_t i = 0; i < u->n_properties; i++) {
		free(u->properties[i].key);
		free(u->properties[i].value);
	}
	free(u->blocks);
	free(u->slots);
	free(u->touched);
	free(u->modules);
	free(u->contributors);
	free(u->properties);
	map_release(&u->module_keys);
	map_release(&u->strings);
}
