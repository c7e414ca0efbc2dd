/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_html.c - cinstr html: a session as one page for a browser. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "html.h"
#include "lib/files.h"

#define DEFAULT_FILE "cinstr.html"
#define UNSET (-1.0)

struct html_options {
	struct html_asked asked;
};

static const struct option html_options[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct html_options, asked.view.output),
	  "write there; -: to stdout", DEFAULT_FILE },
	HTML_OPTIONS(struct html_options, asked, "200000",
		     "leave out the lines of sources, for a page that you give to others", "2097152"),
	{ "no-timeline", 0, OPTION_FLAG, NULL, offsetof(struct html_options, asked.wish.no_timeline),
	  "without a recorded timeline, which takes long to read if it is large", NULL },
	READING_OPTIONS(struct html_options, asked.view),
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
	out = files_write_by(beside.text, is_beside ? FILES_NEW : 0);
	if (!out) {
		error("%s: cannot be written: %s", name, strerror(errno));
		strbuf_release(&beside);
		return status;
	}
	status = html_write(out, wish, &is_whole);
	failed = util_why_unwritten(out);
	if (fclose(out) && !failed)
		failed = errno;
	if (!failed && is_whole && (!is_beside || !rename(beside.text, name))) {
		strbuf_release(&beside);
		return status;
	}
	if (failed || is_whole)
		error("%s: cannot be written: %s", name, strerror(failed ? failed : errno));
	if (is_beside)
		unlink(beside.text);
	strbuf_release(&beside);
	return status ? status : STATUS_DATA;
}

static char separator[] = "and";

/* Options may stand behind --, too, which only parts A from B. */
static void separate(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = separator;
			break;
		}
}

/* [A] [-- B], or A B. 0, or -1 after an error message. */
static int find_sessions(const char *verb, struct html_wish *wish, char *const *operands, int n)
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

void html_asked_init(struct html_asked *asked, uint64_t paths_most, uint64_t source_most)
{
	*asked = (struct html_asked){
		.wish = { .paths_most = paths_most, .source_most = source_most, .min_percent = UNSET },
		.view = { .os_events = "default" },
	};
}

int html_asked_parse(struct html_asked *asked, const struct command *command, int argc, char **argv,
		     void *options)
{
	enum options_result result;
	int n_operands;

	separate(argc, argv);
	result = options_parse(command, argc, argv, options, &n_operands);
	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (find_sessions(command->name, &asked->wish, argv + 1, n_operands) ||
	    view_counting(command, &asked->view, &asked->counting))
		return STATUS_USAGE;
	asked->wish.view = &asked->view;
	asked->wish.counting = &asked->counting;
	return HTML_GO_ON;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct html_options options;
	struct view_options *view = &options.asked.view;
	const struct html_wish *wish = &options.asked.wish;
	int status, is_whole;
	const char *name;

	html_asked_init(&options.asked, HTML_PATHS_MOST, HTML_SOURCE_MOST);
	status = html_asked_parse(&options.asked, command, argc, argv, &options);
	if (status != HTML_GO_ON)
		return status;
	name = view->output ? view->output : DEFAULT_FILE;
	if (strcmp(name, "-")) {
		status = write_file(name, wish);
	} else {
		status = html_write(stdout, wish, &is_whole);
		if (fflush(stdout) || ferror(stdout))
			status = STATUS_DATA;
	}
	selection_release(&view->selection);
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
