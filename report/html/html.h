/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.h - a session as one page of HTML that works without a network: written by html_write(), for
 * `cinstr html` and for whoever serves it. What is in it, and under which names the page finds it,
 * is said in page/model.js. html_sections.h lists who writes what.
 */
#ifndef REPORT_HTML_HTML_H
#define REPORT_HTML_HTML_H

#include <stdio.h>

#include "view/view.h"

/* In one page, by default. */
#define HTML_PATHS_MOST 200000
#define HTML_SOURCE_MOST (2u << 20)

#define HTML_GO_ON (-1) /* no exit status yet */

struct html_wish {
	const char *path;  /* of the session; NULL: the last one */
	const char *other; /* of a second one, B; NULL: there is none */
	/* format is OUTPUT_FORMAT_table: names as tables have them */
	const struct view_options *view;
	const struct counting *counting;
	uint64_t paths_most; /* call paths; 0: all */
	double min_percent;  /* < 0: only what is beyond paths_most is left out */
	int no_source, no_timeline;
	uint64_t source_most; /* bytes of sources' lines */
	/* NULL: one file. Else the page is served (report/serve/): its data are in parts of the
	 * output, as they are, and behind them the page; here the parts are listed, one a line:
	 * NAME OFFSET BYTES. The last one is "page". */
	FILE *parts;
	/* what the sessions are called; NULL: by their paths */
	const char *shown_as, *other_shown_as;
};

/*
 * Reads the session and writes the page. Returns the exit status; *is_whole: the page is all there,
 * though something may be wrong with the data. Does not look whether `out` took everything:
 * ferror(out).
 */
int html_write(FILE *out, const struct html_wish *wish, int *is_whole);

/* cmd_html.c: what one can ask for of a page, by the commands that make one. */
struct html_asked {
	struct html_wish wish;
	struct view_options view;
	struct counting counting;
};

#define HTML_OPTIONS(type, member, paths, no_source_text, source_bytes) \
	{ "paths", \
	  0, \
	  OPTION_NUMBER, \
	  "N", \
	  offsetof(type, member.wish.paths_most), \
	  "at most N call paths, those with the most time; 0: all of them", \
	  paths }, \
		{ "min-percent", \
		  'm', \
		  OPTION_PERCENT, \
		  "PERCENT", \
		  offsetof(type, member.wish.min_percent), \
		  "leave out paths below this share of the session's elapsed time, or samples", \
		  "0" }, \
		{ "measure", \
		  0, \
		  OPTION_CHOICE, \
		  "time|instructions", \
		  offsetof(type, member.view.measure), \
		  "what the page shows first, of programs built with -fplugin-arg-cinstr-instructions: it " \
		  "has both", \
		  "time" }, \
		{ "no-source",	  0,   OPTION_FLAG, NULL, offsetof(type, member.wish.no_source), \
		  no_source_text, NULL }, \
	{ \
		"source-limit", 0, OPTION_NUMBER, "BYTES", offsetof(type, member.wish.source_most), \
			"at most so many bytes of sources; functions with the most time come first", \
			source_bytes \
	}

void html_asked_init(struct html_asked *asked, uint64_t paths_most, uint64_t source_most);
/* Options, which may stand behind --, too, and [A] [-- B], or A B. asked is a part of options, and
 * stays where it is. HTML_GO_ON, or the exit status, after help or an error message. */
int html_asked_parse(struct html_asked *asked, const struct command *command, int argc, char **argv,
		     void *options);

#endif
