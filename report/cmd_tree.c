/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_tree.c - cinstr tree: the call paths of all threads and processes, merged from their roots
 * on.
 */
#include <stdlib.h>

#include "cmd.h"
#include "view/view.h"

#define NONE UINT32_MAX
#define NO_LIMIT UINT64_MAX
#define DEFAULT_PERCENT 0.5
#define UNSET (-1.0)
/* A deep recursion would make a table that is as long as it is deep: chains of so many calls are
 * folded by default. */
#define FOLD_LENGTH_TABLE 8
/* The same for sampled stacks, which also hold start code, dispatchers and wrappers: these are
 * worth a look. */
#define FOLD_LENGTH_SAMPLED 4

struct tree_options {
	double min_percent;
	int fold;
	double fold_percent;
	const char *root;
	uint64_t depth, limit;
	const char *sort;
	struct view_options view;
};

static const struct option tree_options[] = {
	{ "min-percent", 'm', OPTION_PERCENT, "PERCENT", offsetof(struct tree_options, min_percent),
	  "hide paths below this share of the session's elapsed time, or samples",
	  "0.5 in a table, else, and with --function or --module, 0" },
	{ "by", 'b', OPTION_CHOICE, "all|thread|thread-name", offsetof(struct tree_options, view.paths_by),
	  "paths of all threads merged; or below each thread its own; thread-name: below each name those of "
	  "all threads of that name",
	  "all" },
	{ "depth", 'd', OPTION_NUMBER, "N", offsetof(struct tree_options, depth), "show N levels", NULL },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct tree_options, limit),
	  "show the N paths with most time", NULL },
	{ "root", 'r', OPTION_TEXT, "FUNCTION", offsetof(struct tree_options, root),
	  "show what is below FUNCTION (a glob), from wherever it was called", NULL },
	{ "fold", 0, OPTION_FLAG, NULL, offsetof(struct tree_options, fold),
	  "show chains of calls in one line: a > b > c, f (x 12)",
	  "chains of 8 and more in a table, of a sampled session of 4 and more" },
	{ "fold-percent", 0, OPTION_PERCENT, "PERCENT", offsetof(struct tree_options, fold_percent),
	  "the same, of calls that have this share of their caller's time, or samples", "95" },
	{ "sort", 's', OPTION_TEXT, "COLUMN", offsetof(struct tree_options, sort),
	  "order of what one function called", "elapsed_inclusive, inclusive_samples" },
	MEASURE_OPTION_ANY(struct tree_options, view.measure),
	COLUMN_OPTIONS(struct tree_options, view),
	VIEW_OPTIONS(struct tree_options, view),
};

struct choice {
	enum column sort;
	const char *hidden_why;
};

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
	FREED const struct row **stack = xcalloc(profile->n_rows, sizeof(*stack));
	size_t n = push_children(profile, stack, 0, 0, choice->sort);

	view->hidden_why = choice->hidden_why;
	while (n) {
		const struct row *row = stack[--n];

		if (row->filtered)
			continue;
		view->rows[view->n_rows++] = row;
		n = push_children(profile, stack, n, (uint32_t)(row - profile->rows), choice->sort);
	}
}

/* What is shown, by the options and their defaults. */
static struct paths_choice paths_choice(const struct tree_options *options)
{
	struct paths_choice choice = { .min_percent = options->min_percent,
				       .depth = options->depth,
				       .limit = options->limit,
				       .fold_percent = options->fold_percent };

	/* Functions that were asked for by name are shown, however little time they have. */
	int by_name = options->view.selection.functions || options->view.selection.modules;
	int is_for_people = output_formats[options->view.format].shape->is_for_people;

	if (choice.min_percent < 0)
		choice.min_percent = !is_for_people || by_name ? 0 : DEFAULT_PERCENT;
	if (options->fold || choice.fold_percent >= 0) {
		choice.fold_length = 2;
	} else if (is_for_people && !by_name) {
		choice.fold_length = FOLD_LENGTH_TABLE;
		choice.fold_length_sampled = FOLD_LENGTH_SAMPLED;
	}
	if (choice.fold_percent < 0)
		choice.fold_percent = PATHS_FOLD_PERCENT;
	return choice;
}

static const char *why_hidden(const struct tree_options *options)
{
	if (options->limit)
		return options->depth == NO_LIMIT ? "--limit, --min-percent"
						  : "--limit, --min-percent, --depth";
	return options->depth == NO_LIMIT ? "--min-percent" : "--min-percent, --depth";
}

static int run(const struct command *command, int argc, char **argv)
{
	struct tree_options options = { .min_percent = UNSET,
					.fold_percent = UNSET,
					.depth = NO_LIMIT,
					.sort = "elapsed_inclusive",
					.view.os_events = "default" };
	struct counting counting;
	struct paths_choice paths;
	struct choice choice;
	int n_operands, column, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.root && options.view.paths_by)
		return error_usage(
			"tree: --root shows what is below a function of all threads: not with --by=thread");
	column = column_find(options.sort);
	if (column < 0 || view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	options.view.sort = column;
	paths = paths_choice(&options);
	choice = (struct choice){ (enum column)column, why_hidden(&options) };
	status = view_run_paths(n_operands ? argv[1] : NULL, &counting, &options.view, options.root, &paths,
				choose, &choice);
	selection_release(&options.view.selection);
	return status;
}

const struct command command_tree = {
	.name = "tree",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows the call paths: who called what, with the same columns,\n"
		   "of a session (default: cinstr.data).",
	OPTIONS_OF(tree_options),
	.max_operands = 1,
	.notes = "(jump) marks a tail call: the caller jumped there instead of calling, and stays\n"
		 "the caller here. (part jump): some of the calls were such; csv and json say how\n"
		 "many (tail_calls).\n",
	.examples = "  cinstr tree                      paths of at least 0.5 % of the time\n"
		    "  cinstr tree --depth=3            three levels\n"
		    "  cinstr tree --min-percent=0      every path\n"
		    "  cinstr tree --fold               chains of calls in one line\n"
		    "  cinstr tree --by=thread          a tree for each thread\n"
		    "  cinstr tree --root=parse_file    what parse_file did, for all its callers\n"
		    "  cinstr tree --measure=instructions   executed instructions, not time\n"
		    "  cinstr tree --format=json        with depth, id and parent of each path\n",
	.run = run,
};
