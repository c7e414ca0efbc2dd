/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_callers.c - cinstr callers: of a function, who called it, and what it called. */
#include <stdlib.h>

#include "cmd.h"
#include "rows/caller_rows.h"
#include "session/session.h"
#include "view/view.h"

#define LIMIT_IN_TABLE 20
#define MATCHES_IN_TABLE 10
#define NO_LIMIT UINT64_MAX

struct callers_options {
	uint64_t limit, matches;
	int sites;
	const char *sort;
	struct view_options view;
};

static const struct option callers_options[] = {
	{ "sites", 0, OPTION_FLAG, NULL, offsetof(struct callers_options, sites),
	  "one row for each place that calls, with its line and address", NULL },
	{ "sort", 's', OPTION_TEXT, "COLUMN", offsetof(struct callers_options, sort),
	  "order of the callers and of the callees", "elapsed_inclusive, inclusive_samples" },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct callers_options, limit),
	  "show the first N callers and the first N callees", "20 in a table, else all" },
	{ "matches", 0, OPTION_NUMBER, "N", offsetof(struct callers_options, matches),
	  "of several functions that match, show those with the most inclusive time",
	  "10 in a table, else all" },
	MEASURE_OPTION_ANY(struct callers_options, view.measure),
	COLUMN_OPTIONS(struct callers_options, view),
	VIEW_OPTIONS(struct callers_options, view),
};

struct job {
	const struct callers_options *options;
	const char *function;
	enum column sort;
	struct profile profile;
};

static int is_taken(const struct job *job, const struct row *row)
{
	return row->relation == RELATION_ROOT ||
	       selection_takes_row(&job->options->view.selection, &job->profile, row);
}

/* One function's callers, or it, or its callees, from row `first` on. Returns the row behind
 * them. */
static size_t choose_relation(struct view *view, const struct job *job, size_t first)
{
	const struct row *rows = job->profile.rows, **begin = view->rows + view->n_rows;
	size_t i = first, n = 0;

	for (; i < job->profile.n_rows && rows[i].relation == rows[first].relation &&
	       rows[i].root == rows[first].root;
	     i++)
		if (is_taken(job, &rows[i])) {
			begin[n++] = &rows[i];
		} else {
			view->n_filtered++;
			view->filtered += rows[i].sums.elapsed_exclusive;
		}
	column_sort(&job->profile, begin, n, job->sort);
	for (; n > job->options->limit; n--) {
		view->n_hidden++;
		view->hidden += begin[n - 1]->sums.elapsed_exclusive;
	}
	view->n_rows += n;
	return i;
}

static int show(struct view *view, void *arg)
{
	struct job *job = arg;
	struct caller_rows_wish wish = { job->function, view->source, job->options->matches };
	size_t n = caller_rows_select(&job->profile, &wish);
	int status;

	if (!n)
		return STATUS_DATA;
	if (n > wish.functions)
		warning("%zu functions match '%s'; these are the %llu with the most inclusive time "
			"(--matches=N)",
			n, job->function, (unsigned long long)wish.functions);
	view->rows = xcalloc(job->profile.n_rows, sizeof(*view->rows));
	view->hidden_why = "--limit";
	for (size_t i = 0; i < job->profile.n_rows;)
		i = choose_relation(view, job, i);
	if (selection_check_seen(&job->options->view.selection)) {
		free(view->rows);
		return STATUS_DATA;
	}
	if (!job->options->sites)
		view_resolve(view, &job->profile);
	status = view_write(view, &job->options->view, OUTPUT_ROWS);
	free(view->rows);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct callers_options options = { .limit = NO_LIMIT,
					   .matches = NO_LIMIT,
					   .sort = "elapsed_inclusive",
					   .view.os_events = "default" };
	struct job job = { .options = &options };
	struct profile *profile = &job.profile;
	struct counting counting;
	int n_operands, column, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (!n_operands)
		return error_usage("callers: of which function? For example: cinstr callers main");
	if (n_operands == 1 && session_is_session(argv[1])) {
		const char *shown = util_shown(argv[1]);

		return error_usage(
			"callers: %s is a session; of which function? For example: cinstr callers main %s",
			shown, shown);
	}
	column = column_find(options.sort);
	if (column < 0 || view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	if (options.limit == NO_LIMIT && output_formats[options.view.format].shape->is_for_people)
		options.limit = LIMIT_IN_TABLE;
	if (options.matches == NO_LIMIT && output_formats[options.view.format].shape->is_for_people)
		options.matches = MATCHES_IN_TABLE;
	job.function = argv[1];
	job.sort = (enum column)column;
	options.view.sort = column;
	profile_init(profile, BY_CALLERS, &counting);
	profile->by_call_site = options.sites;
	status = view_read(n_operands > 1 ? argv[2] : NULL, &options.view, &profile, 1, show, &job);
	profile_release(profile);
	selection_release(&options.view.selection);
	return status;
}

const struct command command_callers = {
	.name = "callers",
	.operands = "FUNCTION [FOLDER | FILE]",
	.summary = "Shows who called a function and what it called, with the time of these calls,\n"
		   "in a session (default: cinstr.data).",
	OPTIONS_OF(callers_options),
	.max_operands = 2,
	.notes = "FUNCTION is a name, with or without arguments and scopes, or a glob; each\n"
		 "function that matches is shown. A caller's row is the time of the function in\n"
		 "calls by that caller. A callee's row is the time of the callee in calls by the\n"
		 "function. Without recursion the callers add up to the function's inclusive time,\n"
		 "and so do its exclusive time and the callees. Of a sampled session the same\n"
		 "holds for samples. (jump) marks a tail call: the caller jumped there instead of\n"
		 "calling, and stays the caller here. (part jump): some of the calls were such\n"
		 "(csv and json: tail_calls).\n",
	.examples = "  cinstr callers parse_line                 who called it, what it called\n"
		    "  cinstr callers --sites malloc old.data    each place that calls malloc\n"
		    "  cinstr callers 'xml_*' --limit=5          each function of that name\n"
		    "  cinstr callers main --format=csv          type: caller, root or callee\n",
	.run = run,
};
