/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_tree.c - see export_tree.h. */
#include "export_tree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "names/thread_names.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t node_new(struct export_tree *tree, uint32_t parent, uint32_t entity)
{
	size_t per_node = tree->measures.n ? tree->measures.n : 1;

	if (tree->n == tree->size) {
		tree->size = tree->size ? tree->size + tree->size / 2 : 1024;
		tree->nodes = xrealloc(tree->nodes, tree->size, sizeof(*tree->nodes));
		tree->values = xrealloc(tree->values, tree->size * per_node, sizeof(*tree->values));
	}
	memset(tree->values + tree->n * per_node, 0, per_node * sizeof(*tree->values));
	tree->nodes[tree->n] = (struct tree_node){ parent, entity };
	return (uint32_t)tree->n++;
}

static uint32_t node_of(struct export_tree *tree, uint32_t parent, uint32_t entity)
{
	int is_new;
	uint32_t number = int_map_add(&tree->numbers, int_map_pair(parent, entity), &is_new);

	return is_new ? node_new(tree, parent, entity) : number + 1;
}

static uint32_t node_made_up(struct export_tree *tree, uint32_t parent, const char *name)
{
	return node_of(tree, parent, names_made_up(&tree->profile.names, name));
}

/* The node that all of the thread's are below. */
static uint32_t node_of_thread(struct export_tree *tree, const struct addition *a)
{
	struct strbuf text = { 0 };
	char *name;
	uint32_t node;

	if (tree->by == EXPORT_BY_ALL)
		return 0;
	name = thread_shown_name(&tree->profile.names, a->data, a->thread);
	if (!*name) {
		free(name);
		name = xstrdup(process_name_of(&tree->profile, a->data));
	}
	if (tree->by == EXPORT_BY_THREAD)
		strbuf_printf(&text, "[thread %s %u]", name, a->thread->record->tid);
	else
		strbuf_printf(&text, "[threads %s]", name);
	node = node_made_up(tree, 0, text.text);
	strbuf_release(&text);
	free(name);
	return node;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t switches_of(const struct addition *a, size_t node)
{
	struct os_tally tally;

	if (!os_tally_of(&tally, a->data, a->thread->nodes[node].cell))
		return 0;
	return tally.of[OS_VOLUNTARY] + tally.of[OS_INVOLUNTARY];
}

/* In units of the session, as the row of the node's function gets it. */
static long double value_of(const struct addition *a, size_t node, enum export_measure measure)
{
	const struct ticks *t = &values_at(a->values, node)->exclusive;
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;

	switch (measure) {
	case MEASURE_ELAPSED:
	case MEASURE_SAMPLES:
		return (long double)t->elapsed * a->ns_per_tick;
	case MEASURE_APPLICATION:
		return (long double)t->application * a->ns_per_tick;
	case MEASURE_WAITING:
		return (long double)t->off_cpu * a->ns_per_tick;
	case MEASURE_CPU:
		return (long double)(t->elapsed > t->off_cpu ? t->elapsed - t->off_cpu : 0) * a->ns_per_tick;
	case MEASURE_CALLS:
		return node && !addition_is_line(a, node) && CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_MERGED
			       ? (long double)cell->calls
			       : 0;
	case MEASURE_SWITCHES:
		return (long double)switches_of(a, node);
	default:
		return 0;
	}
}

/* Adds the values of a thread's node to one of the tree, whose function is `entity`. */
static void give(struct export_tree *tree, const struct addition *a, size_t node, uint32_t to)
{
	uint32_t entity = tree->nodes[to].entity;
	uint64_t *values = tree->values + (size_t)to * tree->measures.n;
	struct tree_sum *sum;

	if (entity == TREE_NONE)
		return;
	ARRAY_REACH_ZEROED(tree->sums, entity, tree->n_sums);
	sum = &tree->sums[entity];
	for (unsigned i = 0; i < tree->measures.n; i++) {
		long double value = value_of(a, node, tree->measures.list[i]);
		uint64_t rounded;

		if (value <= 0)
			continue;
		sum->sum[i] += value;
		rounded = util_rounded(sum->sum[i]);
		values[i] += rounded - sum->given[i];
		sum->given[i] = rounded;
	}
}

/* By what method the session was recorded is known now. */
static void begin(struct export_tree *tree)
{
	tree->is_wrong = measures_of_method(&tree->measures, profile_is_sampled(&tree->profile),
					    tree->is_measure_given) != 0;
	node_new(tree, 0, TREE_NONE);
}

/* A source line is a part of its function, and so is what has no name of who called it. */
static void add_thread(void *arg, const struct addition *a)
{
	struct export_tree *tree = arg;
	uint32_t *to, *entities;

	if (!tree->n)
		begin(tree);
	if (tree->is_wrong)
		return;
	to = xcalloc(a->thread->n_nodes, sizeof(*to));
	entities = names_of_thread(&tree->profile.names, a->data, a->thread);
	to[0] = node_of_thread(tree, a);
	if (values_at(a->values, 0)->exclusive.elapsed)
		give(tree, a, 0, node_made_up(tree, to[0], TREE_OUTSIDE));
	for (size_t i = 1; i < a->thread->n_nodes; i++) {
		to[i] = to[a->thread->nodes[i].parent];
		if (entities[i] != NAMES_NONE && !addition_is_line(a, i))
			to[i] = node_of(tree, to[i], entities[i]);
		give(tree, a, i, to[i]);
	}
	free(entities);
	free(to);
}

/* ---- what is chosen of it -------------------------------------------------------------------- */

/* Of functions that are chosen: paths that have none of them on their stack give their values
 * away. */
static int choose(struct export_tree *tree, const struct selection *selection)
{
	struct names *names = &tree->profile.names;
	uint8_t *is_in = xcalloc(tree->n, 1);
	uint8_t *verdicts = xcalloc(names->keys.n + 1, 1);

	for (uint32_t i = 0; i < names->keys.n; i++)
		verdicts[i] = names->list[i].is_function &&
			      selection_of_entity(selection, &names->list[i]) == GLOBS_TAKEN;
	for (size_t i = 1; i < tree->n; i++) {
		is_in[i] = is_in[tree->nodes[i].parent] || verdicts[tree->nodes[i].entity];
		if (!is_in[i])
			memset(tree->values + i * tree->measures.n, 0,
			       tree->measures.n * sizeof(*tree->values));
	}
	free(is_in);
	free(verdicts);
	return selection_check_seen(selection) ? STATUS_DATA : STATUS_OK;
}

static void names_apart(struct names *names)
{
	size_t n = names->keys.n;
	uint32_t *entities = xcalloc(n + 1, sizeof(*entities));

	for (uint32_t i = 0; i < n; i++)
		entities[i] = names->list[i].is_function ? i : NAMES_NONE;
	names_tell_apart(names, entities, n);
	free(entities);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	struct export_tree *tree;
	struct export_job *job;
};

static int take(struct view *view, void *arg)
{
	struct reading *reading = arg;
	struct export_tree *tree = reading->tree;
	const struct selection *selection = &reading->job->options.view.selection;

	if (!tree->n)
		begin(tree);
	if (tree->is_wrong)
		return STATUS_USAGE;
	names_apart(&tree->profile.names);
	if (view->filter)
		tree->filter = xstrdup(view->filter);
	return selection->functions || selection->modules ? choose(tree, selection) : STATUS_OK;
}

int export_tree_read(struct export_tree *tree, struct export_job *job, size_t number,
		     const struct measures *wanted)
{
	struct reading reading = { tree, job };
	struct profile *profile = &tree->profile;
	int status;

	*tree = (struct export_tree){ .measures = *wanted, .by = (enum export_by)job->options.by };
	profile_init(profile, BY_EACH, &job->counting);
	profile->each = add_thread;
	profile->each_arg = tree;
	tree->is_measure_given = job->options.measure != NULL;
	status = export_read(job, number, &profile, 1, take, &reading);
	return tree->is_wrong ? STATUS_USAGE : status;
}

void export_tree_release(struct export_tree *tree)
{
	profile_release(&tree->profile);
	int_map_release(&tree->numbers);
	free(tree->nodes);
	free(tree->values);
	free(tree->sums);
	free(tree->filter);
}

const char *tree_name(const struct export_tree *tree, size_t node)
{
	return tree->profile.names.list[tree->nodes[node].entity].name;
}

int tree_has_values(const struct export_tree *tree, size_t node)
{
	const uint64_t *values = tree_values(tree, node);

	for (unsigned i = 0; i < tree->measures.n; i++)
		if (values[i])
			return 1;
	return 0;
}
