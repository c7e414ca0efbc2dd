/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_report.c - cinstr report: rows by function, module, thread, process, source line or call site. */
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"

#define LIMIT_ON_TERMINAL 50
#define NO_LIMIT UINT64_MAX

struct report_options {
	int by; /* enum profile_by */
	const char *sort;
	uint64_t limit;
	struct view_options view;
};

static const struct option report_options[] = {
	{ "by", 'b', OPTION_CHOICE, "function|module|thread|process|line|site",
	  offsetof(struct report_options, by),
	  "what a row stands for; line: needs a session recorded with --probes=lines; site: a place that "
	  "calls",
	  "function" },
	{ "sort", 's', OPTION_TEXT, "COLUMN", offsetof(struct report_options, sort),
	  "any column of --format=csv, by its name there; -ns may be left out", "elapsed_exclusive" },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct report_options, limit), "show the first N rows",
	  "50 in a table on a terminal, else all" },
	VIEW_OPTIONS(struct report_options, view),
};

struct choice {
	enum column sort;
	uint64_t limit;
};

static int is_empty(const struct row *row)
{
	return !row->name || (!row->calls && !row->entries && row->sums.elapsed_inclusive <= 0 && !row->pid);
}

static void choose(struct view *view, void *arg)
{
	const struct choice *choice = arg;

	for (size_t i = 0; i < view->profile->n_rows; i++)
		if (!is_empty(&view->profile->rows[i]))
			view->rows[view->n_rows++] = &view->profile->rows[i];
	column_sort(view->profile, view->rows, view->n_rows, choice->sort);
	view->hidden_why = "--limit";
	while (view->n_rows > choice->limit) {
		view->n_hidden++;
		view->hidden += view->rows[--view->n_rows]->sums.elapsed_exclusive;
	}
}

static int run(const struct command *command, int argc, char **argv)
{
	struct report_options options = { .sort = "elapsed_exclusive",
					  .limit = NO_LIMIT,
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
	if (options.limit == NO_LIMIT && !options.view.format && !options.view.output &&
	    isatty(STDOUT_FILENO))
		options.limit = LIMIT_ON_TERMINAL;
	choice = (struct choice){ (enum column)column, options.limit };
	return view_run(n_operands ? argv[1] : NULL, (enum profile_by)options.by, &counting, &options.view,
			choose, &choice);
}

const struct command command_report = {
	.name = "report",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows calls and times by function, source line, thread and the like,\n"
		   "of a session (default: cinstr.data).",
	.options = report_options,
	.n_options = ARRAY_SIZE(report_options),
	.max_operands = 1,
	.examples = "  cinstr report                                functions by exclusive time\n"
		    "  cinstr report --by=thread                    one row a thread\n"
		    "  cinstr report --by=line                      lines (needs --probes=lines)\n"
		    "  cinstr report --by=site --sort=calls         the places that call\n"
		    "  cinstr report --sort=calls --limit=20        the 20 most called functions\n"
		    "  cinstr report --application=on-cpu old.data  only waiting left out\n"
		    "  cinstr report --format=csv -o functions.csv  for a spreadsheet or a script\n",
	.run = run,
};
