/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "caller_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"

#define NEAR_SHOWN 8

/* ---- rows while data are added --------------------------------------------------------------- */

/* What makes a row: a root has EDGE_NO_CALLER. The last three: the place that calls, with
 * by_call_site. */
struct edge_key {
	uint32_t caller, callee;
	uint32_t site_function;
	uint32_t address_low, address_high;
};

static struct row *key_row(struct profile *profile, const struct edge_key *key, int *is_new)
{
	uint32_t number = (uint32_t)map_add(&profile->keys, key, sizeof(*key), is_new);
	struct row *row = profile_row(profile, number);

	if (*is_new) {
		const struct entity *e = &profile->names->list[key->callee];

		row->entity = key->callee;
		row->caller = key->caller;
		row->name = e->name;
		row->module = e->module;
		row->file = entity_told_file(e);
		row->line = entity_told_line(e);
	}
	return row;
}

uint32_t caller_rows_root_row(struct profile *profile, uint32_t entity)
{
	struct edge_key key = { .caller = EDGE_NO_CALLER, .callee = entity };
	int is_new;

	if (!profile->names->list[entity].is_function)
		return ROW_NONE;
	return (uint32_t)(key_row(profile, &key, &is_new) - profile->rows);
}

static const struct module_site *site_of(const struct data *data, uint32_t code, const struct module **module)
{
	*module = code ? modules_by_code(&data->modules, code) : NULL;
	return *module ? module_site(*module, code) : NULL;
}

static void row_place(struct profile *profile, struct row *row, const struct module *module,
		      const struct module_site *site, uint32_t site_function)
{
	const struct module_function *f = &module->functions[site->function];
	STRBUF(address);

	strbuf_printf(&address, "0x%llx", (unsigned long long)module_site_instruction(site));
	row->address = map_keep(&profile->strings, address.text);
	row->file = site->file ? names_file(profile->names, f->comp_dir, site->file)
			       : profile->names->list[site_function].file;
	row->line = site->line;
}

/* The same in a sampled process. */
static uint32_t sampled_edge_make(struct profile *profile, const struct data *data, uint32_t caller,
				  uint32_t callee, uint32_t site)
{
	const struct sampled_place *place = samples_place(data, site);
	struct edge_key key = { .caller = caller, .callee = callee };
	struct strbuf address = { 0 };
	struct row *row;
	int is_new;

	if (place) {
		key.site_function = caller;
		key.address_low = (uint32_t)place->address;
		key.address_high = (uint32_t)(place->address >> 32);
	}
	row = key_row(profile, &key, &is_new);
	if (is_new) {
		row->file = place && place->file ? map_keep(&profile->strings, place->file) : NULL;
		row->line = place ? place->line : 0;
	}
	if (is_new && place) {
		strbuf_printf(&address, "0x%llx", (unsigned long long)place->address);
		row->address = map_keep(&profile->strings, address.text);
		strbuf_release(&address);
	}
	return (uint32_t)(row - profile->rows);
}

static uint32_t edge_make(struct profile *profile, const struct data *data, uint32_t caller, uint32_t callee,
			  uint32_t site_code)
{
	struct edge_key key = { .caller = caller, .callee = callee };
	const struct module *module = NULL;
	const struct module_site *site = profile->by_call_site ? site_of(data, site_code, &module) : NULL;
	struct row *row;
	int is_new;

	if (site) {
		uint64_t address = module_site_instruction(site);

		key.site_function =
			names_of_function(profile->names, module, &module->functions[site->function]);
		key.address_low = (uint32_t)address;
		key.address_high = (uint32_t)(address >> 32);
	}
	row = key_row(profile, &key, &is_new);
	if (is_new && profile->by_call_site)
		row->file = NULL, row->line = 0;
	if (is_new && site)
		row_place(profile, row, module, site, key.site_function);
	if (is_new && site) {
		names_know_build(profile->names, module);
		row->place = key.site_function;
		row->is_indirect = !site->callee;
	}
	return (uint32_t)(row - profile->rows);
}

/* Where a call site is takes long to find: within a process it is remembered by its code. */
static uint32_t edge_row(struct profile *profile, const struct data *data, uint32_t caller, uint32_t callee,
			 uint32_t site_code)
{
	uint32_t key[3] = { caller, callee, site_code };
	size_t number;
	int is_new;

	if (!profile->by_call_site)
		return edge_make(profile, data, caller, callee, 0);
	number = map_add(&profile->codes, key, sizeof(key), &is_new);
	ARRAY_REACH(profile->row_of_code, number, profile->n_row_of_code);
	if (is_new)
		profile->row_of_code[number] =
			data->sampled ? sampled_edge_make(profile, data, caller, callee, site_code)
				      : edge_make(profile, data, caller, callee, site_code);
	return profile->row_of_code[number];
}

static uint32_t merged_entity(struct profile *profile, const struct data *data)
{
	static const struct cinstr_cell merged = { .tag = CINSTR_CELL_MERGED };

	return names_of_cell(profile->names, data, &merged);
}

/* Of a call beyond the budget of paths its site tells the caller; what has none was called by code
 * without probes. */
static uint32_t flat_edge_row(struct profile *profile, const struct data *data,
			      const struct cinstr_cell *cell, uint32_t entity)
{
	const struct module *module;
	const struct module_site *site = site_of(data, cell->site, &module);
	uint32_t caller = site ? names_of_function(profile->names, module, &module->functions[site->function])
			       : merged_entity(profile, data);

	return edge_row(profile, data, caller, entity, site ? cell->site : 0);
}

/* Whether FLAT cells are by call site: older runtimes made one for each function. */
static int has_flat_sites(const struct data_thread *thread)
{
	for (size_t i = 0; i < thread->n_flat; i++)
		if (CINSTR_CELL_KIND(thread->flat[i]->tag) == CINSTR_CELL_FLAT_FRAME && thread->flat[i]->site)
			return 1;
	return 0;
}

static struct ticks rest(const struct ticks *whole, const struct ticks *part)
{
	struct ticks left = *whole;

	values_subtract(&left, part);
	return left;
}

/* What it called beyond the budget of paths is not known, only how long that took. */
static void add_beyond(const struct addition *a)
{
	struct node_values *values = values_make_flat(a->data, a->thread, &a->profile->counting);
	uint32_t merged = a->thread->n_flat ? merged_entity(a->profile, a->data) : 0;

	for (size_t i = 0; i < a->thread->n_flat; i++) {
		const struct cinstr_cell *cell = a->thread->flat[i];
		uint32_t entity = names_of_cell(a->profile->names, a->data, cell);
		uint32_t number = edge_row(a->profile, a->data, entity, merged, 0);

		values[i].inclusive = rest(&values[i].inclusive, &values[i].exclusive);
		addition_inclusive(a, number, &values[i].inclusive);
		a->profile->rows[number].calls += cell->flat_calls;
		known_calls_note(a, &a->profile->rows[number], cell, KNOWN_CALLS_FLAT);
	}
	free(values);
}

static int is_line(const struct data_node *node)
{
	return data_cell_is_line(node->cell);
}

/* What a counted function calls hangs below who was timed: the site tells who it was. */
static uint32_t caller_entity(const struct addition *a, size_t node)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	uint32_t above = a->entities[a->thread->nodes[node].parent];
	const struct module *module = NULL;
	const struct module_site *site;

	if (!cell->site || !a->data->counters || above == NAMES_NONE)
		return above;
	site = site_of(a->data, cell->site, &module);
	if (!site || !counters_have(a->data, module->functions[site->function].code))
		return above;
	return names_of_function(a->profile->names, module, &module->functions[site->function]);
}

/* with_merged: what lies in MERGED nodes is not in rows of the FLAT cells. */
static void edge_rows(struct addition *a, int with_merged)
{
	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		const struct data_node *node = &a->thread->nodes[i];
		int is_merged = CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_MERGED;

		/* NAMES_NONE: a root */
		if (a->entities[i] == NAMES_NONE || (is_merged && !with_merged))
			a->rows[i] = ROW_NONE;
		else if (is_line(node))
			a->rows[i] = a->rows[node->parent];
		else
			a->rows[i] = edge_row(a->profile, a->data, caller_entity(a, i), a->entities[i],
					      node->cell->site);
	}
}

/*
 * Marks the edges whose callee or caller is on the path already: what the edge's caller or callee
 * has there, it has elsewhere, too.
 */
static void mark_recursion(const struct addition *a)
{
	FREED uint32_t *on_path = xcalloc(a->profile->names->keys.n + 1, sizeof(*on_path));
	FREED uint32_t *path = xcalloc(a->thread->n_nodes, sizeof(*path));
	size_t depth = 0;

	for (uint32_t i = 1; i < a->thread->n_nodes; i++) {
		const struct data_node *node = &a->thread->nodes[i];

		while (depth && a->thread->nodes[path[depth - 1]].last < i)
			on_path[a->entities[path[--depth]]]--;
		if (is_line(node) || a->rows[i] == ROW_NONE)
			continue;
		if (on_path[a->entities[i]]++)
			a->profile->rows[a->rows[i]].is_recursive |= RECURSIVE_CALLEE;
		if (a->entities[node->parent] != NAMES_NONE && on_path[a->entities[node->parent]] > 1)
			a->profile->rows[a->rows[i]].is_recursive |= RECURSIVE_CALLER;
		path[depth++] = i;
	}
}

void caller_rows_add(struct addition *a)
{
	int by_site = has_flat_sites(a->thread);

	a->row_of_flat = flat_edge_row;
	a->is_by_edge = 1;
	a->has_flat_lengths = 0;
	edge_rows(a, !by_site);
	mark_recursion(a);
	addition_sum(a);
	thread_facts_add(a);
	if (!by_site)
		add_beyond(a);
}

/* ---- the rows to show ------------------------------------------------------------------------ */

static int is_exactly(const struct entity *entity, const char *wanted)
{
	return !strcmp(entity->name, wanted);
}

static int is_shown(const struct row *row)
{
	return row->calls || row->sums.elapsed_inclusive > 0;
}

ORDER_POINTERS(by_inclusive, struct row, ORDER(y->sums.elapsed_inclusive, x->sums.elapsed_inclusive),
	       strcmp(x->name, y->name))

static size_t find_roots(const struct profile *profile, const char *wanted, const struct row **roots)
{
	static int (*const rules[])(const struct entity *, const char *) = { is_exactly, names_is_short,
									     names_matches };
	size_t n = 0;

	for (size_t rule = 0; !n && rule < ARRAY_SIZE(rules); rule++)
		for (size_t i = 0; i < profile->n_rows; i++) {
			const struct row *row = &profile->rows[i];

			if (row->caller == EDGE_NO_CALLER && row->name && is_shown(row) &&
			    rules[rule](&profile->names->list[row->entity], wanted))
				roots[n++] = row;
		}
	util_sort(roots, n, sizeof(*roots), by_inclusive, NULL);
	return n;
}

static void put_near(struct strbuf *text, const struct row *row)
{
	strbuf_puts(text, text->length ? ", " : "");
	strbuf_visible(text, row->name);
}

/* Functions whose names hold what was wanted, or the one that looks most like it. */
static void put_candidates(struct strbuf *text, const struct profile *profile, const char *wanted)
{
	FREED const char **names = xcalloc(profile->n_rows + 1, sizeof(*names));
	const char *closest;
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];

		if (row->caller != EDGE_NO_CALLER || !row->name || !is_shown(row))
			continue;
		names[n++] = row->name;
		if (strcasestr(row->name, wanted) && shown++ < NEAR_SHOWN)
			put_near(text, row);
	}
	closest = shown ? NULL : util_closest(wanted, names, n);
	if (closest)
		strbuf_visible(text, closest);
}

static void say_no_match(const struct profile *profile, const struct caller_rows_wish *wish)
{
	STRBUF(near);
	const char *wanted = util_shown(wish->function), *session = util_shown(wish->session);

	strbuf_clear(&near);
	put_candidates(&near, profile, wish->function);
	error("%s: no function '%s' was %s%s%s", session, wanted, profile_measure(profile)->happened,
	      near.length ? "; there is " : "; cinstr report lists them", near.text);
}

/* In a loop of tail calls (R15) it is the first function; with by_call_site its place tells who
 * jumped. */
static uint32_t caller_of(const struct row *edge)
{
	return edge->tail_calls && edge->place != NAMES_NONE ? edge->place : edge->caller;
}

/* An edge as a row of its callee or its caller, with the other one's name. */
static void add_edge(struct profile *profile, const struct row *edge, const struct row *root,
		     enum relation relation)
{
	struct row *row = profile_row_copy(profile, edge);
	uint32_t caller;

	row->relation = relation;
	row->root = root->entity;
	row->root_function = root->name;
	row->is_recursive =
		relation == RELATION_ROOT ? 0
		: edge->caller == edge->entity
			? 1
			: (edge->is_recursive &
			   (relation == RELATION_CALLER ? RECURSIVE_CALLEE : RECURSIVE_CALLER)) != 0;
	if (relation != RELATION_CALLER)
		return;
	caller = caller_of(edge);
	row->entity = caller;
	row->name = EDGE_OUTSIDE;
	row->module = "";
	if (!profile->by_call_site)
		row->file = NULL, row->line = 0;
	if (caller == NAMES_NONE)
		return;
	row->name = profile->names->list[caller].name;
	row->module = profile->names->list[caller].module;
	if (!profile->by_call_site) {
		row->file = profile->names->list[caller].file;
		row->line = profile->names->list[caller].line;
	}
}

static void add_edges(struct profile *profile, const struct row *all, size_t n, const struct row *root,
		      enum relation relation)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &all[i];

		if (row->caller == EDGE_NO_CALLER || !row->name || !is_shown(row))
			continue;
		if ((relation == RELATION_CALLER ? row->entity : row->caller) == root->entity)
			add_edge(profile, row, root, relation);
	}
}

size_t caller_rows_select(struct profile *profile, const struct caller_rows_wish *wish)
{
	const struct row **roots = xcalloc(profile->n_rows, sizeof(*roots));
	size_t n_roots = find_roots(profile, wish->function, roots), n = profile->n_rows;
	struct row *all = profile->rows;

	if (!n_roots) {
		say_no_match(profile, wish);
		free(roots);
		return 0;
	}
	profile->rows = NULL;
	profile->n_rows = profile->size_rows = 0;
	for (size_t i = 0; i < n_roots && i < wish->functions; i++) {
		add_edges(profile, all, n, roots[i], RELATION_CALLER);
		add_edge(profile, roots[i], roots[i], RELATION_ROOT);
		add_edges(profile, all, n, roots[i], RELATION_CALLEE);
	}
	free(roots);
	rows_release(all, n);
	return n_roots;
}

/* ---- from one function to another ------------------------------------------------------------ */

void caller_rows_begin(struct caller_rows *edges, struct profile *profile)
{
	*edges = (struct caller_rows){ profile->rows, profile->n_rows };
	profile->rows = NULL;
	profile->n_rows = profile->size_rows = 0;
}

int caller_rows_show(const struct caller_rows *edges, struct profile *profile, uint32_t entity)
{
	const struct row *root = NULL;

	rows_release(profile->rows, profile->n_rows);
	profile->rows = NULL;
	profile->n_rows = profile->size_rows = 0;
	for (size_t i = 0; i < edges->n && !root; i++)
		if (edges->all[i].caller == EDGE_NO_CALLER && edges->all[i].entity == entity &&
		    edges->all[i].name && is_shown(&edges->all[i]))
			root = &edges->all[i];
	if (!root)
		return -1;
	add_edges(profile, edges->all, edges->n, root, RELATION_CALLER);
	add_edge(profile, root, root, RELATION_ROOT);
	add_edges(profile, edges->all, edges->n, root, RELATION_CALLEE);
	return 0;
}

void caller_rows_release(struct caller_rows *edges)
{
	rows_release(edges->all, edges->n);
}
