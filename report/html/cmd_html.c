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
	struct view_options view;
};

static const struct option html_options[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct html_options, view.output),
	  "write there; -: to stdout", DEFAULT_FILE },
	{ "paths", 0, OPTION_NUMBER, "N", offsetof(struct html_options, paths_most),
	  "of more call paths than these, leave out those with the least time; 0: none", "200000" },
	{ "min-percent", 'm', OPTION_PERCENT, "PERCENT", offsetof(struct html_options, min_percent),
	  "leave out paths below this share of the session's elapsed time, or samples", "0" },
	READING_OPTIONS(struct html_options, view),
};

/* Writes beside the file first: what is there stays until the new page is complete. */
static int write_file(const char *name, const struct html_wish *wish)
{
	struct strbuf beside = { 0 };
	int status = STATUS_DATA, failed;
	FILE *out;

	strbuf_printf(&beside, "%s.%ld.tmp", name, (long)getpid());
	out = fopen(beside.text, "wxe");
	if (!out) {
		error("%s: cannot be written: %s", name, strerror(errno));
		strbuf_release(&beside);
		return status;
	}
	status = html_write(out, wish);
	errno = 0;
	failed = ferror(out);
	failed |= fclose(out);
	if (!failed && status != STATUS_USAGE && !rename(beside.text, name)) {
		strbuf_release(&beside);
		return status;
	}
	if (failed)
		error("%s: cannot be written: %s", name, strerror(errno));
	unlink(beside.text);
	strbuf_release(&beside);
	return status ? status : STATUS_DATA;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct html_options options = { .paths_most = HTML_PATHS_MOST,
					.min_percent = UNSET,
					.view.os_events = "default" };
	struct html_wish wish = { .view = &options.view };
	struct counting counting;
	int n_operands, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);
	const char *name;

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	wish.path = n_operands ? argv[1] : NULL;
	wish.counting = &counting;
	wish.paths_most = options.paths_most;
	wish.min_percent = options.min_percent;
	name = options.view.output ? options.view.output : DEFAULT_FILE;
	if (strcmp(name, "-")) {
		status = write_file(name, &wish);
	} else {
		status = html_write(stdout, &wish);
		if (fflush(stdout) || ferror(stdout))
			status = STATUS_DATA;
	}
	selection_release(&options.view.selection);
	return status;
}

const struct command command_html = {
	.name = "html",
	.operands = "[FOLDER | FILE]",
	.summary = "Writes a session (default: cinstr.data) as one page for a browser, which needs\n"
		   "no network and can be mailed.",
	.options = html_options,
	.n_options = ARRAY_SIZE(html_options),
	.max_operands = 1,
	.notes = "The page is one file. Nothing is loaded from anywhere, which its content security\n"
		 "policy has the browser enforce. ? in the page lists its keys.\n",
	.examples = "  cinstr html                        cinstr.html, of the last session\n"
		    "  cinstr html -o run.html old.data   another session, another file\n"
		    "  cinstr html --thread=worker        of these threads only\n",
	.run = run,
};
