/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_tree.c - makes call paths from stacks, merged by function and place, and from these the
 * trees of threads (samples_paths.h). All threads share the paths; as they are numbered in
 * preorder, the paths of a thread are its tree's nodes in order. No loop here runs longer than the
 * file's content allows.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/search.h"
#include "samples_paths.h"

#define PATHS_MAX (UINT32_MAX / 4)
/* Nodes that the trees of a file may have together, whatever its size, and for each of its
 * bytes. */
#define NODES_MIN (4u << 20)
/* With fewer nodes than one in so many paths, they are sorted; otherwise all are looked at. */
#define FEW 16

/* ---- paths ----------------------------------------------------------------------------------- */

static uint32_t path_new(struct samples *s, uint32_t parent, uint32_t what)
{
	ARRAY_ROOM(s->paths, s->n_paths, s->size_paths, 256);
	s->paths[s->n_paths] = (struct samples_path){ parent, what };
	return (uint32_t)s->n_paths++;
}

uint32_t samples_path_add(struct samples *s, uint32_t parent, uint32_t what)
{
	uint64_t key = int_map_pair(parent, what);
	uint32_t number;
	int is_new;

	if (!s->n_paths)
		path_new(s, 0, UINT32_MAX);
	if (s->n_paths == PATHS_MAX) {
		number = int_map_find(&s->path_numbers, key);
		return number == INT_MAP_NONE ? UINT32_MAX : number + 1;
	}
	number = int_map_add(&s->path_numbers, key, &is_new);
	return is_new ? path_new(s, parent, what) : number + 1;
}

/* ---- their final numbers --------------------------------------------------------------------- */

/* Children of each path, in order of creation. 0: none. */
struct links {
	uint32_t *child, *sibling;
};

static void links_make(const struct samples *s, struct links *links)
{
	links->child = xcalloc(s->n_paths, sizeof(uint32_t));
	links->sibling = xcalloc(s->n_paths, sizeof(uint32_t));
	for (size_t i = s->n_paths; i-- > 1;) {
		links->sibling[i] = links->child[s->paths[i].parent];
		links->child[s->paths[i].parent] = (uint32_t)i;
	}
}

/* The path behind `at` in preorder; 0: it is the last. */
static uint32_t next_of(const struct samples *s, const struct links *links, uint32_t at)
{
	if (links->child[at])
		return links->child[at];
	while (at && !links->sibling[at])
		at = s->paths[at].parent;
	return links->sibling[at];
}

void samples_paths_finish(struct samples *s, uint32_t *list, uint64_t n_list)
{
	struct samples_path *paths = xcalloc(s->n_paths, sizeof(*paths));
	uint32_t *number = xcalloc(s->n_paths, sizeof(*number)), n = 0;
	struct links links;

	links_make(s, &links);
	paths[0] = s->paths[0];
	for (uint32_t i = next_of(s, &links, 0); i; i = next_of(s, &links, i)) {
		number[i] = ++n;
		paths[n] = (struct samples_path){ number[s->paths[i].parent], s->paths[i].what };
	}
	for (uint64_t i = 0; i < n_list; i++)
		list[i] = number[list[i]];
	free(links.child);
	free(links.sibling);
	free(number);
	int_map_release(&s->path_numbers);
	free(s->paths);
	s->paths = paths;
	s->counts = xcalloc(s->n_paths, sizeof(*s->counts));
	s->node_of = xcalloc(s->n_paths, sizeof(*s->node_of));
	s->used = xcalloc(s->n_paths, sizeof(*s->used));
}

/* ---- the tree of a thread -------------------------------------------------------------------- */

/* The first of the task's samples that is not before `ticks`. */
static uint64_t sample_at(const struct samples *s, uint32_t task, uint64_t ticks)
{
	uint64_t i;

	SEARCH_IN(i, s->first[task], s->first[task + 1], s->ticks[i] >= ticks);
	return i;
}

/* Counts the samples [first, end) by path; returns how many paths have some, which are in
 * `used`. */
static size_t count(struct samples *s, uint64_t first, uint64_t end)
{
	size_t n = 0;

	for (uint64_t i = first; i < end; i++) {
		uint32_t path = s->paths_at[i];

		if (!s->counts[path]++) {
			s->used[n++] = path;
			s->node_of[path] = 1;
		}
	}
	return n;
}

/* Adds to the n paths those that they are called on; no more than may be are of use. */
static size_t add_callers(struct samples *s, size_t n)
{
	for (size_t i = 0; i < n && n <= s->nodes_left; i++) {
		uint32_t parent = s->paths[s->used[i]].parent;

		if (!parent || s->node_of[parent])
			continue;
		s->node_of[parent] = 1;
		s->used[n++] = parent;
	}
	return n;
}

ORDER_ITEMS(compare_numbers, uint32_t, ORDER(*x, *y))

static void put_in_order(struct samples *s, size_t n)
{
	if (n < s->n_paths / FEW) {
		util_sort(s->used, n, sizeof(*s->used), compare_numbers, NULL);
		return;
	}
	n = 0;
	for (uint32_t i = 1; i < s->n_paths; i++)
		if (s->node_of[i])
			s->used[n++] = i;
}

static int is_place(const struct samples_path *path)
{
	return path->what & 1;
}

static void cell_make(const struct data *data, const struct samples_path *path, struct cinstr_cell *cell)
{
	const struct sampled *sampled = data->sampled;
	const struct samples_path *parent = &sampled->samples->paths[path->parent];
	uint32_t number = path->what / 2;

	cell->first_ticks = UINT64_MAX;
	if (is_place(path)) {
		cell->tag = SAMPLES_CELL_PLACE;
		cell->func = sampled->places[number].function + 1;
		cell->site = number + 1;
		return;
	}
	cell->tag = SAMPLES_CELL_FUNCTION;
	cell->func = number + 1;
	cell->site = path->parent && is_place(parent) ? parent->what / 2 + 1 : 0;
}

static void nodes_make(const struct data *data, struct data_thread *thread, size_t n)
{
	struct samples *s = data->sampled->samples;

	thread->n_nodes = n + 1;
	thread->nodes = xcalloc(thread->n_nodes, sizeof(*thread->nodes));
	thread->cells = xcalloc(thread->n_nodes, sizeof(*thread->cells));
	thread->cells[0] = (struct cinstr_cell){ .tag = CINSTR_CELL_ROOT, .first_ticks = UINT64_MAX };
	thread->nodes[0] = (struct data_node){ &thread->cells[0], 0, (uint32_t)n };
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t number = s->used[i - 1], parent = s->paths[number].parent;

		s->node_of[number] = i;
		cell_make(data, &s->paths[number], &thread->cells[i]);
		thread->cells[i].ticks = s->counts[number];
		thread->nodes[i] =
			(struct data_node){ &thread->cells[i], parent ? s->node_of[parent] : 0, i };
	}
	for (size_t i = n; i > 0; i--) {
		struct data_node *parent = &thread->nodes[thread->nodes[i].parent];

		if (parent->last < thread->nodes[i].last)
			parent->last = thread->nodes[i].last;
	}
}

static void forget(struct samples *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s->counts[s->used[i]] = s->node_of[s->used[i]] = 0;
}

int samples_tree(const struct data *data, struct data_thread *thread, uint64_t from, uint64_t to)
{
	struct samples *s = data->sampled->samples;
	uint64_t first = sample_at(s, thread->task, from), end = sample_at(s, thread->task, to);
	size_t n = add_callers(s, count(s, first, end));
	int is_whole = n <= s->nodes_left;

	s->nodes_left -= is_whole ? n : s->nodes_left;
	if (is_whole)
		put_in_order(s, n);
	nodes_make(data, thread, is_whole ? n : 0);
	thread->cells[0].ticks = is_whole ? 0 : end - first;
	thread->elsewhere_ticks = thread->n_samples - (end - first);
	forget(s, n);
	return is_whole;
}

void samples_trees_begin(const struct data *data)
{
	data->sampled->samples->nodes_left = NODES_MIN + data->file_bytes;
}
