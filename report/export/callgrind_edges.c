/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "callgrind_edges.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"

struct key {
	const char *file;
	uint32_t caller, callee, line, unused;
};

/* Where the caller makes the calls; nothing: not known, as no event told of them. */
static void place_find(const struct callgrind_edges *edges, const struct addition *a,
		       const struct cinstr_cell *cell, struct key *key)
{
	const struct module *module = cell->site ? modules_by_code(&a->data->modules, cell->site) : NULL;
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;
	const struct module_function *f = site ? &module->functions[site->function] : NULL;

	if (!f || !site->line || names_of_function(edges->names, module, f) != key->caller)
		return;
	key->line = site->line;
	key->file = names_file(edges->names, f->comp_dir, site->file ? site->file : f->file);
}

static struct callgrind_edge *edge_at(struct callgrind_edges *edges, const struct key *key)
{
	int is_new;
	size_t number = map_add(&edges->keys, key, sizeof(*key), &is_new);

	ARRAY_ROOM(edges->list, number, edges->size, 256);
	if (is_new)
		edges->list[number] = (struct callgrind_edge){
			.caller = key->caller, .callee = key->callee, .file = key->file, .line = key->line
		};
	return &edges->list[number];
}

static int is_function(const struct callgrind_edges *edges, uint32_t entity)
{
	return entity != NAMES_NONE && edges->names->list[entity].is_function;
}

static void node_add(struct callgrind_edges *edges, const struct addition *a, const uint32_t *entities,
		     size_t node)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	const struct ticks *inclusive = &values_at(a->values, node)->inclusive;
	struct key key = { .caller = entities[a->thread->nodes[node].parent], .callee = entities[node] };
	struct callgrind_edge *edge;

	if (!is_function(edges, key.caller) || (!cell->calls && !inclusive->elapsed))
		return;
	place_find(edges, a, cell, &key);
	edge = edge_at(edges, &key);
	edge->calls += cell->calls;
	if (edges->on_path[key.callee])
		return;
	edge->instructions += inclusive->elapsed;
	edge->mark += inclusive->share_mark;
}

void callgrind_edges_add(void *arg, const struct addition *a)
{
	struct callgrind_edges *edges = arg;
	FREED uint32_t *entities = names_of_thread(edges->names, a->data, a->thread);
	FREED uint32_t *path = xcalloc(a->thread->n_nodes, sizeof(*path));
	size_t depth = 0;

	ARRAY_REACH_ZEROED(edges->on_path, edges->names->keys.n, edges->n_on_path);
	for (uint32_t i = 1; i < a->thread->n_nodes; i++) {
		while (depth && a->thread->nodes[path[depth - 1]].last < i)
			edges->on_path[entities[path[--depth]]]--;
		if (!is_function(edges, entities[i]) || addition_is_line(a, i))
			continue;
		node_add(edges, a, entities, i);
		edges->on_path[entities[i]]++;
		path[depth++] = i;
	}
	while (depth)
		edges->on_path[entities[path[--depth]]]--;
}

ORDER_ITEMS(compare, struct callgrind_edge, ORDER(x->caller, y->caller), strcmp(x->file ?: "", y->file ?: ""),
	    ORDER(x->line, y->line), ORDER(x->callee, y->callee))

void callgrind_edges_sort(struct callgrind_edges *edges)
{
	util_sort(edges->list, edges->keys.n, sizeof(*edges->list), compare, NULL);
}

void callgrind_edges_release(struct callgrind_edges *edges)
{
	free(edges->list);
	free(edges->on_path);
	map_release(&edges->keys);
}
