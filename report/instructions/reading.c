/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reading.c - a session of executed instructions read, and the options of that (instructions.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/samples.h"
#include "instructions.h"
#include "lib/files.h"
#include "lib/terminal.h"
#include "session/session.h"

#define HOW_TO_BUILD "build with -fplugin-arg-cinstr-instructions"

/* ---- options --------------------------------------------------------------------------------- */

/* What means nothing for executed instructions, and why. */
static const char *option_that_does_not_apply(const struct view_options *options, const char **why)
{
	const struct selection *s = &options->selection;

	*why = "it is about times";
	if (options->raw)
		return "--raw";
	if (options->application)
		return "--application";
	if (strcmp(options->os_events, "default") != 0)
		return "--os-events";
	if (options->set)
		return "--view";
	if (options->histogram)
		return "--histogram";
	*why = "its columns are always the same";
	if (options->columns)
		return "--columns";
	if (options->functions)
		return "--functions";
	*why = "it is of sampled sessions";
	if (options->inlines)
		return "--inlines";
	*why = "instructions are counted for the whole of a process";
	if (s->from)
		return "--from";
	if (s->to)
		return "--to";
	*why = "what the system's libraries executed is not counted";
	return s->just_my_code ? "--just-my-code" : NULL;
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
		return 0;
	error("%s: %s does not go with --measure=instructions: %s", command->name, option, why);
	return -1;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void add_data(void *arg, struct data *data)
{
	executed_add(arg, data);
}

static int say_nothing(const char *path)
{
	char *shown = util_visible(path);

	error("%s: no executed instructions were counted: " HOW_TO_BUILD, shown);
	free(shown);
	return STATUS_DATA;
}

/* Says so on standard error: what is told behind it is only a part. */
static void warn_of_stopped(const struct executed *executed, const char *path)
{
	char *shown = util_visible(path);

	if (executed->n_stopped)
		warning("%s: the recording of %s%zu process%s ended early (cinstr info says why): the rest "
			"is not counted",
			shown, executed->n_merged ? "at least " : "", executed->n_stopped,
			executed->n_stopped == 1 ? "" : "es");
	free(shown);
}

static int read_session(struct executed *executed, const char *path, const struct view_options *options,
			int by_thread, int is_needed)
{
	struct input input;
	int status = STATUS_DATA;

	executed_init(executed, names_new());
	executed->by_thread = by_thread;
	executed->some_threads = options->selection.threads != NULL;
	if (!input_open(&input, path)) {
		input.is_silent = 1;
		input.is_quiet = options->is_quiet;
		status = selection_each(&options->selection, &input, add_data, executed);
		executed->is_live = input.is_live;
		executed_finish(executed);
		if (executed->n_files && !executed->n_counting && is_needed)
			status = say_nothing(input.path);
		warn_of_stopped(executed, input.path);
	}
	input_release(&input);
	return status;
}

int instructions_read(struct executed *executed, const char *path, const struct view_options *options,
		      int by_thread)
{
	return read_session(executed, path, options, by_thread, 1);
}

int instructions_look(struct executed *executed, const char *path, const struct view_options *options)
{
	return read_session(executed, path, options, 0, 0);
}

void instructions_put_images(struct strbuf *text, const struct executed *executed)
{
	size_t n = executed_n_images(executed);

	for (size_t i = 0; i < n; i++) {
		strbuf_puts(text, !i ? "" : i + 1 < n ? ", " : " and ");
		strbuf_visible(text, util_basename(executed->images[i].path));
	}
}

/* ---- writing --------------------------------------------------------------------------------- */

int instructions_print(const struct view_options *options, void (*print)(FILE *out, const void *arg),
		       const void *arg)
{
	const char *path = options->output;
	int is_file = path && strcmp(path, "-") != 0, why;
	FILE *out = is_file ? files_write(path) : stdout;

	if (!out) {
		error("%s: cannot be written: %s", path, strerror(errno));
		return STATUS_DATA;
	}
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
