/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_tree.c - see export_tree.h. tree_thread.c adds threads. */
#include "export_tree.h"

#include <stdlib.h>
#include <string.h>

#include "executed/call_shares.h"
#include "lib/array.h"
#include "own_values.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t node_new(struct export_tree *tree, uint32_t parent, uint32_t item)
{
	size_t per_node = tree->n_values ? tree->n_values : 1;

	if (tree->n == tree->size) {
		tree->size = tree->size ? tree->size + tree->size / 2 : 1024;
		tree->nodes = xrealloc(tree->nodes, tree->size, sizeof(*tree->nodes));
		tree->values = xrealloc(tree->values, tree->size * per_node, sizeof(*tree->values));
		tree->marks = xrealloc(tree->marks, tree->size, 1);
	}
	memset(tree->values + tree->n * per_node, 0, per_node * sizeof(*tree->values));
	tree->nodes[tree->n] = (struct tree_node){ parent, item };
	tree->marks[tree->n] = 0;
	return (uint32_t)tree->n++;
}

static uint32_t item_of(struct export_tree *tree, enum tree_kind kind, uint32_t entity, uint32_t place)
{
	const uint32_t key[3] = { kind, entity, place };
	int is_new;
	uint32_t number = (uint32_t)map_add(&tree->item_numbers, key, sizeof(key), &is_new);

	ARRAY_REACH(tree->items, number, tree->size_items);
	tree->items[number] = (struct tree_item){ kind, entity, place };
	return number;
}

uint32_t tree_node_of(struct export_tree *tree, uint32_t parent, enum tree_kind kind, uint32_t entity,
		      uint32_t place)
{
	uint32_t item = item_of(tree, kind, entity, place), number;
	int is_new;

	number = int_map_add(&tree->numbers, int_map_pair(parent, item), &is_new);
	return is_new ? node_new(tree, parent, item) : number + 1;
}

uint32_t tree_node_made_up(struct export_tree *tree, uint32_t parent, const char *name)
{
	return tree_node_of(tree, parent, TREE_FUNCTION, names_made_up(tree->profile.names, name), 0);
}

uint32_t tree_place_of(struct export_tree *tree, const char *file, uint32_t line, const char *inlined)
{
	STRBUF(key);
	uint32_t number;
	int is_new;

	if (!line)
		return 0;
	strbuf_printf(&key, "%s\n%u\n%s", file ? file : "", line, inlined ? inlined : "");
	number = (uint32_t)map_add(&tree->place_numbers, key.text, key.length, &is_new) + 1;
	ARRAY_REACH_ZEROED(tree->places, number, tree->size_places);
	tree->places[number] = (struct tree_place){ file, line, inlined };
	return number;
}

const char *tree_levels(struct export_tree *tree, const char *comp_dir, const char *levels)
{
	STRBUF(text);

	while (*levels) {
		size_t line = strcspn(levels, "\n"), name = strcspn(levels, "\t\n");
		const char *at = levels + name + (levels[name] == '\t');
		size_t file = strcspn(at, "\t\n");
		STRBUF(path);

		strbuf_add(&path, at, file);
		strbuf_add(&text, levels, (size_t)(at - levels));
		strbuf_puts(&text, names_file(tree->profile.names, comp_dir, path.text));
		strbuf_add(&text, at + file, (size_t)(levels + line - at - file));
		strbuf_puts(&text, "\n");
		levels += line + (levels[line] == '\n');
	}
	return text.length ? map_keep(&tree->profile.strings, text.text) : NULL;
}

int tree_has_values(const struct export_tree *tree, size_t node)
{
	const uint64_t *values = tree_values(tree, node);

	for (unsigned i = 0; i < tree->n_values; i++)
		if (values[i])
			return 1;
	return 0;
}

int tree_value_number(const struct export_tree *tree, enum export_measure measure)
{
	for (unsigned i = 0; i < tree->n_values; i++)
		if (tree->choice.measures.list[i] == measure)
			return (int)i;
	return -1;
}

void tree_touch(struct export_tree *tree, uint32_t node)
{
	ARRAY_ROOM(tree->touched, tree->n_touched, tree->size_touched, 1024);
	tree->touched[tree->n_touched++] = node;
}

void tree_take_values(struct export_tree *tree)
{
	for (size_t i = 0; i < tree->n_touched; i++)
		memset(tree->values + (size_t)tree->touched[i] * tree->n_values, 0,
		       tree->n_values * sizeof(*tree->values));
	tree->n_touched = 0;
}

int tree_has_calls_least(const struct export_tree *tree, uint32_t entity)
{
	return entity < tree->profile.n_rows && tree->profile.rows[entity].are_calls_least;
}

const char *tree_calls_bound(const struct export_tree *tree, size_t node)
{
	return tree->marks[node] & TREE_CALLS_LEAST ? "at least" : "exact";
}

const char *tree_source(const struct export_tree *tree, size_t node)
{
	static const char *const sources[] = { NULL, "estimate", "timed", "both" };

	return sources[tree->marks[node] / TREE_ESTIMATE % ARRAY_SIZE(sources)];
}

unsigned tree_share_marks(const struct addition *a, uint32_t node)
{
	const struct node_values *values = values_at(a->values, node);
	int is_rough = (data_cell_mark(a->thread->nodes[node].cell) & DATA_CELL_ROUGH) != 0;
	unsigned own = is_rough || values->exclusive.share_mark % SHARES_WHOLE ? TREE_ESTIMATE : TREE_TIMED;

	return (values->exclusive.elapsed ? own : 0) |
	       (is_rough || values->inclusive.share_mark % SHARES_WHOLE ? TREE_TOTAL_ESTIMATE : 0);
}

/* ---- orders ---------------------------------------------------------------------------------- */

uint32_t *tree_preorder(const struct export_tree *tree)
{
	uint32_t *order = xcalloc(tree->n + 1, sizeof(*order));
	FREED uint32_t *child = xcalloc(tree->n + 1, sizeof(*child)),
		       *sibling = xcalloc(tree->n + 1, sizeof(*child));
	uint32_t at = 0;
	size_t n = 0;

	for (uint32_t i = (uint32_t)tree->n; i-- > 1;) {
		sibling[i] = child[tree->nodes[i].parent];
		child[tree->nodes[i].parent] = i;
	}
	while (n < tree->n) {
		order[n++] = at;
		if (child[at]) {
			at = child[at];
			continue;
		}
		while (at && !sibling[at])
			at = tree->nodes[at].parent;
		at = sibling[at];
	}
	return order;
}

uint64_t *tree_inclusive(const struct export_tree *tree)
{
	uint64_t *sums = xcalloc(tree->n * tree->n_values + 1, sizeof(*sums));

	memcpy(sums, tree->values, tree->n * tree->n_values * sizeof(*sums));
	for (size_t i = tree->n; i-- > 1;)
		for (unsigned k = 0; k < tree->n_values; k++)
			sums[(size_t)tree->nodes[i].parent * tree->n_values + k] +=
				sums[i * tree->n_values + k];
	return sums;
}

/* ---- what is chosen of it -------------------------------------------------------------------- */

/* Of functions that are chosen: paths that have none of them on their stack give their values
 * away. */
static int choose(struct export_tree *tree, const struct selection *selection)
{
	struct names *names = tree->profile.names;
	FREED uint8_t *is_in = xcalloc(tree->n, 1);
	FREED uint8_t *verdicts = xcalloc(names->keys.n + 1, 1);

	for (uint32_t i = 0; i < names->keys.n; i++)
		verdicts[i] = names->list[i].is_function &&
			      selection_of_entity(selection, &names->list[i]) == GLOBS_TAKEN;
	for (size_t i = 1; i < tree->n; i++) {
		const struct tree_item *item = tree_item(tree, i);

		is_in[i] = is_in[tree->nodes[i].parent] ||
			   (item->kind == TREE_FUNCTION && verdicts[item->entity]);
		if (!is_in[i])
			memset(tree->values + i * tree->n_values, 0, tree->n_values * sizeof(*tree->values));
	}
	return selection_check_seen(selection) ? STATUS_DATA : STATUS_OK;
}

static void names_apart(struct names *names)
{
	size_t n = names->keys.n;
	FREED uint32_t *entities = xcalloc(n + 1, sizeof(*entities));

	for (uint32_t i = 0; i < n; i++)
		entities[i] = names->list[i].is_function ? i : NAMES_NONE;
	names_tell_apart(names, entities, n);
}

void tree_resolve(struct export_tree *tree)
{
	struct names *names = tree->profile.names;

	for (uint32_t i = 0; i < names->keys.n; i++)
		if (names->list[i].is_function && !names->list[i].file)
			names_resolve(names, i);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* By what method the session was recorded is known now. */
static void begin(struct export_tree *tree)
{
	tree->is_wrong = measures_of_method(&tree->choice.measures, profile_is_sampled(&tree->profile)) != 0;
	tree->n_values = tree->choice.measures.n;
	node_new(tree, 0, item_of(tree, TREE_ROOT, TREE_NONE, 0));
}

static void add_thread(void *arg, const struct addition *a)
{
	struct export_tree *tree = arg;

	if (!tree->n)
		begin(tree);
	if (tree->is_wrong)
		return;
	if (tree->choice.look)
		tree->choice.look(tree->choice.look_arg, tree, a);
	tree_add_thread(tree, a);
}

struct taking {
	struct export_tree *tree;
	struct export_job *job;
};

static int take(struct view *view, void *arg)
{
	struct taking *taking = arg;
	struct export_tree *tree = taking->tree;
	const struct selection *selection = &taking->job->options.view.selection;

	if (!tree->n)
		begin(tree);
	if (tree->is_wrong)
		return STATUS_USAGE;
	tree_add_end(tree);
	names_apart(tree->profile.names);
	if (view->filter)
		tree->filter = xstrdup(view->filter);
	return selection->functions || selection->modules ? choose(tree, selection) : STATUS_OK;
}

static void see_process(void *arg, const struct data *data)
{
	struct export_tree *tree = arg;

	if (tree->choice.has_own)
		own_values_add(tree, data);
	if (tree->choice.visit)
		tree->choice.visit(tree->choice.visit_arg, data);
}

int export_tree_read(struct export_tree *tree, struct export_job *job, size_t number,
		     const struct tree_choice *choice)
{
	struct taking taking = { tree, job };
	struct profile *profile = &tree->profile, *profiles[] = { profile, &tree->functions };
	int status;

	*tree = (struct export_tree){ .choice = *choice, .by = (enum export_by)job->options.by };
	/* of a choice of functions or times they are not known */
	tree->choice.has_own &= !selection_is_any(&job->options.view.selection);
	profile_init(profile, BY_EACH, &job->counting);
	profile->each = add_thread;
	profile->each_arg = tree;
	profile->visit = see_process;
	profile->visit_arg = tree;
	if (choice->has_functions)
		profile_init(&tree->functions, BY_FUNCTION, &job->counting);
	status = export_read(job, number, profiles, choice->has_functions ? 2 : 1, take, &taking);
	tree_reading_release(tree);
	own_values_sort(tree);
	return tree->is_wrong ? STATUS_USAGE : status;
}

void export_tree_release(struct export_tree *tree)
{
	profile_release(&tree->profile);
	if (tree->choice.has_functions)
		profile_release(&tree->functions);
	own_values_release(tree);
	free(tree->function_rows);
	int_map_release(&tree->numbers);
	map_release(&tree->item_numbers);
	map_release(&tree->place_numbers);
	map_release(&tree->origin_numbers);
	map_release(&tree->module_numbers);
	free(tree->modules);
	free(tree->items);
	free(tree->places);
	free(tree->origins);
	free(tree->touched);
	free(tree->nodes);
	free(tree->values);
	free(tree->marks);
	free(tree->filter);
}

int export_tree_write(struct export_job *job, const struct tree_choice *choice,
		      int (*write)(struct export_job *job, struct export_tree *tree))
{
	struct export_tree tree;
	int status = export_tree_read(&tree, job, 0, choice), written;

	if (status != STATUS_USAGE && tree.n) {
		written = write(job, &tree);
		status = written ? written : status;
	}
	export_tree_release(&tree);
	return status;
}
