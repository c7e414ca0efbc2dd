/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inside.c - finds which calls of the program a library's function was executed for, where nothing
 * but a sample's address is known (join.h). The library's machine code tells which functions lead
 * there; counters tell how often the program's code has called each of them. Of several that lead
 * there each has a part of the samples, by its calls: a fourth of a call for each function in
 * between, as most calls do not go down that far.
 */
#include <stdlib.h>
#include <string.h>

#include "file/counters.h"
#include "join.h"
#include "lib/array.h"
#include "symbols/code_calls.h"
#include "symbols/symbols.h"

#define LEVELS 7	/* functions in between, at most */
#define VISITS_MAX 4096 /* functions that are looked at */
#define SHIFT 2		/* a level divides the weight by four */
#define LEAST_PART 10	/* of all weights; less is not the reason for a sample */
#define NAMED_IS_SURE 1000

struct library {
	struct symbols *symbols;
	const struct code_calls *calls; /* NULL: the module has probes, or there is no file */
};

/* A library's function that the program calls by name. */
struct entry {
	const char *callee;
	uint64_t address;
	uint64_t n; /* calls */
};

struct inside {
	struct library *libraries; /* by module */
	struct int_map keys;	   /* (module, function) -> index in entries */
	struct entry *entries;
	size_t size_entries;
	struct int_map found_keys; /* (module, function) -> index in found */
	struct inside_found **found;
	size_t size_found;
	struct int_map places; /* of samples of several callees -> index in of_place */
	struct inside_found **of_place;
	size_t size_of_place;
};

/* ---- what the program calls ------------------------------------------------------------------ */

static void libraries_open(struct inside *inside, const struct modules *modules)
{
	inside->libraries = xcalloc(modules->n + 1, sizeof(*inside->libraries));
	for (size_t i = 0; i < modules->n; i++) {
		const struct module *module = &modules->list[i];
		const struct cinstr_module *raw = module->raw;
		size_t n = raw->build_id_bytes <= sizeof(raw->build_id) ? raw->build_id_bytes : 0;
		struct library *library = &inside->libraries[i];

		if (module->n_functions)
			continue;
		library->symbols = symbols_shared(-1, module->path, raw->build_id, n);
		library->calls = library->symbols ? symbols_calls(library->symbols) : NULL;
	}
}

static void entry_add(struct inside *inside, const struct modules *modules, size_t module, uint64_t link,
		      const struct entry *entry)
{
	uint32_t function = code_calls_function(inside->libraries[module].calls, link), number;
	int is_new;

	if (function == CODE_CALLS_NONE)
		return;
	number = int_map_add(&inside->keys, int_map_pair((uint32_t)module, function), &is_new);
	ARRAY_ROOM(inside->entries, number, inside->size_entries, 64);
	if (is_new)
		inside->entries[number] =
			(struct entry){ entry->callee, link + modules->list[module].raw->base, 0 };
	inside->entries[number].n += entry->n;
}

/* Returns the index of a library with a function of this name, and sets *link; n, the number of
 * modules: none has one. */
static size_t library_with(const struct inside *inside, size_t n, const char *callee, uint64_t *link)
{
	size_t i = 0;

	for (; i < n; i++) {
		*link = inside->libraries[i].calls ? symbols_address(inside->libraries[i].symbols, callee)
						   : 0;
		if (*link)
			break;
	}
	return i;
}

/* The calls of each callee's sites, by its name. */
struct callees {
	struct map names;
	struct int_map sites; /* code -> index in of_site */
	uint32_t *of_site;    /* number of the callee's name; UINT32_MAX: the function has probes */
	size_t size_of_site;
	struct entry *list; /* by name */
	size_t size;
};

static uint32_t callee_of(struct callees *callees, const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_site *site = module ? module_site(module, code) : NULL;
	uint32_t number;
	int is_new;

	if (!site || !site->callee ||
	    module_function_named(module, site->callee, module->functions[site->function].file))
		return UINT32_MAX;
	number = (uint32_t)map_add(&callees->names, site->callee, strlen(site->callee), &is_new);
	ARRAY_ROOM(callees->list, number, callees->size, 64);
	if (is_new)
		callees->list[number] = (struct entry){ .callee = site->callee };
	return number;
}

static void site_add(struct callees *callees, const struct data *data, uint32_t code, uint64_t n)
{
	int is_new;
	uint32_t number = int_map_add(&callees->sites, code, &is_new);

	ARRAY_ROOM(callees->of_site, number, callees->size_of_site, 1024);
	if (is_new)
		callees->of_site[number] = callee_of(callees, data, code);
	if (callees->of_site[number] != UINT32_MAX)
		callees->list[callees->of_site[number]].n += n;
}

static void sites_counted(struct callees *callees, const struct data *data)
{
	for (size_t t = 0; t < data->n_threads; t++) {
		size_t n;
		const struct data_counter *list = counters_of_thread(data, &data->threads[t], &n);

		for (size_t i = 0; i < n; i++)
			if (counter_is_site(list[i].code))
				site_add(callees, data, list[i].code, list[i].n);
	}
}

/* Samples in calls that were timed mostly have an interval; those that have not are theirs, too. */
static void sites_timed(struct callees *callees, const struct data *data)
{
	for (size_t t = 0; t < data->n_threads; t++)
		for (size_t i = 1; i < data->threads[t].n_nodes; i++) {
			const struct cinstr_cell *cell = data->threads[t].nodes[i].cell;

			if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL)
				site_add(callees, data, cell->site, cell->calls);
		}
}

static void entries_make(struct inside *inside, const struct data *data)
{
	struct callees callees = { 0 };

	sites_counted(&callees, data);
	sites_timed(&callees, data);
	for (size_t i = 0; i < callees.names.n; i++) {
		uint64_t link;
		size_t library = library_with(inside, data->modules.n, callees.list[i].callee, &link);

		if (library < data->modules.n && callees.list[i].n)
			entry_add(inside, &data->modules, library, link, &callees.list[i]);
	}
	map_release(&callees.names);
	int_map_release(&callees.sites);
	free(callees.of_site);
	free(callees.list);
}

static struct inside *inside_of(struct join *join)
{
	if (join->inside || !join->data->counters)
		return join->inside;
	join->inside = xcalloc(1, sizeof(*join->inside));
	libraries_open(join->inside, &join->data->modules);
	entries_make(join->inside, join->data);
	return join->inside;
}

void inside_release(struct join *join)
{
	struct inside *inside = join->inside;

	if (!inside)
		return;
	free(inside->libraries);
	int_map_release(&inside->keys);
	free(inside->entries);
	for (size_t i = 0; i < inside->found_keys.n; i++)
		free(inside->found[i]);
	int_map_release(&inside->found_keys);
	free(inside->found);
	int_map_release(&inside->places);
	free(inside->of_place);
	free(inside);
	join->inside = NULL;
}

/* ---- who leads there ------------------------------------------------------------------------- */

struct visit {
	uint32_t module, function;
	unsigned level;
};

struct search {
	struct join *join;
	struct int_map seen;
	struct visit list[VISITS_MAX];
	size_t n;
	struct inside_part parts[INSIDE_PARTS]; /* the largest weights first */
	size_t n_parts;
	uint64_t all;
};

static void visit_add(struct search *s, uint32_t module, uint32_t function, unsigned level)
{
	int is_new;

	int_map_add(&s->seen, int_map_pair(module, function), &is_new);
	if (is_new && s->n < VISITS_MAX)
		s->list[s->n++] = (struct visit){ module, function, level };
}

static void callers_add(struct search *s, uint32_t module, const struct code_call *calls, size_t n,
			unsigned level)
{
	for (size_t i = 0; i < n; i++)
		visit_add(s, module, calls[i].from, level);
}

/* Other libraries call the function by each of its names. */
static void importers_add(struct search *s, const struct visit *visit, const struct library *library)
{
	const struct library *libraries = s->join->inside->libraries;
	uint64_t address = library->calls->functions->list[visit->function].begin;
	const char *name;

	for (size_t i = 0; (name = symbols_name_at(library->symbols, address, i)); i++)
		for (uint32_t m = 0; m < s->join->data->modules.n; m++) {
			size_t n;
			const struct code_call *calls =
				libraries[m].calls && m != visit->module
					? code_calls_of_import(libraries[m].calls, name, &n)
					: NULL;

			if (calls)
				callers_add(s, m, calls, n, visit->level + 1);
		}
}

static void part_add(struct search *s, const struct entry *entry, unsigned level)
{
	struct inside_part part = { .callee = entry->callee,
				    .address = entry->address,
				    .weight = (entry->n << SHIFT * LEVELS) >> SHIFT * level,
				    .place = JOIN_NONE };
	size_t at = s->n_parts < INSIDE_PARTS ? s->n_parts++ : INSIDE_PARTS;

	s->all += part.weight;
	for (; at && s->parts[at - 1].weight < part.weight; at--)
		if (at < INSIDE_PARTS)
			s->parts[at] = s->parts[at - 1];
	if (at < INSIDE_PARTS)
		s->parts[at] = part;
}

static void visit_make(struct search *s, const struct visit *visit)
{
	const struct inside *inside = s->join->inside;
	const struct library *library = &inside->libraries[visit->module];
	uint32_t number = int_map_find(&inside->keys, int_map_pair(visit->module, visit->function));
	size_t n;
	const struct code_call *calls;

	if (number != INT_MAP_NONE)
		part_add(s, &inside->entries[number], visit->level);
	if (visit->level == LEVELS)
		return;
	calls = code_calls_of(library->calls, visit->function, &n);
	callers_add(s, visit->module, calls, n, visit->level + 1);
	importers_add(s, visit, library);
}

/* Whether calls that nothing has counted may be of the callee. */
static int is_called_uncounted(const struct join *join, const char *callee)
{
	const struct modules *modules = &join->data->modules;

	for (size_t m = 0; m < modules->n; m++)
		for (size_t i = 0; i < modules->list[m].n_sites; i++) {
			const struct module_site *site = &modules->list[m].sites[i];

			if (site->callee && !strcmp(site->callee, callee) &&
			    !counters_have_site(join->data, site->code) &&
			    level_has_changed(join, modules->list[m].functions[site->function].code))
				return 1;
		}
	return 0;
}

/* A function that is called by the name it has is what the program calls, but for one that is
 * called next to never. */
static int is_named(const struct search *s, const char *callee)
{
	uint64_t n = 0, most = 0;

	if (callee && is_called_uncounted(s->join, callee))
		return 1;
	for (size_t i = 0; callee && i < s->n_parts; i++)
		if (!strcmp(s->parts[i].callee, callee))
			n = s->parts[i].weight;
		else if (s->parts[i].weight > most)
			most = s->parts[i].weight;
	return n && n * NAMED_IS_SURE >= most;
}

/* Leaves out what has a small part. */
static size_t parts_large(const struct search *s)
{
	size_t n = 0;

	while (n < s->n_parts && s->parts[n].weight && s->parts[n].weight >= s->all / LEAST_PART)
		n++;
	return n;
}

/* Finds what leads to the function, or to the one of the callee's name. */
static struct inside_found *found_make(struct join *join, uint32_t module, const uint32_t functions[2],
				       const char *callee)
{
	struct search *s = xcalloc(1, sizeof(*s));
	struct inside_found *found = xcalloc(1, sizeof(*found));

	s->join = join;
	for (int i = 0; i < 2; i++)
		if (functions[i] != CODE_CALLS_NONE)
			visit_add(s, module, functions[i], 0);
	for (size_t i = 0; i < s->n; i++)
		visit_make(s, &s->list[i]);
	if (!is_named(s, callee))
		found->n = parts_large(s);
	memcpy(found->parts, s->parts, found->n * sizeof(*found->parts));
	int_map_release(&s->seen);
	free(s);
	return found;
}

struct inside_found *inside_find(struct join *join, const struct module *module, uint64_t link,
				 const char *callee, uint64_t callee_link)
{
	struct inside *inside = inside_of(join);
	uint32_t at = (uint32_t)(module - join->data->modules.list), number;
	const struct code_calls *calls = inside ? inside->libraries[at].calls : NULL;
	uint32_t functions[2];
	int is_new;

	functions[0] = calls ? code_calls_function(calls, link) : CODE_CALLS_NONE;
	if (functions[0] == CODE_CALLS_NONE)
		return NULL;
	functions[1] = callee_link ? code_calls_function(calls, callee_link) : CODE_CALLS_NONE;
	number = int_map_add(&inside->found_keys, int_map_pair(at, functions[0]), &is_new);
	ARRAY_ROOM(inside->found, number, inside->size_found, 16);
	if (is_new)
		inside->found[number] = found_make(join, at, functions, callee);
	return inside->found[number]->n ? inside->found[number] : NULL;
}

/* ---- samples of several callees -------------------------------------------------------------- */

void inside_divide(struct join *join, uint32_t place, struct inside_found *found)
{
	int is_new;
	uint32_t number = int_map_add(&join->inside->places, place, &is_new);

	ARRAY_ROOM(join->inside->of_place, number, join->inside->size_of_place, 16);
	join->inside->of_place[number] = found;
}

uint32_t inside_next(const struct join *join, uint32_t place)
{
	uint32_t number = join->inside ? int_map_find(&join->inside->places, place) : INT_MAP_NONE;
	struct inside_part *next;
	struct inside_found *found;

	if (number == INT_MAP_NONE)
		return place;
	found = join->inside->of_place[number];
	next = &found->parts[0];
	for (size_t i = 1; i < found->n; i++) {
		struct inside_part *part = &found->parts[i];

		if ((long double)part->weight * (long double)(next->given + 1) >
		    (long double)next->weight * (long double)(part->given + 1))
			next = part;
	}
	next->given++;
	return next->place;
}
