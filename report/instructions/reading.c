/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reading.c - reads a session of executed instructions, and checks its options (instructions.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "executed/executed_tree.h"
#include "instructions.h"
#include "lib/files.h"
#include "lib/terminal.h"
#include "session/session.h"

/* ---- options --------------------------------------------------------------------------------- */

/* What means nothing in tables of their own, and why. */
static const char *option_that_does_not_apply(const struct view_options *options, const char **why)
{
	*why = "it is about times";
	if (options->histogram)
		return "--histogram";
	*why = "its columns are always the same";
	if (options->columns)
		return "--columns";
	return options->functions ? "--functions" : NULL;
}

int instructions_check(const struct command *command, struct view_options *options)
{
	const char *why, *option;

	if (terminal_configure(command->name, &options->terminal) ||
	    names_configure(command->name, &options->names,
			    output_formats[options->format].shape->is_for_people) ||
	    selection_check(&options->selection))
		return -1;
	option = option_that_does_not_apply(options, &why);
	if (!option)
		return view_check_executed(command, options);
	return error("%s: %s does not go with --measure=instructions: %s", command->name, option, why);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	struct executed *executed;
	struct profile *paths; /* NULL: not asked for */
};

static void add_data(void *arg, struct data *data)
{
	const struct reading *reading = arg;
	struct data *tree;

	executed_add(reading->executed, data);
	if (!reading->paths)
		return;
	tree = executed_tree_make(reading->executed, data);
	profile_add(reading->paths, tree);
	executed_tree_release(tree);
}

static int read_session(struct executed *executed, const char *path, const struct view_options *options,
			int by_thread, struct profile *paths, int is_needed)
{
	struct reading reading = { executed, paths };
	struct session input;
	int status = STATUS_DATA;

	executed_init(executed, paths ? names_share(paths->names) : names_new());
	executed->by_thread = by_thread;
	executed->some_threads = options->selection.threads != NULL;
	if (!session_open(&input, path)) {
		input.is_silent = 1;
		input.is_quiet = options->is_quiet;
		status = selection_each(&options->selection, &input, add_data, &reading);
		executed->is_live = input.is_live;
		executed_finish(executed);
		if ((is_needed || executed->n_counting) && view_say_executed(executed, input.path))
			status = STATUS_DATA;
	}
	session_release(&input);
	return status;
}

int instructions_read(struct executed *executed, const char *path, const struct view_options *options,
		      int by_thread, struct profile *paths)
{
	return read_session(executed, path, options, by_thread, paths, 1);
}

int instructions_look(struct executed *executed, const char *path, const struct view_options *options)
{
	return read_session(executed, path, options, 0, NULL, 0);
}

/* ---- writing --------------------------------------------------------------------------------- */

int instructions_print(const struct view_options *options, void (*print)(FILE *out, const void *arg),
		       const void *arg)
{
	const char *path = options->output;
	int is_file = path && strcmp(path, "-") != 0, why;
	FILE *out = is_file ? files_write(path) : stdout;

	if (!out)
		return error_data("%s: cannot be written: %s", path, strerror(errno));
	if (!is_file)
		terminal_page();
	print(out, arg);
	why = util_why_unwritten(out);
	if (is_file)
		fclose(out);
	if (why && why != EPIPE)
		error("%s: cannot be written: %s", is_file ? path : "stdout", strerror(why));
	return why ? STATUS_DATA : STATUS_OK;
}
