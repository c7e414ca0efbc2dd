/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_order.c - an order of the functions of one module for its linker: names as the assembler
 * has them, for lld; patterns of sections for gold; a part of a linker script for GNU ld.
 *
 * First come the functions whose first call is known, in that order, thread after thread
 * (symbol_firsts.h). The others, which were only counted or sampled, come behind them, by who calls
 * whom (call_clusters.h). With --order=callers all are in that second order.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "call_clusters.h"
#include "export_tree.h"
#include "lib/array.h"
#include "symbol_firsts.h"

#define NONE UINT32_MAX
#define SHOWN_NAMES 3
#define BFD_BYTES 60 /* of a line, about, beside three times the name */

enum { LINKER_LLD, LINKER_GOLD, LINKER_BFD };
enum { ORDER_FIRST_CALL, ORDER_CALLERS };

/* A name that the linker knows: of a function, or of what the compiler made of one
 * (f.constprop.0), as tables have it, too. */
struct symbol {
	uint32_t entity;     /* the first one that has it */
	uint32_t n_entities; /* more than one: static functions of several files */
	uint64_t bytes;	     /* of its code; 0: not known */
	int is_ordered;
};

/* That an entity has a symbol: one of its list. */
struct symbol_link {
	uint32_t symbol, next; /* next: number + 1 */
};

struct ordering {
	struct export_job *job;
	struct export_tree *tree;
	struct map modules;	  /* by path */
	struct symbols **symbols; /* of each; NULL: its file is gone */
	size_t size_modules;
	struct map names; /* of what the linker knows */
	struct symbol *list;
	size_t size_list;
	struct int_map pairs; /* of entity and symbol */
	struct symbol_link *links;
	size_t size_links;
	uint32_t *first_link;	  /* by entity: number + 1 */
	struct int_map strangers; /* entities that no symbol was found of */
	size_t n_first_link;
	uint32_t *order; /* symbols */
	size_t n_order, size_order, n_by_first_call;
	size_t n_unknown; /* functions without probes, in a module whose file is gone */
};

/* ---- symbols --------------------------------------------------------------------------------- */

static int is_chosen(const struct ordering *o, uint32_t entity)
{
	const struct entity *e = &o->tree->profile.names->list[entity];

	return e->is_function && map_find(&o->modules, e->module, strlen(e->module)) != MAP_NONE &&
	       selection_of_entity(&o->job->options.view.selection, e) == GLOBS_TAKEN;
}

static struct symbols *symbols_of(const struct ordering *o, uint32_t entity)
{
	const char *module = o->tree->profile.names->list[entity].module;

	return o->symbols[map_find(&o->modules, module, strlen(module))];
}

static uint32_t symbol_add(struct ordering *o, uint32_t entity, const char *name, uint64_t address)
{
	struct symbols *symbols = symbols_of(o, entity);
	int is_new;
	uint32_t symbol = (uint32_t)map_add(&o->names, name, strlen(name), &is_new), pair;
	const uint8_t *code;
	uint64_t begin;
	size_t bytes = 0;

	ARRAY_REACH(o->list, symbol, o->size_list);
	if (is_new) {
		if (!symbols || !address || symbols_code(symbols, address, &begin, &code, &bytes))
			bytes = 0;
		o->list[symbol] = (struct symbol){ .entity = entity, .bytes = bytes };
	}
	pair = int_map_add(&o->pairs, int_map_pair(entity, symbol), &is_new);
	if (!is_new)
		return symbol;
	o->list[symbol].n_entities++;
	ARRAY_REACH(o->links, pair, o->size_links);
	ARRAY_REACH_ZEROED(o->first_link, entity, o->n_first_link);
	o->links[pair] = (struct symbol_link){ symbol, o->first_link[entity] };
	o->first_link[entity] = pair + 1;
	return symbol;
}

/* Of a function without probes. callee: its name at a call, or NULL. NONE: it is none of the
 * module, or that is not known. */
static uint32_t symbol_of_entity(struct ordering *o, uint32_t entity, const char *callee)
{
	const struct entity *e = &o->tree->profile.names->list[entity];
	struct symbols *symbols = symbols_of(o, entity);
	uint64_t address = e->address;
	int is_import = 0;
	const char *name;

	if (entity < o->n_first_link && o->first_link[entity])
		return o->links[o->first_link[entity] - 1].symbol;
	if (!symbols || int_map_find(&o->strangers, entity) != INT_MAP_NONE)
		return NONE;
	if (!address)
		address = symbols_address(symbols, callee ? callee : e->assembler);
	name = address ? symbols_name(symbols, address, &is_import) : NULL;
	if (name && !is_import)
		return symbol_add(o, entity, name, address);
	int_map_add(&o->strangers, entity, &is_import);
	return NONE;
}

/* All functions of a module's tables: of these a name may be that of several. */
static void module_add(struct ordering *o, const struct module *module)
{
	struct names *names = o->tree->profile.names;
	const struct selection *selection = &o->job->options.view.selection;
	const char *path = module->known_as ? module->known_as : module->path;
	int is_new;
	size_t number;

	if (!selection->modules && !(module->raw->flags & CINSTR_MODULE_MAIN))
		return;
	number = map_add(&o->modules, path, strlen(path), &is_new);
	if (!is_new)
		return;
	ARRAY_REACH(o->symbols, number, o->size_modules);
	o->symbols[number] = names_symbols(names, module);
	for (size_t i = 0; i < module->n_functions; i++) {
		uint32_t entity = names_of_function(names, module, &module->functions[i]);

		if (is_chosen(o, entity))
			symbol_add(o, entity, module->functions[i].name, module->functions[i].address);
	}
}

/* ---- orders ---------------------------------------------------------------------------------- */

static void order_add(struct ordering *o, uint32_t symbol)
{
	if (symbol == NONE || o->list[symbol].is_ordered)
		return;
	o->list[symbol].is_ordered = 1;
	ARRAY_ROOM(o->order, o->n_order, o->size_order, 256);
	o->order[o->n_order++] = symbol;
}

/* Gets each thread, in the order of their begins (struct tree_choice: look). */
static void look(void *arg, struct export_tree *tree, const struct addition *a)
{
	struct ordering *o = arg;
	FREED struct symbol_first *firsts = NULL;
	size_t n = 0;

	o->tree = tree;
	for (size_t i = 0; i < a->data->modules.n; i++)
		module_add(o, &a->data->modules.list[i]);
	if (o->job->options.order == ORDER_FIRST_CALL)
		firsts = symbol_firsts(tree->profile.names, a->data, a->thread, &n);
	for (size_t i = 0; i < n; i++) {
		const struct module *module =
			firsts[i].code ? modules_by_code(&a->data->modules, firsts[i].code) : NULL;
		const struct module_function *f = module ? module_function(module, firsts[i].code) : NULL;

		if (!is_chosen(o, firsts[i].entity))
			continue;
		order_add(o, f ? symbol_add(o, firsts[i].entity, f->name, f->address)
			       : symbol_of_entity(o, firsts[i].entity, firsts[i].callee));
	}
	o->n_by_first_call = o->n_order;
}

static int is_of_order(const struct ordering *o, uint32_t entity)
{
	for (uint32_t at = entity < o->n_first_link ? o->first_link[entity] : 0; at;
	     at = o->links[at - 1].next)
		if (o->list[o->links[at - 1].symbol].is_ordered)
			return 1;
	return 0;
}

static uint64_t bytes_of(const struct ordering *o, uint32_t entity)
{
	uint64_t bytes = 0;

	for (uint32_t at = entity < o->n_first_link ? o->first_link[entity] : 0; at;
	     at = o->links[at - 1].next)
		bytes += o->list[o->links[at - 1].symbol].bytes;
	return bytes ? bytes : 1;
}

/* What a function is to the order. */
enum { NO_SYMBOL = UINT32_MAX - 1 }; /* of these modules, and the linker does not know it */

/* Adds the nodes' values by who has called whom: functions of other modules between them do not
 * matter. Samples in what was inlined are of the function that holds it. */
static void clusters_fill(const struct ordering *o, struct call_clusters *clusters, const uint32_t *number)
{
	const struct export_tree *tree = o->tree;
	int is_of_samples = tree_value_number(tree, MEASURE_SAMPLES) == 0;
	FREED uint32_t *at = xcalloc(tree->n + 1, sizeof(*at)); /* by node: its function; NONE */

	at[0] = NONE;
	for (size_t i = 1; i < tree->n; i++) {
		const struct tree_item *item = tree_item(tree, i);
		uint32_t above = at[tree->nodes[i].parent];
		uint32_t function = item->kind == TREE_FUNCTION ? number[item->entity] : NONE;
		uint64_t value = tree->n_values ? tree_values(tree, i)[0] : 0;

		at[i] = function < NO_SYMBOL ? function : above;
		if (function == NO_SYMBOL && is_of_samples && above != NONE)
			call_clusters_add(clusters, above, value);
		else if (function < NO_SYMBOL && above == NONE)
			call_clusters_add(clusters, function, value);
		else if (function < NO_SYMBOL)
			call_clusters_add_arc(clusters, above, function, value);
	}
}

/* The number of each function among those that can be ordered; which are entities[]. Returns how
 * many these are. */
static size_t functions_number(struct ordering *o, uint32_t *number, uint32_t *entities)
{
	size_t n = 0;

	for (uint32_t i = 0; i < o->tree->profile.names->keys.n; i++) {
		number[i] = NONE;
		if (!is_chosen(o, i))
			continue;
		number[i] = NO_SYMBOL;
		if (symbol_of_entity(o, i, NULL) != NONE) {
			number[i] = (uint32_t)n;
			entities[n++] = i;
		} else {
			o->n_unknown += !symbols_of(o, i);
		}
	}
	return n;
}

/* Whoever is not in the order yet. */
static void order_by_callers(struct ordering *o)
{
	size_t n_entities = o->tree->profile.names->keys.n, n;
	FREED uint32_t *number = xcalloc(n_entities + 1, sizeof(*number));
	FREED uint32_t *entities = xcalloc(n_entities + 1, sizeof(*entities));
	FREED uint32_t *order = NULL;
	struct call_clusters clusters;

	n = functions_number(o, number, entities);
	call_clusters_init(&clusters, n);
	clusters_fill(o, &clusters, number);
	for (size_t i = 0; i < n; i++)
		clusters.bytes[i] = bytes_of(o, entities[i]);
	order = call_clusters_order(&clusters);
	for (size_t i = 0; i < n; i++) {
		uint32_t entity = entities[order[i]];

		if (!clusters.weights[order[i]] || is_of_order(o, entity))
			continue;
		for (uint32_t at = o->first_link[entity]; at; at = o->links[at - 1].next)
			order_add(o, o->links[at - 1].symbol);
	}
	call_clusters_release(&clusters);
}

/* ---- text ------------------------------------------------------------------------------------ */

static int is_pattern(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_.$", *name))
			return 0;
	return 1;
}

static void put_symbol(struct sink *sink, int linker, const char *name)
{
	/* of -ffunction-sections: all others; main and constructors; hot ones */
	static const char *const sections[] = { ".text.", ".text.startup.", ".text.hot." };

	if (linker == LINKER_LLD) {
		sink_puts(sink, name);
		sink_puts(sink, "\n");
		return;
	}
	sink_puts(sink, linker == LINKER_BFD ? "\t\t*(" : "");
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		sink_puts(sink, i && linker == LINKER_BFD ? " " : "");
		sink_puts(sink, sections[i]);
		sink_puts(sink, name);
		sink_puts(sink, linker == LINKER_GOLD ? "\n" : "");
	}
	sink_puts(sink, linker == LINKER_BFD ? ")\n" : "");
}

static void put_order(struct ordering *o, const char *what)
{
	struct sink *sink = &o->job->sink;
	int linker = o->job->options.linker;

	sink_puts(sink, linker == LINKER_BFD ? "/* " : "# ");
	sink_puts(sink, "cinstr " CINSTR_VERSION ": ");
	sink_puts(sink, what);
	sink_puts(sink, linker == LINKER_BFD ? " */\nSECTIONS\n{\n\t.text.ordered :\n\t{\n" : "\n");
	for (size_t i = 0; i < o->n_order && !sink_failed(sink); i++) {
		const char *name = o->names.keys[o->order[i]];

		if (linker == LINKER_LLD || is_pattern(name))
			put_symbol(sink, linker, name);
	}
	if (linker == LINKER_BFD)
		sink_puts(sink, "\t}\n}\nINSERT BEFORE .text;\n");
}

static uint64_t size_of(const struct ordering *o)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < o->n_order; i++)
		bytes += (o->job->options.linker == LINKER_LLD ? 1 : 3) * o->names.lengths[o->order[i]] +
			 (o->job->options.linker == LINKER_LLD ? 1 : BFD_BYTES);
	return bytes;
}

/* ---- what there is to say -------------------------------------------------------------------- */

static void say_several(const struct ordering *o)
{
	STRBUF(text);
	size_t n = 0;

	for (size_t i = 0; i < o->n_order; i++) {
		if (o->list[o->order[i]].n_entities < 2)
			continue;
		if (n < SHOWN_NAMES)
			strbuf_printf(&text, "%s%s", n ? ", " : "", o->names.keys[o->order[i]]);
		n++;
	}
	if (n)
		warning("export: %zu name%s of several functions each, static ones of several files (%s%s): "
			"the linker puts all of a name where the first one is to be",
			n, n == 1 ? " is" : "s are", text.text, n > SHOWN_NAMES ? ", ..." : "");
}

static void say_left_out(const struct ordering *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_order && o->job->options.linker != LINKER_LLD; i++)
		n += !is_pattern(o->names.keys[o->order[i]]);
	if (n)
		warning("export: %zu function%s left out: a pattern cannot have %s name; lld can", n,
			n == 1 ? " is" : "s are", n == 1 ? "its" : "their");
	if (o->n_unknown)
		warning("export: %zu function%s without probes %s left out: the file that tells the name is "
			"gone",
			o->n_unknown, o->n_unknown == 1 ? "" : "s", o->n_unknown == 1 ? "is" : "are");
}

/* The module that all are of; NULL after an error message. */
static const char *module_of(const struct ordering *o)
{
	const struct names *names = o->tree->profile.names;
	const char *module = NULL;

	for (size_t i = 0; i < o->n_order; i++) {
		const char *other = names->list[o->list[o->order[i]].entity].module;

		if (module && strcmp(module, other) != 0) {
			error("export: an order is of one module, and there are functions of %s and %s: name "
			      "one by --module",
			      util_basename(module), util_basename(other));
			return NULL;
		}
		module = other;
	}
	if (!module)
		error("export: no function of %s was %s; --module=NAME: of a library",
		      o->job->options.view.selection.modules ? "these modules" : "the program itself",
		      profile_measure(&o->tree->profile)->happened);
	return module;
}

static int write_functions(struct export_job *job, struct export_tree *tree, struct ordering *o)
{
	STRBUF(what);
	const char *module;
	int status;

	o->tree = tree;
	order_by_callers(o);
	module = module_of(o);
	if (!module)
		return STATUS_DATA;
	output_plural(&what, o->n_order, "function", "s");
	strbuf_puts(&what, " of ");
	strbuf_visible(&what, util_basename(module));
	if (o->n_by_first_call)
		strbuf_printf(&what, ", %zu by first call", o->n_by_first_call);
	if (o->n_by_first_call < o->n_order)
		strbuf_printf(&what, ", %zu by their callers", o->n_order - o->n_by_first_call);
	if (export_begin(job, size_of(o), what.text, &status)) {
		say_several(o);
		say_left_out(o);
		put_order(o, what.text);
		status = export_end(job, what.text);
	}
	return status;
}

static int write_order(struct export_job *job)
{
	struct ordering o = { .job = job };
	struct tree_choice choice = { .look = look, .look_arg = &o };
	struct export_tree tree;
	int status, wrong;

	if (measures_choose(&choice.measures, job->options.measure, "calls,samples", 1))
		return STATUS_USAGE;
	status = export_tree_read(&tree, job, 0, &choice);
	if (status != STATUS_USAGE && tree.n) {
		wrong = write_functions(job, &tree, &o);
		status = wrong ? wrong : status;
	}
	export_tree_release(&tree);
	map_release(&o.modules);
	map_release(&o.names);
	int_map_release(&o.pairs);
	int_map_release(&o.strangers);
	free(o.symbols);
	free(o.list);
	free(o.links);
	free(o.first_link);
	free(o.order);
	return status;
}

const struct export_format export_order = {
	.name = "order",
	.extension = ".order",
	.needs = EXPORT_ANY,
	.by = EXPORT_BY_ALL,
	.write = write_order,
};
