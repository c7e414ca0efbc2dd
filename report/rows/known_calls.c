/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "known_calls.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "profile.h"

static int has(const struct int_map *map, uint32_t code)
{
	return map->n && int_map_find(map, CINSTR_CODE_WORD(code)) != INT_MAP_NONE;
}

/* ---- which functions had probes out, and what these call ------------------------------------- */

static void note(struct int_map *map, uint32_t code)
{
	int is_new;

	int_map_add(map, CINSTR_CODE_WORD(code), &is_new);
}

static void find_out(struct known_calls *known, const struct data *data)
{
	const struct cinstr_budget *budget = &data->header->budget;
	size_t n = data->counters ? data->counters->n_codes : 0;

	for (size_t i = 0; i < data->n_marks; i++) {
		const struct data_mark *mark = &data->marks[i];

		if (mark->kind != CINSTR_MARK_DEMOTED && mark->kind != CINSTR_MARK_RESTORED)
			continue;
		note(&known->out, mark->site);
		if (!mark->id || (mark->id == 3 && !counters_have(data, mark->site)))
			note(&known->lost, mark->site);
	}
	for (size_t i = 0; i < n; i++)
		if (data->counters->codes[i])
			note(&known->out, data->counters->codes[i]);
	known->is_out_unknown = (budget->taken_out || budget->functions_out) &&
				(data->header->marks_lost || known->out.n < budget->functions_out);
}

static int is_timed(const struct data *data, const struct module_site *site)
{
	return data->counters && module_site_is_timed(site);
}

/* Returns whether counters tell how often the site called its callee. They do not where it calls
 * through a pointer. */
static int is_counted(const struct data *data, const struct module_site *site)
{
	return site->callee && counters_are_whole(data) && counters_have_site(data, site->code);
}

static void add_callee(struct known_calls *known, const char *name)
{
	FREED char *plain = NULL;
	int is_new;

	if (!name) {
		known->has_any_callee = 1;
		return;
	}
	map_add(&known->callees, name, strlen(name), &is_new);
	if (!is_new)
		return;
	plain = names_plain(name); /* as entities are called */
	map_add(&known->callees, plain, strlen(plain), &is_new);
}

static int is_frame(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME ||
	       CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FLAT_FRAME;
}

static void add_frame(struct known_calls *known, struct int_map *codes, struct names *names,
		      const struct data *data, const struct cinstr_cell *cell)
{
	uint32_t entity;
	int is_new;

	int_map_add(codes, cell->func, &is_new);
	if (!is_new)
		return;
	entity = names_of_cell(names, data, cell);
	ARRAY_REACH_ZEROED(known->has_frames, entity, known->n_has_frames);
	known->has_frames[entity] = 1;
}

/* A call of a function that has probes is one of those that these have seen. */
static void find_frames(struct known_calls *known, struct names *names, const struct data *data)
{
	struct int_map codes = { 0 };

	for (size_t t = 0; t < data->n_threads; t++) {
		const struct data_thread *thread = &data->threads[t];

		for (size_t i = 0; i < thread->n_nodes; i++)
			if (is_frame(thread->nodes[i].cell) && !mixed_is_estimate(thread, i))
				add_frame(known, &codes, names, data, thread->nodes[i].cell);
		for (size_t i = 0; i < thread->n_flat; i++)
			if (is_frame(thread->flat[i]))
				add_frame(known, &codes, names, data, thread->flat[i]);
	}
	int_map_release(&codes);
}

static void find_small(struct known_calls *known, const struct data *data)
{
	int is_new;

	for (size_t m = 0; m < data->modules.n; m++) {
		const struct module *module = &data->modules.list[m];

		for (size_t i = 0; i < module->n_left_out; i++) {
			const struct module_left_out *l = &module->left_out[i];

			if (l->reason == CINSTR_LEFT_OUT_SMALL && !(l->flags & CINSTR_FUNCTION_REPLACEABLE))
				map_add(&known->small, l->name, strlen(l->name), &is_new);
		}
	}
}

/* Notes who calls whom from this site, whose calls are not all known. */
static void add_edge(struct known_calls *known, struct names *names, const struct data *data,
		     const struct module *module, const struct module_site *site)
{
	const struct cinstr_cell cell = { .tag = CINSTR_CELL_CALL, .site = site->code };
	uint32_t caller = names_of_function(names, module, &module->functions[site->function]);
	int is_new;

	if (site->callee)
		int_map_add(&known->edges, int_map_pair(caller, names_of_cell(names, data, &cell)), &is_new);
}

void known_calls_begin(struct known_calls *known, struct names *names, const struct data *data)
{
	known_calls_release(known);
	find_small(known, data);
	find_out(known, data);
	known->has_any_callee = known->is_out_unknown;
	if (known->out.n)
		find_frames(known, names, data);
	for (size_t m = 0; known->out.n && m < data->modules.n; m++) {
		const struct module *module = &data->modules.list[m];

		for (size_t i = 0; i < module->n_sites; i++) {
			const struct module_site *site = &module->sites[i];

			if (!module_site_is_call(site) ||
			    !has(&known->out, module->functions[site->function].code) ||
			    is_timed(data, site) || is_counted(data, site))
				continue;
			add_callee(known, site->callee);
			add_edge(known, names, data, module, site);
		}
	}
}

void known_calls_release(struct known_calls *known)
{
	int_map_release(&known->out);
	int_map_release(&known->lost);
	int_map_release(&known->edges);
	map_release(&known->callees);
	map_release(&known->small);
	free(known->has_frames);
	*known = (struct known_calls){ 0 };
}

/* ---- decisions ------------------------------------------------------------------------------- */

static int is_nothing_out(const struct known_calls *known)
{
	return !known->out.n && !known->is_out_unknown;
}

/* Are calls counted that counted functions make? */
static int has_counted_sites(const struct data *data)
{
	return data->counters && data->counters->n_sites && counters_are_whole(data) &&
	       !data->counters->has_unknown_sites;
}

/* Are all calls of functions without probes known, from wherever they come? */
static int has_calls_without_probes(const struct known_calls *known)
{
	return is_nothing_out(known) || (!known->has_any_callee && !known->callees.n);
}

/* Are all calls by name known of the function that the cell is of? */
static int has_calls_by_name(const struct addition *a, const struct cinstr_cell *cell)
{
	uint32_t number = names_of_cell(a->profile->names, a->data, cell); /* may move the list */
	const char *name = a->profile->names->list[number].assembler;

	return name && map_find(&a->profile->known.callees, name, strlen(name)) == MAP_NONE;
}

static int is_through_pointer(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind == CINSTR_CELL_INDIRECT || (kind == CINSTR_CELL_FLAT_CALL && cell->func);
}

/* ... of this one? */
static int has_calls_of(const struct addition *a, const struct cinstr_cell *cell)
{
	const struct known_calls *known = &a->profile->known;

	if (has_calls_without_probes(known))
		return 1;
	/* a row of many functions has calls of those, too, that are not seen here */
	if (a->profile->by == BY_MODULE && !a->is_by_function)
		return 0;
	if (has_counted_sites(a->data) ? is_through_pointer(cell) : known->has_any_callee)
		return 0;
	return has_calls_by_name(a, cell);
}

static int is_out(const struct known_calls *known, uint32_t code)
{
	return known->is_out_unknown || has(&known->out, code);
}

static const struct module_site *site_of(const struct data *data, uint32_t code,
					 const struct module_function **function)
{
	const struct module *module = code ? modules_by_code(&data->modules, code) : NULL;
	const struct module_site *site = module ? module_site(module, code) : NULL;

	*function = site ? &module->functions[site->function] : NULL;
	return site;
}

/* Is it a call of a function whose activations were seen, or counted? */
static int has_frames(const struct addition *a, const struct cinstr_cell *cell)
{
	const struct known_calls *known = &a->profile->known;
	uint32_t entity = known->n_has_frames ? names_of_cell(a->profile->names, a->data, cell) : 0;

	return entity < known->n_has_frames && known->has_frames[entity];
}

/* Did who calls have all probes, all the time? */
static int has_caller(const struct addition *a, const struct cinstr_cell *cell, size_t node)
{
	const struct known_calls *known = &a->profile->known;
	const struct module_function *caller;
	const struct module_site *site = site_of(a->data, cell->site, &caller);
	const struct cinstr_cell *above;

	if (site)
		return !is_out(known, caller->code) || (!is_frame(cell) && is_timed(a->data, site));
	if (node == KNOWN_CALLS_FLAT)
		return is_nothing_out(known);
	above = a->thread->nodes[a->thread->nodes[node].parent].cell;
	return CINSTR_CELL_KIND(above->tag) != CINSTR_CELL_FRAME || !is_out(known, above->func);
}

/* Was all that called it, on the way from the root, never left out of the tree? */
static int has_path(const struct addition *a, size_t node)
{
	for (size_t above = a->thread->nodes[node].parent; above; above = a->thread->nodes[above].parent) {
		const struct cinstr_cell *cell = a->thread->nodes[above].cell;

		if (is_frame(cell) &&
		    (counters_have(a->data, cell->func) || has(&a->profile->known.lost, cell->func)))
			return 0;
	}
	return 1;
}

/* By who calls, on which path, from which site, counters tell nothing. */
static int is_frame_known(const struct addition *a, const struct cinstr_cell *cell, int is_by_caller)
{
	if (has(&a->profile->known.lost, cell->func))
		return 0;
	return !counters_have(a->data, cell->func) || (a->profile->counted.n && !is_by_caller);
}

/* Is it a call of a function that was left out as small? */
static int is_small(const struct addition *a, const struct cinstr_cell *cell)
{
	const struct known_calls *known = &a->profile->known;
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	const struct entity *e;
	uint32_t number;

	if (!known->small.n || (kind != CINSTR_CELL_CALL && !is_through_pointer(cell)))
		return 0;
	number = names_of_cell(a->profile->names, a->data, cell); /* may move the list */
	e = &a->profile->names->list[number];
	return e->assembler && map_find(&known->small, e->assembler, strlen(e->assembler)) != MAP_NONE;
}

/* A call by name: were all of them counted where they were not timed, those of the site, or of the
 * function? */
static int is_counted_by_name(const struct addition *a, const struct cinstr_cell *cell, size_t node,
			      int is_by_caller)
{
	if (!has_counted_sites(a->data))
		return 0;
	/* samples know an address: it tells nothing of how the function was called */
	if (!is_by_caller && node != KNOWN_CALLS_FLAT && mixed_is_estimate(a->thread, node))
		return counted_calls_by_name(a, cell) && has_calls_by_name(a, cell);
	if (is_through_pointer(cell))
		return 0;
	if (is_by_caller && cell->site)
		return counters_have_site(a->data, cell->site);
	return has_calls_of(a, cell);
}

/* Returns whether all calls of a merged item are known: each process's merging has noted it. */
static int is_known_in_all(const struct addition *a, const struct merged_item *item, enum calls_by by)
{
	static const uint8_t bounds[] = { [CALLS_BY_FUNCTION] = CINSTR_MERGED_BOUND_FUNCTION,
					  [CALLS_BY_CALLER] = CINSTR_MERGED_BOUND_CALLER,
					  [CALLS_BY_PATH] = CINSTR_MERGED_BOUND_PATH };
	uint8_t bit = bounds[by];

	if (by == CALLS_BY_FUNCTION && a->profile->by == BY_MODULE && !a->is_by_function)
		bit = CINSTR_MERGED_BOUND_MODULE;
	return !(item->bounds & bit);
}

int known_calls_are_all_by(const struct addition *a, const struct cinstr_cell *cell, size_t node,
			   enum calls_by by)
{
	int is_by_path = by == CALLS_BY_PATH && node != KNOWN_CALLS_FLAT,
	    is_by_caller = by == CALLS_BY_CALLER;
	const struct merged_item *item = merged_head_of(a->data->merged, cell);

	if (a->data->executed && CINSTR_CELL_KIND(cell->tag) == SAMPLES_CELL_FUNCTION)
		return 1; /* as its own code has counted them */
	if (is_small(a, cell))
		return 0;
	if (item)
		return is_known_in_all(a, item, by);
	if (is_nothing_out(&a->profile->known))
		return 1;
	if (data_cell_is_line(cell)) /* it has no name of its own; who has the line is above */
		return has_caller(a, cell, node);
	if (!is_frame(cell) && !is_by_path && is_counted_by_name(a, cell, node, is_by_caller))
		return 1;
	if (!is_frame(cell) && node != KNOWN_CALLS_FLAT && mixed_is_estimate(a->thread, node)) {
		if (is_by_path || !has_frames(a, cell))
			return 0;
		return is_by_caller ? has_caller(a, cell, node) : 1;
	}
	if (is_frame(cell) && !is_frame_known(a, cell, is_by_caller || is_by_path))
		return 0;
	if (is_by_path && !has_path(a, node))
		return 0;
	if (is_by_caller || is_by_path)
		return has_caller(a, cell, node) || (is_frame(cell) && is_by_path);
	return is_frame(cell) || counted_calls_of_entries(a, cell) || has_frames(a, cell) ||
	       has_calls_of(a, cell);
}

int known_calls_are_all(const struct addition *a, const struct cinstr_cell *cell, size_t node)
{
	return known_calls_are_all_by(a, cell, node,
				      a->profile->by == BY_PATH			   ? CALLS_BY_PATH
				      : a->is_by_edge || a->profile->by == BY_SITE ? CALLS_BY_CALLER
										   : CALLS_BY_FUNCTION);
}

int known_calls_are_all_on_path(const struct addition *a, const struct cinstr_cell *cell, size_t node)
{
	return known_calls_are_all_by(a, cell, node, CALLS_BY_PATH);
}

/* Do counters of sites tell how often what the row is of was called? */
static int sites_tell(const struct addition *a, const struct row *row, size_t node)
{
	return has_counted_sites(a->data) && a->profile->by != BY_PATH && a->profile->by != BY_MODULE &&
	       node != KNOWN_CALLS_FLAT && counted_calls_are_known(a, row, node);
}

void known_calls_note(const struct addition *a, struct row *row, const struct cinstr_cell *cell, size_t node)
{
	if (!row->are_calls_least && !sites_tell(a, row, node))
		row->are_calls_least = !known_calls_are_all(a, cell, node);
}

void known_calls_note_place(const struct addition *a, struct row *row, size_t node)
{
	if (!row->are_calls_least && !sites_tell(a, row, node))
		row->are_calls_least =
			!known_calls_are_all_by(a, a->thread->nodes[node].cell, node, CALLS_BY_CALLER);
}

int known_calls_are_whole(const struct addition *a)
{
	const struct known_calls *known = &a->profile->known;

	if (a->data->merged)
		return !a->data->merged->totals.calls_least;
	return has_calls_without_probes(known) && !known->lost.n &&
	       !(a->data->counters && a->data->counters->n_codes && !a->profile->counted.n);
}

void known_calls_note_whole(const struct addition *a, struct row *row)
{
	row->are_calls_least |= !known_calls_are_whole(a);
}

int known_calls_has_unknown_sites(const struct addition *a)
{
	return !is_nothing_out(&a->profile->known) && !has_counted_sites(a->data);
}

int known_calls_are_all_timed(const struct addition *a)
{
	return is_nothing_out(&a->profile->known);
}
