/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view_stream.c - rows of call paths that exist only while they are written (row_stream.h): when,
 * and in which order. */
#include <stdlib.h>

#include "lib/array.h"
#include "view.h"

/* Scratch to sort what one function called. */
struct siblings {
	struct row *rows;
	const struct row **order;
	size_t size;
};

/* Not where people look, nor where rows are left out or sorted by values that they get later. */
int view_can_stream(const struct profile *profile, const struct view_options *options,
		    const struct paths_choice *choice)
{
	return !output_formats[options->format].shape->is_for_people && !choice->fold_length &&
	       options->sort == COLUMN_ELAPSED_INCLUSIVE && !options->selection.functions &&
	       !options->selection.modules && row_stream_is_possible(profile);
}

static size_t children_count(const struct row_stream *stream, uint32_t parent)
{
	size_t n = 0;

	for (uint32_t i = stream->list[parent].child; i != ROW_NONE; i = stream->list[i].sibling)
		n++;
	return n;
}

static void siblings_room(struct siblings *siblings, size_t n)
{
	if (n <= siblings->size)
		return;
	siblings->size = 2 * n;
	siblings->rows = xrealloc(siblings->rows, siblings->size, sizeof(*siblings->rows));
	siblings->order = xrealloc(siblings->order, siblings->size, sizeof(*siblings->order));
}

/* Appends the numbers of a row's children to the stack, so that the first comes off first. */
static size_t push_children(const struct profile *profile, struct siblings *siblings, uint32_t *stack,
			    size_t n, uint32_t parent)
{
	const struct row_stream *stream = &profile->stream;
	size_t n_children = children_count(stream, parent), at = n_children;

	siblings_room(siblings, n_children);
	/* the last child comes first, but numbers decide between equals */
	for (uint32_t i = stream->list[parent].child; i != ROW_NONE; i = stream->list[i].sibling) {
		row_stream_sketch(profile, i, &siblings->rows[--at]);
		siblings->order[at] = &siblings->rows[at];
	}
	column_sort(profile, siblings->order, n_children, COLUMN_ELAPSED_INCLUSIVE);
	while (n_children--)
		stack[n++] = profile->paths.row_of[siblings->order[n_children]->path];
	return n;
}

void view_stream_order(struct profile *profile)
{
	struct row_stream *stream = &profile->stream;
	struct siblings siblings = { 0 };
	uint32_t *stack = xcalloc(stream->n, sizeof(*stack));
	size_t n = push_children(profile, &siblings, stack, 0, 0);

	while (n) {
		uint32_t number = stack[--n];

		stream->order[stream->n_order++] = number;
		n = push_children(profile, &siblings, stack, n, number);
	}
	free(stack);
	free(siblings.rows);
	free(siblings.order);
}
