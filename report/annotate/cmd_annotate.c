/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_annotate.c - cinstr annotate: shows sources with the values of each line. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "instructions/instructions.h"
#include "quickfix.h"
#include "session/session.h"
#include "view/view.h"

#define HOTTEST 3
#define FILES_LINES 50000 /* with values, of --files: some 60 MB of json */
#define NO_LIMIT UINT64_MAX

struct annotate_options {
	uint64_t limit;
	int all, files, newer, measure, coverage;
	const char *sort, *columns;
	struct view_options view;
};

static const struct option annotate_options[] = {
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct annotate_options, limit),
	  "show N functions, those that compute most", "3; all that FUNCTION matches" },
	{ "all", 'a', OPTION_FLAG, NULL, offsetof(struct annotate_options, all),
	  "all lines of the function or the file, not only those around lines with values", NULL },
	{ "files", 0, OPTION_FLAG, NULL, offsetof(struct annotate_options, files),
	  "all sources of the session as a whole, those with the most time first; --limit=N: as many as have "
	  "N lines with values (default: 50000)",
	  NULL },
	{ "newer", 0, OPTION_FLAG, NULL, offsetof(struct annotate_options, newer),
	  "also the text of sources that are newer than the module or the recording", NULL },
	MEASURE_OPTION(struct annotate_options, measure),
	{ "coverage", 0, OPTION_FLAG, NULL, offsetof(struct annotate_options, coverage),
	  "of executed instructions: which lines were executed, of all functions, in the format of lcov "
	  "(genhtml)",
	  NULL },
	{ "sort", 's', OPTION_TEXT, "COLUMN", offsetof(struct annotate_options, sort),
	  "which functions come first: any column of cinstr report; lines stay as they are in the source",
	  "time on the processor by themselves" },
	{ "columns", 'c', OPTION_TEXT, "LIST", offsetof(struct annotate_options, columns),
	  "the values before each line, in this order: names and groups as in cinstr report --by=line "
	  "(calls, avg, p99, os); +NAME and -NAME change the default; help: lists them",
	  "calls, times, percent" },
	VIEW_OPTIONS_OF(struct annotate_options, view, OUTPUT_FORMAT_WORDS_AND("quickfix"),
			"; quickfix: of the whole session, FILE:LINE: MESSAGE for editors"),
};

struct job {
	struct annotation annotation;
	const struct annotate_options *options;
	const char *wanted; /* NULL: the hottest functions */
	struct order order; /* if there is a --sort */
	struct column_list columns;
};

/* What is to be shown of a line: numbers. 0, or -1 after an error message. */
static int choose_columns(struct job *job, const struct profile *lines)
{
	struct column_list defaults, list;
	size_t n = 0;

	if (!job->options->columns)
		return 0;
	if (output_formats[job->options->view.format].shape->is_for_people)
		annotate_table_columns(&defaults, lines);
	else
		annotate_default_columns(&defaults, lines);
	if (column_list_parse(&list, job->options->columns, &defaults, lines))
		return -1;
	for (size_t i = 0; i < list.n; i++)
		if (column_infos[list.list[i]].family != FAMILY_TEXT)
			list.list[n++] = list.list[i];
	list.n = n;
	if (!n)
		return error("annotate: --columns=%s has no numbers; the source is always shown, after the "
			     "columns",
			     job->options->columns);
	job->columns = list;
	job->annotation.columns = &job->columns;
	return 0;
}

static int show(struct view *view, void *arg)
{
	struct job *job = arg;
	struct annotation *annotation = &job->annotation;
	size_t most = job->options->limit != NO_LIMIT ? job->options->limit
		      : job->wanted		      ? SIZE_MAX
						      : HOTTEST;

	annotation->view = *view;
	annotation->selection = &job->options->view.selection;
	if (choose_columns(job, view->profile))
		return STATUS_USAGE;
	if (job->options->sort) {
		if (column_check_sort(&annotation->profiles[ANNOTATE_FUNCTIONS], job->order.column))
			return STATUS_USAGE;
		annotation->order = &job->order;
	}
	if (job->options->files)
		most = annotate_choose_files(annotation, NULL,
					     job->options->limit != NO_LIMIT ? job->options->limit
									     : FILES_LINES);
	else
		most = annotate_choose(annotation, job->wanted, most);
	if (!most) {
		const char *happened = profile_measure(view->profile)->happened;

		if (job->wanted)
			error("no function '%s' with a known source was %s, and no lines of such a file",
			      util_shown(job->wanted ? job->wanted : ""), happened);
		else
			error("no function with a known source was %s", happened);
		return STATUS_DATA;
	}
	annotate_read(annotation, job->options->newer);
	return view_write(&annotation->view, &job->options->view, OUTPUT_ANNOTATION);
}

static int read_and_show(struct job *job, const char *path, const struct counting *counting)
{
	static const enum profile_by by[ANNOTATE_PROFILES] = { BY_LINE, BY_SITE, BY_FUNCTION };
	struct profile *profiles[ANNOTATE_PROFILES];
	int status;

	for (int i = 0; i < ANNOTATE_PROFILES; i++) {
		profiles[i] = &job->annotation.profiles[i];
		profile_init(profiles[i], by[i], counting);
	}
	status = view_read(path, &job->options->view, profiles, ANNOTATE_PROFILES, show, job);
	annotate_release(&job->annotation);
	for (int i = 0; i < ANNOTATE_PROFILES; i++)
		profile_release(profiles[i]);
	return status;
}

static int show_instructions(const struct command *command, const char *wanted, const char *session,
			     struct annotate_options *options)
{
	struct instructions_source source = { .wanted = wanted,
					      .session = session,
					      .limit = options->limit != NO_LIMIT ? options->limit : HOTTEST,
					      .all = options->all,
					      .newer = options->newer,
					      .is_coverage = options->coverage,
					      .view = &options->view };

	options->view.columns = options->columns;
	if (!options->sort)
		return instructions_source(command, &source);
	return error_usage(
		"annotate: --sort does not go with --measure=instructions: those that executed most come "
		"first");
}

static int show_quickfix(const struct command *command, const char *wanted, const char *session,
			 struct annotate_options *options)
{
	struct counting counting;
	int status;

	if (wanted || options->coverage || options->measure == MEASURE_INSTRUCTIONS || options->sort ||
	    options->columns)
		return error_usage(
			"annotate: --format=quickfix is of the time of a whole session; --function=GLOBS "
			"chooses functions");
	options->view.format = OUTPUT_FORMAT_table;
	if (view_counting(command, &options->view, &counting))
		return STATUS_USAGE;
	status = quickfix_run(session, &options->view, &counting);
	selection_release(&options->view.selection);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct annotate_options options = { .limit = NO_LIMIT, .view.os_events = "default" };
	struct job job = { .options = &options };
	struct counting counting;
	const char *session = NULL;
	int n_operands, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.columns && !strcmp(options.columns, "help")) {
		column_list_help(stdout);
		return STATUS_OK;
	}
	/* neither a function nor a source: the functions of that session that compute most */
	if (n_operands == 1 && session_is_session(argv[1]))
		session = argv[1];
	else
		job.wanted = n_operands && *argv[1] ? argv[1] : NULL;
	session = n_operands > 1 ? argv[2] : session;
	if (options.files && (job.wanted || options.coverage || options.measure == MEASURE_INSTRUCTIONS ||
			      options.sort || options.view.format == OUTPUT_FORMAT_OWN))
		return error_usage(
			"annotate: --files is of the time of a whole session; --function=GLOBS and "
			"--module=GLOBS choose files");
	if (options.view.format == OUTPUT_FORMAT_OWN)
		return show_quickfix(command, job.wanted, session, &options);
	if (options.measure == MEASURE_INSTRUCTIONS || options.coverage)
		return show_instructions(command, job.wanted, session, &options);
	if (options.sort && order_parse(&job.order, options.sort))
		return STATUS_USAGE;
	if (view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	job.annotation.all = options.all;
	status = read_and_show(&job, session, &counting);
	selection_release(&options.view.selection);
	return status;
}

static const struct absent_options absent[] = {
	{ "view", "--columns=application or --columns=os chooses what is shown of a line" },
	{ NULL, NULL },
};

const struct command command_annotate = {
	.name = "annotate",
	.operands = "[FUNCTION | SOURCE [FOLDER | FILE]]",
	.summary = "Shows sources with the values of each line, and what was called from there,\n"
		   "of a session (default: cinstr.data).",
	OPTIONS_OF(annotate_options),
	.max_operands = 2,
	.notes = "FUNCTION is a name or a glob; SOURCE is a path or its end. Without one (or with\n"
		 "'') the functions that compute most are shown. After cinstr record\n"
		 "--probes=lines each line has its own time, and inlined lines stand below the\n"
		 "line that they are inlined in. Otherwise time is known between calls only: a\n"
		 "bracket spans the lines that it may be of.\n",
	.examples = "  cinstr annotate                      the three functions that compute most\n"
		    "  cinstr annotate parse_line           one function\n"
		    "  cinstr annotate --sort=calls -n 1    the function that is called most\n"
		    "  cinstr annotate f --columns=+avg,+max  also of one call\n"
		    "  cinstr annotate net/http.c --all     a whole source\n"
		    "  cinstr annotate old.data             of another session (a folder)\n"
		    "  cinstr annotate --measure=instructions f    how often lines were executed\n"
		    "  cinstr annotate --coverage -o lcov.info     coverage, for genhtml\n"
		    "  cinstr annotate --files --format=json       all lines, for an editor\n"
		    "  cinstr annotate --format=csv main.c  rows of type line and callee\n"
		    "  vim -q <(cinstr annotate --format=quickfix)  hot lines and findings\n",
	.absent = absent,
	.run = run,
};
