/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "row_stream.h"

#include <stdlib.h>

#include "profile.h"

/* The nodes of each path, in their order: linked lists. */
struct path_nodes {
	uint32_t *first; /* by path; PATH_NONE: none */
	uint32_t *next;	 /* by node */
	uint32_t *open;	 /* by node: calls that have not returned; NULL: none */
};

/* Returns the parts (ADD_...) of the node's values that its row gets. A source line, and what has
 * no name, is on its caller's path, whose inclusive time has its time. */
static unsigned parts_of(const struct addition *a, const uint32_t *path_of, size_t node)
{
	int is_inside = node && path_of[a->thread->nodes[node].parent] == path_of[node];

	return is_inside ? ADD_EXCLUSIVE : ADD_EXCLUSIVE | ADD_INCLUSIVE | ADD_CALLS;
}

int row_stream_is_possible(const struct profile *profile)
{
	return profile->paths.n_threads == 1;
}

void row_stream_begin(struct row_stream *stream, size_t n)
{
	stream->list = xcalloc(n, sizeof(*stream->list));
	stream->os = xcalloc(n, sizeof(*stream->os));
	stream->order = xcalloc(n, sizeof(*stream->order));
	stream->variances = xcalloc(n, sizeof(*stream->variances));
}

void row_stream_add(struct row_stream *stream, uint32_t path, uint32_t parent)
{
	uint32_t number = (uint32_t)stream->n++;
	struct streamed *above = &stream->list[parent], *row = &stream->list[number];

	*row = (struct streamed){ .path = path, .child = ROW_NONE, .sibling = ROW_NONE };
	if (!number)
		return;
	row->parent = parent;
	row->depth = above->depth + 1;
	row->sibling = above->child;
	above->child = number;
}

void row_stream_sketch(const struct profile *profile, uint32_t number, struct row *row)
{
	const struct streamed *streamed = &profile->stream.list[number];
	const struct path *path = &profile->paths.list[streamed->path];

	*row = row_empty;
	row->path = streamed->path;
	row->parent = streamed->parent;
	row->depth = streamed->depth;
	row->is_hot = streamed->is_hot;
	if (number)
		profile_row_name(profile, row, path->entity);
	row->sums.elapsed_inclusive = path->elapsed_inclusive;
}

static void nodes_link(struct path_nodes *nodes, const struct addition *a, const uint32_t *path_of)
{
	const struct data_thread *thread = a->thread;

	nodes->first = xcalloc(a->profile->paths.n, sizeof(*nodes->first));
	nodes->next = xcalloc(thread->n_nodes, sizeof(*nodes->next));
	nodes->open = thread->n_open ? xcalloc(thread->n_nodes, sizeof(*nodes->open)) : NULL;
	for (size_t i = 0; i < a->profile->paths.n; i++)
		nodes->first[i] = PATH_NONE;
	for (size_t i = thread->n_nodes; i-- > 0;) {
		if (path_of[i] == PATH_NONE)
			continue;
		nodes->next[i] = nodes->first[path_of[i]];
		nodes->first[path_of[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < thread->n_open; i++)
		nodes->open[thread->open[i]]++;
}

static void nodes_release(struct path_nodes *nodes)
{
	free(nodes->first);
	free(nodes->next);
	free(nodes->open);
}

/* Adds the path's nodes to the one row that there is, which is number 0 of the profile's. */
static void row_fill(const struct addition *a, const uint32_t *path_of, const struct path_nodes *nodes,
		     uint32_t number)
{
	struct profile *profile = a->profile;
	struct row *row = &profile->rows[0];
	uint32_t path = profile->stream.list[number].path;

	row_stream_sketch(profile, number, row);
	row->sums.elapsed_inclusive = 0;
	row->sums.variance_inclusive = profile->stream.variances[number][CINSTR_INCLUSIVE];
	row->sums.variance_exclusive = profile->stream.variances[number][CINSTR_EXCLUSIVE];
	row->os = profile->stream.os[number];
	spreads_row_begin(&profile->spreads, 0);
	for (uint32_t node = nodes->first[path]; node != PATH_NONE; node = nodes->next[node]) {
		unsigned parts = parts_of(a, path_of, node);

		addition_to_row(a, row, node, parts);
		if (nodes->open && parts & ADD_CALLS)
			row->open_calls += nodes->open[node];
		if (profile->spreads.has_merged)
			spreads_add_node(a, node, 0);
	}
}

/* Notes the nodes of all rows, and adds the uncertainty of estimates to the stream, before rows are
 * made. */
static void tally(const struct addition *a, const uint32_t *path_of)
{
	const struct profile *profile = a->profile;

	for (size_t i = 0; a->tally && i < a->thread->n_nodes; i++) {
		uint32_t number = path_of[i] == PATH_NONE ? PATH_NONE : profile->paths.row_of[path_of[i]];

		if (number != PATH_NONE)
			mixed_tally_add(a, number, i, parts_of(a, path_of, i));
	}
	mixed_tally_settle(a);
}

void row_stream_thread(const struct addition *a, const uint32_t *path_of)
{
	struct profile *profile = a->profile;
	struct row_stream *stream = &profile->stream;
	struct path_nodes nodes;

	tally(a, path_of);
	nodes_link(&nodes, a, path_of);
	profile_row(profile, 0);
	if (a->data->merged && profile->spreads.is_wanted)
		spreads_merged_begin(a);
	for (size_t i = 0; i < stream->n_order; i++) {
		uint32_t number = stream->order[i];

		row_fill(a, path_of, &nodes, number);
		stream->put(stream->arg, &profile->rows[0]);
		durations_release(&profile->rows[0].durations);
	}
	profile->rows[0] = row_empty; /* `os` is the stream's */
	nodes_release(&nodes);
}

void row_stream_release(struct row_stream *stream)
{
	for (size_t i = 0; stream->os && i < stream->n; i++)
		free(stream->os[i]);
	free(stream->os);
	free(stream->list);
	free(stream->order);
	free(stream->variances);
	*stream = (struct row_stream){ 0 };
}
