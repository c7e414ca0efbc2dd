/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_html.c - cinstr html: a session as one page for a browser. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "html.h"

#define DEFAULT_FILE "cinstr.html"
#define UNSET (-1.0)

struct html_options {
	uint64_t paths_most;
	double min_percent;
	int no_source, no_timeline;
	uint64_t source_most;
	struct view_options view;
};

static const struct option html_options[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct html_options, view.output),
	  "write there; -: to stdout", DEFAULT_FILE },
	{ "paths", 0, OPTION_NUMBER, "N", offsetof(struct html_options, paths_most),
	  "at most N call paths, those with the most time; 0: all of them", "200000" },
	{ "min-percent", 'm', OPTION_PERCENT, "PERCENT", offsetof(struct html_options, min_percent),
	  "leave out paths below this share of the session's elapsed time, or samples", "0" },
	{ "no-source", 0, OPTION_FLAG, NULL, offsetof(struct html_options, no_source),
	  "leave out the lines of sources, for a page that you give to others", NULL },
	{ "source-limit", 0, OPTION_NUMBER, "BYTES", offsetof(struct html_options, source_most),
	  "at most so many bytes of sources; functions with the most time come first", "2097152" },
	{ "no-timeline", 0, OPTION_FLAG, NULL, offsetof(struct html_options, no_timeline),
	  "without a recorded timeline, which takes long to read if it is large", NULL },
	READING_OPTIONS(struct html_options, view),
};

/* Writes beside the file first: what is there stays until the new page is complete. A device, a
 * pipe or a link is written to itself. */
static int write_file(const char *name, const struct html_wish *wish)
{
	struct strbuf beside = { 0 };
	int status = STATUS_DATA, failed, is_whole, is_beside = util_is_replaceable(name);
	FILE *out;

	strbuf_puts(&beside, name);
	if (is_beside)
		strbuf_printf(&beside, ".%ld.tmp", (long)getpid());
	out = fopen(beside.text, is_beside ? "wxe" : "we");
	if (!out) {
		error("%s: cannot be written: %s", name, strerror(errno));
		strbuf_release(&beside);
		return status;
	}
	status = html_write(out, wish, &is_whole);
	errno = 0;
	failed = ferror(out);
	failed |= fclose(out);
	if (!failed && is_whole && (!is_beside || !rename(beside.text, name))) {
		strbuf_release(&beside);
		return status;
	}
	if (failed || is_whole)
		error("%s: cannot be written: %s", name, strerror(errno));
	if (is_beside)
		unlink(beside.text);
	strbuf_release(&beside);
	return status ? status : STATUS_DATA;
}

static char separator[] = "and";

/* Options may stand behind --, too, which only parts A from B. */
void html_separate(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = separator;
			break;
		}
}

/* [A] [-- B], or A B. 0, or -1 after an error message. */
int html_sessions(const char *verb, struct html_wish *wish, char *const *operands, int n)
{
	int sides = 0;

	for (int i = 0; i < n; i++)
		if (operands[i] == separator) {
			sides = 1;
		} else if (!sides && !wish->path) {
			wish->path = operands[i];
		} else if (!wish->other) {
			wish->other = operands[i];
		} else {
			error("%s: one session, or two: A -- B", verb);
			return -1;
		}
	if (!sides || wish->other)
		return 0;
	error("%s: the second session comes after --", verb);
	return -1;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct html_options options = { .paths_most = HTML_PATHS_MOST,
					.source_most = HTML_SOURCE_MOST,
					.min_percent = UNSET,
					.view.os_events = "default" };
	struct html_wish wish = { .view = &options.view };
	struct counting counting;
	int n_operands, status, is_whole;
	enum options_result result;
	const char *name;

	html_separate(argc, argv);
	result = options_parse(command, argc, argv, &options, &n_operands);
	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	if (html_sessions(command->name, &wish, argv + 1, n_operands))
		return STATUS_USAGE;
	wish.counting = &counting;
	wish.paths_most = options.paths_most;
	wish.min_percent = options.min_percent;
	wish.no_source = options.no_source;
	wish.no_timeline = options.no_timeline;
	wish.source_most = options.source_most;
	name = options.view.output ? options.view.output : DEFAULT_FILE;
	if (strcmp(name, "-")) {
		status = write_file(name, &wish);
	} else {
		status = html_write(stdout, &wish, &is_whole);
		if (fflush(stdout) || ferror(stdout))
			status = STATUS_DATA;
	}
	selection_release(&options.view.selection);
	return status;
}

const struct command command_html = {
	.name = "html",
	.operands = "[A] [-- B]",
	.summary = "Writes a session (default: cinstr.data) as one page for a browser.\n"
		   "It needs no network and can be mailed.",
	.options = html_options,
	.n_options = ARRAY_SIZE(html_options),
	.max_operands = 3,
	.notes = "A and B are folders or files of sessions. With B the page tells what changed from A to B,\n"
		 "as cinstr diff.\n"
		 "The page is one file. It loads nothing else, and its content security policy makes\n"
		 "the browser enforce that. ? in the page lists its keys.\n",
	.examples = "  cinstr html                        cinstr.html, of the last session\n"
		    "  cinstr html -o run.html old.data   another session, another file\n"
		    "  cinstr html before.data -- after.data   and what changed\n"
		    "  cinstr html --thread=worker        of these threads only\n",
	.run = run,
};
