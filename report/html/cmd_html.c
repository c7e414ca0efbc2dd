/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_html.c - cinstr html: a session as one page for a browser. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "html.h"
#include "lib/files.h"

#define DEFAULT_FILE "cinstr.html"
#define UNSET (-1.0)

struct html_options {
	struct html_asked asked;
	int is_opened;
};

static const struct option html_options[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct html_options, asked.view.output),
	  "write there; -: to stdout", DEFAULT_FILE },
	HTML_OPTIONS(struct html_options, asked, "200000",
		     "leave out the lines of sources, for a page that you give to others", "2097152"),
	{ "open", 0, OPTION_FLAG, NULL, offsetof(struct html_options, is_opened),
	  "open it in a browser: by $BROWSER or xdg-open", NULL },
	{ "no-timeline", 0, OPTION_FLAG, NULL, offsetof(struct html_options, asked.wish.no_timeline),
	  "without a recorded timeline, which takes long to read if it is large", NULL },
	READING_OPTIONS(struct html_options, asked.view),
};

/* Writes beside the file first: what is there stays until the new page is complete. A device, a
 * pipe or a link is written to itself. */
static int write_file(const char *name, const struct html_wish *wish, int *is_whole)
{
	STRBUF(beside);
	int status = STATUS_DATA, failed, is_beside = util_is_replaceable(name);
	FILE *out;

	*is_whole = 0;
	strbuf_puts(&beside, name);
	if (is_beside)
		strbuf_printf(&beside, ".%ld.tmp", (long)getpid());
	out = files_write_by(beside.text, is_beside ? FILES_NEW : 0);
	if (!out) {
		error("%s: cannot be written: %s", name, files_problem(errno));
		return status;
	}
	status = html_write(out, wish, is_whole);
	failed = util_why_unwritten(out);
	if (fclose(out) && !failed)
		failed = errno;
	if (!failed && *is_whole && (!is_beside || !rename(beside.text, name)))
		return status;
	if (failed || *is_whole)
		error("%s: cannot be written: %s", name, strerror(failed ? failed : errno));
	*is_whole = 0;
	if (is_beside)
		unlink(beside.text);
	return status ? status : STATUS_DATA;
}

/* ---- opening it ------------------------------------------------------------------------------ */

/* Starts a program with the page; its words are not for this terminal. Returns 0, or an errno. */
static int start(const char *program, char *page)
{
	posix_spawn_file_actions_t actions;
	char *name = xstrdup(program);
	int error;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
	error = posix_spawnp(&pid, program, &actions, NULL, (char *[]){ name, page, NULL }, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(name);
	return error;
}

static int open_page(const char *name)
{
	const char *programs[] = { getenv("BROWSER"), "xdg-open", "sensible-browser", "x-www-browser" };
	FREED char *page = realpath(name, NULL);
	int why = ENOENT;

	for (size_t i = 0; page && why && i < ARRAY_SIZE(programs); i++)
		if (programs[i] && *programs[i])
			why = start(programs[i], page);
	if (!why)
		return STATUS_OK;
	return error_data("html: no browser could be started: neither $BROWSER nor xdg-open is there");
}

/* Says on stdout what was written, and opens it if that is asked for. Of a pipe or a device it
 * does neither. */
static int finish(const char *name, int is_opened)
{
	STRBUF(line);
	struct stat st;

	if (stat(name, &st) || !S_ISREG(st.st_mode))
		return STATUS_OK;
	strbuf_visible(&line, name);
	strbuf_puts(&line, ": ");
	strbuf_size(&line, (uint64_t)st.st_size);
	printf("%s%s\n", line.text, is_opened ? "" : "; open it in a browser, or by: cinstr html --open");
	return is_opened ? open_page(name) : STATUS_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

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
			return error("%s: one session, or two: A -- B", verb);
		}
	if (!sides || wish->other)
		return 0;
	return error("%s: the second session comes after --", verb);
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
	struct html_options options = { .is_opened = 0 };
	struct view_options *view = &options.asked.view;
	const struct html_wish *wish = &options.asked.wish;
	int status, is_whole;
	const char *name;

	html_asked_init(&options.asked, HTML_PATHS_MOST, HTML_SOURCE_MOST);
	status = html_asked_parse(&options.asked, command, argc, argv, &options);
	if (status != HTML_GO_ON)
		return status;
	name = view->output ? view->output : DEFAULT_FILE;
	if (options.is_opened && !strcmp(name, "-"))
		return error_usage("html: --open needs a file: with -o - there is none");
	if (strcmp(name, "-")) {
		status = write_file(name, wish, &is_whole);
		if (is_whole && finish(name, options.is_opened))
			status = STATUS_DATA;
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
	OPTIONS_OF(html_options),
	.max_operands = 3,
	.notes = "A and B are folders or files of sessions. With B the page tells what changed from A to B,\n"
		 "as cinstr diff.\n"
		 "The page is one file. It loads nothing else, and its content security policy makes\n"
		 "the browser enforce that. ? in the page lists its keys.\n",
	.examples = "  cinstr html                        cinstr.html, of the last session\n"
		    "  cinstr html -o run.html old.data   another session, another file\n"
		    "  cinstr html before.data -- after.data   and what changed\n"
		    "  cinstr html --open                 and show it\n"
		    "  cinstr html --thread=worker        of these threads only\n",
	.run = run,
};
