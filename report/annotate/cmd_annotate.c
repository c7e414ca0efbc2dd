/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_annotate.c - cinstr annotate: sources with the values of each line. */
#include <stdlib.h>
#include <sys/stat.h>

#include "annotate.h"
#include "view/view.h"

#define HOTTEST 3
#define NO_LIMIT UINT64_MAX

struct annotate_options {
	uint64_t limit;
	int all, newer;
	struct view_options view;
};

static const struct option annotate_options[] = {
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct annotate_options, limit),
	  "show N functions, those that compute most", "3; all that FUNCTION matches" },
	{ "all", 'a', OPTION_FLAG, NULL, offsetof(struct annotate_options, all),
	  "all lines of the function or the file, not only those around lines with values", NULL },
	{ "newer", 0, OPTION_FLAG, NULL, offsetof(struct annotate_options, newer),
	  "also the text of sources that are newer than the module or the recording", NULL },
	VIEW_OPTIONS(struct annotate_options, view),
};

struct job {
	struct annotation annotation;
	const struct annotate_options *options;
	const char *wanted; /* NULL: the hottest functions */
};

static int show(struct view *view, void *arg)
{
	struct job *job = arg;
	struct annotation *annotation = &job->annotation;
	size_t most = job->options->limit != NO_LIMIT ? job->options->limit
		      : job->wanted		      ? SIZE_MAX
						      : HOTTEST;

	annotation->view = *view;
	if (!annotation_choose(annotation, job->wanted, most)) {
		char *shown = util_visible(job->wanted ? job->wanted : "");
		const char *happened = profile_measure(view->profile)->happened;

		if (job->wanted)
			error("no function '%s' with a known source was %s, and no lines of such a file",
			      shown, happened);
		else
			error("no function with a known source was %s", happened);
		free(shown);
		return STATUS_DATA;
	}
	annotation_read(annotation, job->options->newer);
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
	annotation_release(&job->annotation);
	for (int i = 0; i < ANNOTATE_PROFILES; i++)
		profile_release(profiles[i]);
	return status;
}

/* The operand is neither a function nor a source: it is the session, of which the functions are
 * shown that compute most. */
static int is_folder(const char *name)
{
	struct stat status;

	return !stat(name, &status) && S_ISDIR(status.st_mode);
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
	if (view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	job.annotation.all = options.all;
	if (n_operands == 1 && is_folder(argv[1]))
		session = argv[1];
	else
		job.wanted = n_operands && *argv[1] ? argv[1] : NULL;
	status = read_and_show(&job, n_operands > 1 ? argv[2] : session, &counting);
	selection_release(&options.view.selection);
	return status;
}

const struct command command_annotate = {
	.name = "annotate",
	.operands = "[FUNCTION | SOURCE [FOLDER | FILE]]",
	.summary = "Shows sources with the values of each line, and what was called from there,\n"
		   "of a session (default: cinstr.data).",
	.options = annotate_options,
	.n_options = ARRAY_SIZE(annotate_options),
	.max_operands = 2,
	.notes = "FUNCTION is a name or a glob; SOURCE is a path or its end. Without one (or with\n"
		 "'') the functions that compute most are shown. After cinstr record\n"
		 "--probes=lines each line has its own time, and inlined lines stand below the\n"
		 "line that they are inlined in. Otherwise time is known between calls only: a\n"
		 "bracket spans the lines that it may be of.\n",
	.examples = "  cinstr annotate                      the three functions that compute most\n"
		    "  cinstr annotate parse_line           one function\n"
		    "  cinstr annotate net/http.c --all     a whole source\n"
		    "  cinstr annotate old.data             of another session (a folder)\n"
		    "  cinstr annotate --format=csv main.c  rows of type line and callee\n",
	.run = run,
};
