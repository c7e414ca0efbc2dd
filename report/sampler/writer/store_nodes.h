/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_nodes.h - the nodes of sampled stacks, without duplicates (struct cinstr_stack_node). */
#ifndef SAMPLER_STORE_NODES_H
#define SAMPLER_STORE_NODES_H

#include "store.h"
#include "store_file.h"

struct store_nodes {
	struct store_list list;
	struct cinstr_stack_node *nodes; /* copies for look-ups: number 1 is nodes[0] */
	size_t n, size;
	uint32_t *slots; /* hash table of numbers; 0: free */
	size_t n_slots;
};

void store_nodes_init(struct store_nodes *nodes);
void store_nodes_release(struct store_nodes *nodes);
/* Returns the number of the node, adding it if needed; 0: no room. */
uint32_t store_nodes_add(struct store_nodes *nodes, struct store_file *file,
			 const struct cinstr_stack_node *node);
struct store_address *store_nodes_addresses(const struct store_nodes *nodes, size_t *n);

#endif
