/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executed_tree.h"

#include <stdlib.h>
#include <string.h>

#include "call_shares.h"
#include "arch/machine_code.h"
#include "lib/array.h"
#include "lib/int_map.h"
#include "mixed/mixed_join.h"

#define NO_CALLER_NAME "[caller not known]"
#define NOT_ON_PATH (UINT64_C(1) << 32)

/* A data file that is made, and what it is made with. */
struct executed_tree {
	struct data data;
	struct cinstr_header header;
	struct int_map numbers; /* of entities */
	uint32_t *entities;	/* data.executed: by number */
	size_t size_entities;
	struct cinstr_fold_state *states; /* by thread */
};

/* A thread. */
struct making {
	struct executed *executed;
	struct executed_tree *tree;
	const struct data *data;
	struct data_thread *thread; /* that is made */
	struct call_shares shares;
	size_t size_functions, size_list;
	struct int_map functions; /* of entities; NOT_ON_PATH: that no thread recorded */
	struct int_map pairs;	  /* of functions: who calls whom */
	uint64_t not_on_path;	  /* of those that are read */
	int is_summed;		  /* its paths are those of a tree of executed instructions */
};

/* ---- what the thread has executed ------------------------------------------------------------ */

static uint32_t function_of_entity(struct making *m, uint32_t entity)
{
	struct call_shares *s = &m->shares;
	int is_new;
	uint32_t number = int_map_add(&m->functions, entity | m->not_on_path, &is_new);

	ARRAY_ROOM(s->functions, number, m->size_functions, 64);
	if (is_new)
		s->functions[s->n_functions++] = (struct shares_function){ .has_calls = 1 };
	return number;
}

/* The function that is called; SHARES_NO_FUNCTION: it executed nothing that is counted. */
static uint32_t callee_of(struct making *m, size_t image, const struct segment_call *call)
{
	struct executed_image *at = &m->executed->images[image];
	uint32_t number = call->to, entity;

	for (size_t i = 0; number == SEGMENT_CALL_BY_NAME && i < executed_n_images(m->executed); i++) {
		uint64_t address;

		at = &m->executed->images[i];
		address = at->symbols ? symbols_address(at->symbols, call->name) : 0;
		number = address ? segment_function_at(&at->calls, &at->table, address) : number;
	}
	entity = number == SEGMENT_CALL_BY_NAME ? NAMES_NONE : at->entities[number];
	return entity == NAMES_NONE ? SHARES_NO_FUNCTION : function_of_entity(m, entity);
}

static void calls_add(struct making *m, uint32_t from, uint32_t to, uint64_t n)
{
	struct call_shares *s = &m->shares;
	int is_new;
	uint32_t number;

	if (!n || to == SHARES_NO_FUNCTION)
		return;
	number = int_map_add(&m->pairs, int_map_pair(from, to), &is_new);
	ARRAY_ROOM(s->list, number, m->size_list, 64);
	if (is_new)
		s->list[s->n_list++] = (struct shares_calls){ .from = from, .to = to };
	s->list[number].n += n;
}

static void function_add(void *arg, const struct executed_function *f)
{
	struct making *m = arg;
	struct executed_image *image = &m->executed->images[f->image];
	const struct segment_function *own = &image->table.functions[f->number];
	uint32_t number = function_of_entity(m, f->entity);
	struct shares_function *function = &m->shares.functions[number];
	const struct segment_call *calls;
	size_t n;

	if (f->verdict != EXECUTED_KNOWN)
		return;
	function->instructions += f->instructions;
	function->calls += f->calls;
	function->has_calls &= f->has_calls;
	function->is_estimate |= f->is_estimate;
	function->is_not_on_path = m->not_on_path != 0;
	calls = segment_calls_of(&image->calls, image->symbols, &image->table, f->number, &n);
	for (size_t i = 0; i < n && !m->not_on_path; i++)
		calls_add(m, number, callee_of(m, f->image, &calls[i]),
			  f->counts[calls[i].segment - own->first]);
}

/* What no thread recorded has no paths: it goes to the first thread, as functions of their own. */
static void functions_add(struct making *m, const struct data_thread *from)
{
	const struct executed_visit visit = { function_add, m };

	executed_of_thread(m->executed, m->data, from, &visit);
	if (from != m->data->threads || m->executed->some_threads)
		return;
	m->not_on_path = NOT_ON_PATH;
	executed_of_thread(m->executed, m->data, NULL, &visit);
	m->not_on_path = 0;
}

/* ---- its nodes ------------------------------------------------------------------------------- */

static struct executed_image *image_of_module(const struct making *m, const struct module *module)
{
	for (size_t i = 0; module && i < executed_n_images(m->executed); i++)
		if (!strcmp(m->executed->images[i].path, module->path))
			return &m->executed->images[i];
	return NULL;
}

/* Entity of the function at a link address of the module; NAMES_NONE: it is not counted. */
static uint32_t entity_at(const struct making *m, const struct module *module, uint64_t address)
{
	struct executed_image *image = image_of_module(m, module);
	uint32_t number =
		image ? segment_function_at(&image->calls, &image->table, address) : SEGMENT_CALL_BY_NAME;

	return number == SEGMENT_CALL_BY_NAME ? NAMES_NONE : image->entities[number];
}

/* Entity of the function that the call instruction names, which is in its module. */
static uint32_t entity_of_site(const struct making *m, const struct module *module,
			       const struct module_site *site)
{
	const struct executed_image *image = image_of_module(m, module);
	uint64_t address = module_site_instruction(site);
	const uint8_t *code = image && image->symbols
				      ? symbols_code_bytes(image->symbols, address, MACHINE_CALL_BYTES)
				      : NULL;
	struct instruction is;

	if (!code || instruction_read(code, MACHINE_CALL_BYTES, address, &is) ||
	    (!is.is_call && is.kind != INSTRUCTION_JUMP))
		return NAMES_NONE;
	return entity_at(m, module, is.target);
}

/* Entity of the function that a cell of one without probes is of; NAMES_NONE: it is not counted. */
static uint32_t entity_called(const struct making *m, const struct cinstr_cell *cell)
{
	const struct modules *modules = &m->data->modules;
	const struct module *module = modules_by_code(modules, cell->site), *target;
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;
	uint64_t address = 0;

	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_INDIRECT)
		address = CINSTR_CELL_TARGET(cell);
	else if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL && site)
		address = module_callee_address(module, site);
	target = address ? modules_by_address(modules, address) : NULL;
	if (target)
		return entity_at(m, target, address - target->raw->base);
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL && site ? entity_of_site(m, module, site)
								       : NAMES_NONE;
}

/* The function of a node; SHARES_NO_FUNCTION: it is not counted, or has executed nothing. */
static uint32_t function_of_cell(struct making *m, const struct cinstr_cell *cell)
{
	uint32_t entity = CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME
				  ? names_of_cell(m->executed->names, m->data, cell)
				  : entity_called(m, cell);
	uint32_t number = entity == NAMES_NONE ? INT_MAP_NONE : int_map_find(&m->functions, entity);

	return number == INT_MAP_NONE ? SHARES_NO_FUNCTION : number;
}

/* The function whose call instruction made the calls: what a counted function calls hangs below who
 * was timed. */
static uint32_t caller_of_cell(struct making *m, const struct cinstr_cell *cell, uint32_t above)
{
	const struct module *module = cell->site ? modules_by_code(&m->data->modules, cell->site) : NULL;
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;
	uint32_t number;

	if (!site)
		return above;
	number = int_map_find(&m->functions, names_of_function(m->executed->names, module,
							       &module->functions[site->function]));
	return number == INT_MAP_NONE ? SHARES_NO_FUNCTION : number;
}

/* Whether the call instruction names the function. */
static int is_named(const struct making *m, const struct cinstr_cell *cell)
{
	const struct module *module = cell->site ? modules_by_code(&m->data->modules, cell->site) : NULL;
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;

	return site && site->callee;
}

static uint64_t calls_of_cell(const struct cinstr_cell *cell)
{
	return (int64_t)cell->calls < 0 ? 0 : cell->calls;
}

static void nodes_give(struct making *m, const struct data_thread *from)
{
	struct call_shares *s = &m->shares;

	s->n_nodes = from->n_nodes;
	s->nodes = xcalloc(s->n_nodes + 1, sizeof(*s->nodes));
	s->size_nodes = s->n_nodes + 1;
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct data_node *node = &from->nodes[i];
		uint32_t above = node->parent;

		while (data_cell_is_line(from->nodes[above].cell))
			above = from->nodes[above].parent;
		s->nodes[i] = (struct shares_node){ .parent = node->parent,
						    .function = SHARES_NO_FUNCTION,
						    .caller = SHARES_NO_FUNCTION,
						    .calls = calls_of_cell(node->cell) };
		if (!i || data_cell_is_line(node->cell))
			continue;
		s->nodes[i].function = function_of_cell(m, node->cell);
		s->nodes[i].is_named = is_named(m, node->cell);
		s->nodes[i].caller = caller_of_cell(m, node->cell, s->nodes[above].function);
	}
}

/* ---- the tree that is made ------------------------------------------------------------------- */

/* The number of an entity for cells. */
static uint32_t entity_number(struct executed_tree *tree, uint32_t entity)
{
	int is_new;
	uint32_t number = int_map_add(&tree->numbers, entity, &is_new);

	ARRAY_ROOM(tree->entities, number, tree->size_entities, 64);
	tree->entities[number] = entity;
	return number;
}

static uint32_t entity_of_node(const struct making *m, uint32_t function)
{
	if (function == SHARES_UNKNOWN_CALLER)
		return names_made_up(m->executed->names, NO_CALLER_NAME);
	return (uint32_t)m->functions.keys[function];
}

static int is_rough(const struct making *m, const struct shares_node *node)
{
	return node->function < m->shares.n_functions && m->shares.functions[node->function].is_estimate;
}

/* Returns the fold's cell of a path whose instructions were added up at its events. */
static struct cinstr_cell summed_cell(const struct making *m, const struct data_thread *from, size_t i)
{
	const struct shares_node *node = &m->shares.nodes[i];
	struct cinstr_cell cell = *from->nodes[i].cell;

	/* who is called without probes is told by the call */
	if (CINSTR_CELL_KIND(cell.tag) != CINSTR_CELL_FRAME && node->function != SHARES_NO_FUNCTION) {
		cell = (struct cinstr_cell){ .tag = SAMPLES_CELL_FUNCTION,
					     .ticks = cell.ticks,
					     .calls = cell.calls,
					     .first_ticks = UINT64_MAX };
		cell.func = entity_number(m->tree, entity_of_node(m, node->function));
	}
	cell.after_ticks = 0;
	data_cell_set_mark(&cell, from->sums_flags & CINSTR_CALL_SUMS_ROUGH ? DATA_CELL_ROUGH | 1 : 0);
	return cell;
}

static struct cinstr_cell cell_make(const struct making *m, const struct data_thread *from, size_t i)
{
	const struct shares_node *node = &m->shares.nodes[i];
	struct cinstr_cell cell = { .tag = SAMPLES_CELL_FUNCTION };

	if (m->is_summed)
		return summed_cell(m, from, i);
	if (i < from->n_nodes)
		cell = (struct cinstr_cell){ .tag = from->nodes[i].cell->tag,
					     .site = from->nodes[i].cell->site,
					     .func = from->nodes[i].cell->func,
					     .last_exit = from->nodes[i].cell->last_exit };
	if (node->function != SHARES_NO_FUNCTION) {
		cell.tag = SAMPLES_CELL_FUNCTION;
		cell.func = entity_number(m->tree, entity_of_node(m, node->function));
	}
	cell.calls = node->calls;
	cell.ticks = node->instructions;
	cell.first_ticks = UINT64_MAX;
	data_cell_set_mark(&cell, node->mark | (is_rough(m, node) ? DATA_CELL_ROUGH : 0) |
					  (node->is_recursive ? DATA_CELL_RECURSIVE : 0));
	return cell;
}

/* First child, next sibling, by node; 0: none. */
static void links_make(const struct call_shares *s, uint32_t *child, uint32_t *sibling)
{
	for (size_t i = s->n_nodes; i-- > 1;) {
		sibling[i] = child[s->nodes[i].parent];
		child[s->nodes[i].parent] = (uint32_t)i;
	}
}

/* Puts the nodes into preorder; number_of: by node. */
static void nodes_order(struct making *m, const struct data_thread *from, uint32_t *number_of)
{
	const struct call_shares *s = &m->shares;
	struct data_thread *to = m->thread;
	FREED uint32_t *child = xcalloc(s->n_nodes, sizeof(*child));
	uint32_t i = 0, n = 0;
	FREED uint32_t *sibling = xcalloc(s->n_nodes, sizeof(*sibling));

	links_make(s, child, sibling);
	to->n_nodes = s->n_nodes;
	to->nodes = xcalloc(s->n_nodes, sizeof(*to->nodes));
	to->cells = xcalloc(s->n_nodes, sizeof(*to->cells));
	do {
		number_of[i] = n;
		to->cells[n] = cell_make(m, from, i);
		to->nodes[n] = (struct data_node){ &to->cells[n], number_of[s->nodes[i].parent], n };
		to->n_samples += to->cells[n].ticks;
		n++;
		if (child[i]) {
			i = child[i];
			continue;
		}
		while (i && !sibling[i]) {
			to->nodes[number_of[i]].last = n - 1;
			i = s->nodes[i].parent;
		}
		to->nodes[number_of[i]].last = n - 1;
		i = i ? sibling[i] : 0;
	} while (i);
	to->nodes[0].last = n - 1;
}

static void open_copy(struct making *m, const struct data_thread *from, const uint32_t *number_of)
{
	m->thread->open = xcalloc(from->n_open + 1, sizeof(*m->thread->open));
	for (size_t i = 0; i < from->n_open; i++)
		m->thread->open[i] = number_of[from->open[i]];
	m->thread->n_open = from->n_open;
}

/*
 * Paths whose instructions were added up: each node has what the fold has put there, as it puts
 * time. What is not of a counted function (a library's, that calls back) keeps its name.
 */
static void nodes_sum(struct making *m, const struct data_thread *sums)
{
	nodes_give(m, sums);
	m->is_summed = 1;
}

static void paths_make(struct executed *executed, struct executed_tree *tree, struct data *data, size_t i)
{
	const struct data_thread *from = &data->threads[i], *sums = executed_sums(executed, data, from);
	struct cinstr_fold_state *state = &tree->states[i];
	struct making m = {
		.executed = executed, .tree = tree, .data = data, .thread = &tree->data.threads[i]
	};
	uint32_t *number_of;

	*state = *from->state;
	state->runtime_ticks = state->paused_ticks = state->between_ticks = 0;
	*m.thread = (struct data_thread){ .record = from->record, .state = state, .offset = from->offset };
	if (!executed->counter)
		functions_add(&m, from);
	if (sums) {
		from = sums;
		nodes_sum(&m, from);
	} else if (executed->counter) {
		nodes_give(&m, from);
		m.shares.n_nodes = 1; /* nothing is known of its paths */
	} else {
		nodes_give(&m, from);
		call_shares_make(&m.shares);
	}
	number_of = xcalloc(m.shares.n_nodes, sizeof(*number_of));
	nodes_order(&m, from, number_of);
	if (sums || !executed->counter)
		open_copy(&m, from, number_of);
	free(number_of);
	free(m.shares.functions);
	free(m.shares.list);
	free(m.shares.nodes);
	int_map_release(&m.functions);
	int_map_release(&m.pairs);
}

static const uint32_t no_entity = NAMES_NONE;

struct data *executed_tree_make(struct executed *executed, struct data *data)
{
	struct executed_tree *tree = xcalloc(1, sizeof(*tree));
	struct data *made = &tree->data;

	mixed_undo(data);
	names_next_process(executed->names);
	tree->header = *data->header;
	tree->header.method = DATA_METHOD_COUNTED(executed->counter);
	tree->header.forked = tree->header.mixed = 0;
	/* probes execute nothing of the program's: nothing is subtracted */
	tree->header.calibration = (struct cinstr_calibration){ 0 };
	tree->header.event_cost = 0;
	tree->states = xcalloc(data->n_threads + 1, sizeof(*tree->states));
	*made = *data;
	made->header = &tree->header;
	made->threads = xcalloc(data->n_threads + 1, sizeof(*made->threads));
	made->counters = NULL;
	made->mixed = NULL;
	made->merged = NULL;
	made->n_threads = data->sampled ? 0 : data->n_threads;
	for (size_t i = 0; i < made->n_threads; i++)
		paths_make(executed, tree, data, i);
	made->sampled = NULL;
	made->executed = tree->entities ? tree->entities : &no_entity;
	return made;
}

void executed_tree_release(struct data *data)
{
	struct executed_tree *tree = (struct executed_tree *)(void *)data;

	for (size_t i = 0; i < data->n_threads; i++) {
		free(data->threads[i].nodes);
		free(data->threads[i].cells);
		free(data->threads[i].open);
		free(data->threads[i].paths);
	}
	free(data->threads);
	free(tree->entities);
	free(tree->states);
	int_map_release(&tree->numbers);
	free(tree);
}
