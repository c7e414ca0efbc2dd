/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_report.c - cinstr report: rows by function, module, thread, process, source line, call site
 * or instruction. */
#include <stdlib.h>

#include "cmd.h"
#include "instructions/instructions.h"
#include "lib/terminal.h"
#include "tags/tags_report.h"
#include "view/view.h"

#define LIMIT_ON_TERMINAL 50
#define HISTOGRAMS_IN_TABLE 5
#define NO_LIMIT UINT64_MAX
#define BY_WORD_LINE 5 /* of --by */
#define BY_WORD_TAG 12

struct report_options {
	int by;		  /* of the option's words; then enum profile_by */
	const char *sort; /* NULL: by view */
	uint64_t limit;
	struct view_options view;
};

static const struct option report_options[] = {
	{ "by", 'b', OPTION_CHOICE,
	  "function|module|thread|thread-name|process|line|site|address|mark|rank|host|job|tag",
	  offsetof(struct report_options, by),
	  "what a row stands for; thread-name: all threads of one name, in processes of one name; line: "
	  "where time began, resolved to calls unless recorded with --probes=lines; site: a place that "
	  "calls, with its callee's values; address: the same as line by instruction; mark: what lies "
	  "between a mark and the next one; rank, host, job: the processes of one; tag: a value of "
	  "cinstr_tag()",
	  "function" },
	MEASURE_OPTION_ANY(struct report_options, view.measure),
	{ "functions", 0, OPTION_FLAG, NULL, offsetof(struct report_options, view.functions),
	  "with --by=module: each module's functions below it", NULL },
	{ "histogram", 0, OPTION_FLAG, NULL, offsetof(struct report_options, view.histogram),
	  "of each row: how many calls took how long", NULL },
	{ "sort", 's', OPTION_TEXT, "COLUMN[:asc|desc]", offsetof(struct report_options, sort),
	  "any column of --format=csv, by its name there; -ns may be left out",
	  "cpu_exclusive; of --view=full elapsed_exclusive; of --view=os off_cpu_exclusive; of marks "
	  "begin:asc; of sampled sessions exclusive_samples" },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct report_options, limit), "show the first N rows",
	  "50 in a table on a terminal, of histograms in a table 5; else all" },
	COLUMN_OPTIONS(struct report_options, view),
	VIEW_OPTIONS(struct report_options, view),
};

struct choice {
	struct order order;
	uint64_t limit;
};

static void hide(struct view *view, const struct row *row)
{
	view->n_hidden++;
	view->hidden += row->sums.elapsed_exclusive;
}

/* Rows of which `parent` is the one above (ROW_NONE: none), sorted, the first ones. Returns how
 * many. */
static size_t choose_below(struct view *view, uint32_t parent, const struct row **rows,
			   const struct choice *choice)
{
	const struct profile *profile = view->profile;
	size_t n = 0;

	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].parent == parent && !row_is_empty(&profile->rows[i]) &&
		    !profile->rows[i].filtered)
			rows[n++] = &profile->rows[i];
	order_rows(profile, rows, n, &choice->order);
	for (; n > choice->limit; n--)
		hide(view, rows[n - 1]);
	return n;
}

/* Modules, and below each one its functions. */
static void choose_functions(struct view *view, const struct choice *choice)
{
	const struct profile *profile = view->profile;
	FREED const struct row **modules = xcalloc(profile->n_rows, sizeof(*modules));
	size_t n = choose_below(view, ROW_NONE, modules, choice);

	for (size_t i = 0; i < n; i++) {
		view->rows[view->n_rows++] = modules[i];
		view->n_rows += choose_below(view, (uint32_t)(modules[i] - profile->rows),
					     view->rows + view->n_rows, choice);
	}
}

static void choose(struct view *view, void *arg)
{
	const struct choice *choice = arg;

	view->hidden_why = "--limit";
	if (view->profile->functions)
		choose_functions(view, choice);
	else
		view->n_rows = choose_below(view, ROW_NONE, view->rows, choice);
}

static int check(const struct command *command, const struct report_options *options, struct choice *choice)
{
	static const char *const by_set[] = {
		[COLUMNS_CPU] = "cpu_exclusive",     [COLUMNS_FULL] = "elapsed_exclusive",
		[COLUMNS_OS] = "off_cpu_exclusive",  [COLUMNS_IO] = "bytes_inclusive",
		[COLUMNS_MEMORY] = "allocated_own",  [COLUMNS_HELD] = "held_own",
		[COLUMNS_COUNTS] = "count_inclusive"
	};
	const char *sort = options->by == BY_MARK ? "begin:asc" : by_set[options->view.set];

	if (options->by == BY_SITE && options->view.set == COLUMNS_MEMORY)
		sort = "allocated_inclusive";
	if (options->by == BY_SITE && options->view.set == COLUMNS_HELD)
		sort = "held_inclusive";
	if (options->view.functions && options->by != BY_MODULE) {
		error("%s: --functions goes with --by=module", command->name);
		return -1;
	}
	if (options->view.histogram && (options->by == BY_THREAD || options->by == BY_PROCESS ||
					options->by == BY_MARK || options->by == BY_MODULE)) {
		return error("%s: --histogram goes with --by=function, line, site or address", command->name);
	}
	choice->limit = options->limit;
	return order_parse(&choice->order, options->sort ? options->sort : sort);
}

/* What --by says. */
static void choose_rows_by(struct report_options *options)
{
	static const struct {
		enum profile_by by;
		int merge_threads;
		enum process_group group;
	} views[] = { { BY_FUNCTION, 0, GROUP_PROCESS }, { BY_MODULE, 0, GROUP_PROCESS },
		      { BY_THREAD, 0, GROUP_PROCESS },	 { BY_THREAD, 1, GROUP_PROCESS },
		      { BY_PROCESS, 0, GROUP_PROCESS },	 { BY_LINE, 0, GROUP_PROCESS },
		      { BY_SITE, 0, GROUP_PROCESS },	 { BY_ADDRESS, 0, GROUP_PROCESS },
		      { BY_MARK, 0, GROUP_PROCESS },	 { BY_PROCESS, 0, GROUP_RANK },
		      { BY_PROCESS, 0, GROUP_HOST },	 { BY_PROCESS, 0, GROUP_JOB } };

	options->view.group = views[options->by].group;
	options->view.merge_threads = views[options->by].merge_threads;
	options->by = views[options->by].by;
}

/* 0, or -1 after an error message. */
static int executed_by_of(enum executed_by *by, const struct command *command, int word)
{
	static const enum executed_by of_words[] = { EXECUTED_BY_FUNCTION, EXECUTED_BY_MODULE,
						     EXECUTED_BY_THREAD };

	if (word >= (int)ARRAY_SIZE(of_words) && word != BY_WORD_LINE)
		return error("%s: --measure=instructions goes with --by=function, module, thread or line",
			     command->name);
	*by = word == BY_WORD_LINE ? EXECUTED_BY_LINE : of_words[word];
	return 0;
}

static int run_instructions(const struct command *command, const char *path, struct report_options *options)
{
	struct instructions_report report = { .sort = options->sort,
					      .limit = options->limit,
					      .view = &options->view };

	if (executed_by_of(&report.by, command, options->by))
		return STATUS_USAGE;
	return instructions_report(command, path, &report);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct report_options options = { .limit = NO_LIMIT, .view.os_events = "default" };
	struct counting counting;
	struct choice choice;
	int n_operands, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.limit == NO_LIMIT && options.view.histogram && !options.view.selection.functions &&
	    output_formats[options.view.format].shape->is_for_people)
		options.limit = HISTOGRAMS_IN_TABLE;
	if (options.limit == NO_LIMIT && output_formats[options.view.format].shape->is_for_people &&
	    !options.view.output && terminal_is_watched())
		options.limit = LIMIT_ON_TERMINAL;
	if (options.view.measure == MEASURE_INSTRUCTIONS)
		return run_instructions(command, n_operands ? argv[1] : NULL, &options);
	if (options.by == BY_WORD_TAG)
		return tags_report(command, n_operands ? argv[1] : NULL, &options.view, options.limit);
	choose_rows_by(&options);
	if (view_counting(command, &options.view, &counting) || check(command, &options, &choice))
		return STATUS_USAGE;
	options.view.selection.by_marks = options.by == BY_MARK;
	options.view.sort = choice.order.column;
	status = view_run(n_operands ? argv[1] : NULL, (enum profile_by)options.by, &counting, &options.view,
			  choose, &choice);
	selection_release(&options.view.selection);
	return status;
}

const struct command command_report = {
	.name = "report",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows calls and times, or samples, by function, source line, thread and the like,\n"
		   "of a session (default: cinstr.data).",
	OPTIONS_OF(report_options),
	.max_operands = 1,
	.notes = "With --by=site, f:12 -> g is a call in line 12 of f, and f:12 => g a tail call:\n"
		 "f jumped to g instead of calling it. Sampled sessions (cinstr record --sample)\n"
		 "have samples and shares in place of calls and times; with fewer than 1,000\n"
		 "samples, tables show how well each share is known (95 % CI). Names come from the\n"
		 "program: csv shows control characters as \\x1b, \\t, and quotes text that begins\n"
		 "with = + - @: import it into spreadsheets as text.\n",
	.examples = "  cinstr report                                functions by exclusive time\n"
		    "  cinstr report --by=thread                    one row a thread\n"
		    "  cinstr report --by=thread-name               one row for all threads of a name\n"
		    "  cinstr report --by=line                      source lines\n"
		    "  cinstr report --by=site --sort=calls         the places that call\n"
		    "  cinstr report --by=address                   instructions that call\n"
		    "  cinstr report --by=mark                      time between marks\n"
		    "  cinstr report --by=tag                       the slowest requests\n"
		    "  cinstr report --count=rows                   time for one row\n"
		    "  cinstr report --sort=calls --limit=20        the 20 most called functions\n"
		    "  cinstr report --columns=calls,max,p99 --sort=max   the slowest calls\n"
		    "  cinstr report --histogram --function=query   how many calls took how long\n"
		    "  cinstr report --view=os --by=site            who waits where, and for what\n"
		    "  cinstr report --by=module --functions        modules and their functions\n"
		    "  cinstr report --application=on-cpu old.data  only waiting left out\n"
		    "  cinstr report --measure=instructions         executed instructions, exactly\n"
		    "  cinstr report --format=csv -o functions.csv  for a spreadsheet or a script\n",
	.run = run,
};
