/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_suggest.c - cinstr suggest: writes functions to instrument next as a filter file of the
 * plugin. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "output/format.h"
#include "suggest.h"
#include "view/view.h"

struct suggest_options {
	double percent;
	uint64_t limit;
	int format;
	const char *output;
	struct view_options view;
};

static const struct option suggest_options[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct suggest_options, output),
	  "write there instead of stdout", NULL },
	{ "percent", 'p', OPTION_PERCENT, "PERCENT", offsetof(struct suggest_options, percent),
	  "functions with at least this share of the session, with what they call", "1" },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct suggest_options, limit),
	  "no more than N functions", "50" },
	{ "format", 'f', OPTION_CHOICE, OUTPUT_FORMAT_WORDS, offsetof(struct suggest_options, format),
	  "table: the filter file; csv, json: a row for each function that is in it, or was looked at",
	  "table" },
	TERMINAL_OPTIONS(struct suggest_options, view.terminal),
	NAMES_OPTIONS(struct suggest_options, view.names),
	SELECTION_OPTIONS(struct suggest_options, view.selection),
};

static void write_in(FILE *out, const struct suggest *suggest, const char *source, int number)
{
	const struct output_format *format = &output_formats[number];

	if (format->shape->is_for_people)
		suggest_write(out, suggest, source);
	else
		suggest_items(out, suggest, format->items);
}

static int write_file(const struct suggest *suggest, const char *output, const char *source, int format)
{
	FILE *out = output && strcmp(output, "-") != 0 ? files_write(output) : stdout;
	int failed;

	if (out == stdout)
		terminal_page();
	errno = 0;
	if (out)
		write_in(out, suggest, source, format);
	failed = !out || fflush(out) || ferror(out);
	if (out && out != stdout && fclose(out))
		failed = 1;
	if (failed && errno != EPIPE)
		error("%s: cannot be written: %s", output ? output : "stdout", strerror(errno));
	return failed ? STATUS_DATA : STATUS_OK;
}

static int suggest_nothing(const struct suggest *suggest)
{
	STRBUF(text);

	if (suggest->whole <= 0)
		strbuf_puts(&text, "the session holds no samples and no time");
	else if (!suggest->n_others)
		strbuf_puts(&text, "no function of the program's own has such a share");
	else
		strbuf_puts(&text, "what has a share is of the system's libraries, or stripped");
	if (suggest->library) {
		strbuf_puts(&text, "; is this one yours? --module=");
		strbuf_visible(&text, suggest->library);
	}
	return error_data("nothing to suggest: %s", text.text);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct suggest_options options = { .percent = SUGGEST_PERCENT,
					   .limit = SUGGEST_LIMIT,
					   .view.os_events = "default",
					   .view.inlines = 1 };
	struct suggest_choice choice;
	struct suggest suggest;
	struct counting counting;
	const char *path;
	int n_operands, status, written;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	path = n_operands ? argv[1] : NULL;
	choice = (struct suggest_choice){ options.percent, options.limit, &options.view.selection };
	status = suggest_read(&suggest, path, &options.view, &choice, 0);
	if (suggest.title) {
		written = suggest.n ? write_file(&suggest, options.output, path ? path : INPUT_DEFAULT,
						 options.format)
				    : suggest_nothing(&suggest);
		status = written ? written : status;
	}
	suggest_release(&suggest);
	selection_release(&options.view.selection);
	return status;
}

static const struct absent_options absent[] = {
	{ "sort columns view verbose", "it writes a filter file for the plugin, no table" },
	{ NULL, NULL },
};

const struct command command_suggest = {
	.name = "suggest",
	.operands = "[FOLDER | FILE]",
	.summary = "Suggests what to instrument next, as a filter file of the plugin,\n"
		   "from a sampled or an instrumented session (default: cinstr.data).",
	OPTIONS_OF(suggest_options),
	.max_operands = 1,
	.notes = "It takes functions of the program's own modules that have names: those with a\n"
		 "share of --percent or more, their callers up to main, and the next ones until 90\n"
		 "% of the program's own code is in one of them. Samples do not tell how often a\n"
		 "function is called. One that was never seen to call another is written as a\n"
		 "glob, [n]ame: then the plugin leaves it out if it is short. --function and\n"
		 "--module choose a part. A library that --module names counts as the program's\n"
		 "own.\n",
	.examples = "  cinstr record --sample -- ./app\n"
		    "  cinstr suggest -o app.filter\n"
		    "  gcc -O2 -g -fplugin=cinstr -fplugin-arg-cinstr-filter=app.filter app.c -o app\n"
		    "  cinstr suggest --percent=0.2 --limit=200    more of them\n",
	.absent = absent,
	.run = run,
};
