/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_nodes.c - see store_nodes.h. A hash table with linear probing, at most half full. */
#include "store_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/util.h"

#define SLOTS_MIN 256

void store_nodes_init(struct store_nodes *nodes)
{
	*nodes = (struct store_nodes){
		.list = { .type = CINSTR_SEG_STACKS, .element = sizeof(struct cinstr_stack_node) },
	};
}

void store_nodes_release(struct store_nodes *nodes)
{
	free(nodes->nodes);
	free(nodes->slots);
}

static uint64_t hash_of(const struct cinstr_stack_node *node)
{
	uint64_t hash = ((uint64_t)node->parent << 32 | node->module) * 0x9e3779b97f4a7c15ull;

	hash = (hash ^ hash >> 29 ^ node->address) * 0xbf58476d1ce4e5b9ull;
	return hash ^ hash >> 32;
}

/* The slot of the node, or the free one where it belongs. */
static uint32_t *slot_of(const struct store_nodes *nodes, const struct cinstr_stack_node *node)
{
	size_t mask = nodes->n_slots - 1;

	for (size_t i = hash_of(node) & mask;; i = (i + 1) & mask) {
		uint32_t number = nodes->slots[i];

		if (!number || !memcmp(&nodes->nodes[number - 1], node, sizeof(*node)))
			return &nodes->slots[i];
	}
}

static void grow(struct store_nodes *nodes)
{
	ARRAY_ROOM(nodes->nodes, nodes->n, nodes->size, SLOTS_MIN / 2);
	if (2 * (nodes->n + 1) <= nodes->n_slots)
		return;
	free(nodes->slots);
	nodes->n_slots = nodes->n_slots ? 2 * nodes->n_slots : SLOTS_MIN;
	nodes->slots = xcalloc(nodes->n_slots, sizeof(*nodes->slots));
	for (size_t i = 0; i < nodes->n; i++)
		*slot_of(nodes, &nodes->nodes[i]) = (uint32_t)i + 1;
}

uint32_t store_nodes_add(struct store_nodes *nodes, struct store_file *file,
			 const struct cinstr_stack_node *node)
{
	uint32_t *slot;

	grow(nodes);
	slot = slot_of(nodes, node);
	if (*slot)
		return *slot;
	if (nodes->n == UINT32_MAX || !store_list_add(file, &nodes->list, node))
		return 0;
	nodes->nodes[nodes->n++] = *node;
	*slot = (uint32_t)nodes->n;
	return *slot;
}

ORDER_ITEMS(compare, struct store_address, ORDER(x->module, y->module), ORDER(x->address, y->address))

struct store_address *store_nodes_addresses(const struct store_nodes *nodes, size_t *n)
{
	struct store_address *list = xcalloc(nodes->n + 1, sizeof(*list));
	size_t n_all = 0, n_kept = 0;

	for (size_t i = 0; i < nodes->n; i++) {
		const struct cinstr_stack_node *node = &nodes->nodes[i];

		if (node->module && node->module < CINSTR_NODE_TRUNCATED)
			list[n_all++] = (struct store_address){ node->module, node->address };
	}
	util_sort(list, n_all, sizeof(*list), compare, NULL);
	for (size_t i = 0; i < n_all; i++)
		if (!n_kept || compare(&list[n_kept - 1], &list[i], NULL))
			list[n_kept++] = list[i];
	*n = n_kept;
	return list;
}
