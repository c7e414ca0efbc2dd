/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_tree.c - cinstr tree: the call paths of all threads and processes, merged from their roots
 * on.
 */
#include <stdlib.h>

#include "cmd.h"

#define NONE UINT32_MAX
#define NO_LIMIT UINT64_MAX
#define DEFAULT_PERCENT 0.5
#define UNSET (-1.0)

struct tree_options {
	double min_percent;
	uint64_t depth;
	const char *sort;
	struct view_options view;
};

static const struct option tree_options[] = {
	{ "min-percent", 'm', OPTION_PERCENT, "PERCENT", offsetof(struct tree_options, min_percent),
	  "hide paths below this share of the session's elapsed time", "0.5 in a table, else 0" },
	{ "depth", 'd', OPTION_NUMBER, "N", offsetof(struct tree_options, depth), "show N levels", NULL },
	{ "sort", 's', OPTION_TEXT, "COLUMN", offsetof(struct tree_options, sort),
	  "order of what one function called", "elapsed_inclusive" },
	VIEW_OPTIONS(struct tree_options, view),
};

struct choice {
	enum column sort;
	double min_percent;
	uint64_t depth;
};

static void hide(struct view *view, const struct row *row)
{
	const struct row *rows = view->profile->rows;
	uint32_t top = (uint32_t)(row - rows), at = top;

	/* All of its subtree. */
	for (;;) {
		view->n_hidden++;
		view->hidden += rows[at].sums.elapsed_exclusive;
		if (rows[at].child != NONE) {
			at = rows[at].child;
			continue;
		}
		while (at != top && rows[at].sibling == NONE)
			at = rows[at].parent;
		if (at == top)
			return;
		at = rows[at].sibling;
	}
}

static int is_hidden(const struct view *view, const struct row *row, const struct choice *choice)
{
	return row->depth > choice->depth ||
	       row->sums.elapsed_inclusive * 100 <
		       view->profile->totals.elapsed * (long double)choice->min_percent;
}

/* An announced call whose callee turned out to have probes: its cell was left with nothing in it. */
static int is_empty(const struct row *row)
{
	return !row->calls && row->sums.elapsed_inclusive <= 0 && row->child == NONE;
}

/* Children of a row in order, on the stack so that the first comes off first. */
static size_t push_children(const struct profile *profile, const struct row **stack, size_t n,
			    uint32_t parent, enum column sort)
{
	size_t first = n;

	for (uint32_t i = profile->rows[parent].child; i != NONE; i = profile->rows[i].sibling)
		stack[n++] = &profile->rows[i];
	column_sort(profile, stack + first, n - first, sort);
	for (size_t a = first, b = n; a + 1 < b; a++) {
		const struct row *row = stack[a];

		stack[a] = stack[--b];
		stack[b] = row;
	}
	return n;
}

static void choose(struct view *view, void *arg)
{
	const struct choice *choice = arg;
	const struct profile *profile = view->profile;
	const struct row **stack = xcalloc(profile->n_rows, sizeof(*stack));
	size_t n = profile->n_rows ? push_children(profile, stack, 0, 0, choice->sort) : 0;

	view->hidden_why = choice->depth == NO_LIMIT ? "--min-percent" : "--min-percent, --depth";
	while (n) {
		const struct row *row = stack[--n];

		if (is_empty(row))
			continue;
		if (is_hidden(view, row, choice)) {
			hide(view, row);
			continue;
		}
		view->rows[view->n_rows++] = row;
		n = push_children(profile, stack, n, (uint32_t)(row - profile->rows), choice->sort);
	}
	free(stack);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct tree_options options = { .min_percent = UNSET,
					.depth = NO_LIMIT,
					.sort = "elapsed_inclusive",
					.view.os_events = "default" };
	struct counting counting;
	struct choice choice;
	int n_operands, column;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	column = column_find(options.sort);
	if (column < 0 || view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	if (options.min_percent < 0)
		options.min_percent = options.view.format ? 0 : DEFAULT_PERCENT;
	choice = (struct choice){ (enum column)column, options.min_percent, options.depth };
	return view_run(n_operands ? argv[1] : NULL, BY_PATH, &counting, &options.view, choose, &choice);
}

const struct command command_tree = {
	.name = "tree",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows the call paths: who called what, with the same columns,\n"
		   "of a session (default: cinstr.data).",
	.options = tree_options,
	.n_options = ARRAY_SIZE(tree_options),
	.max_operands = 1,
	.examples = "  cinstr tree                      paths of at least 0.5 % of the time\n"
		    "  cinstr tree --depth=3            three levels\n"
		    "  cinstr tree --min-percent=0      every path\n"
		    "  cinstr tree --format=json        with depth, id and parent of each path\n",
	.run = run,
};
