/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html.h - a session as one page of HTML that works without a network: written by html_write(), for
 * `cinstr html` and for report/serve/. page/model.js says what is in it, and under which names.
 * html_sections.h lists the writers. */
#ifndef REPORT_HTML_HTML_H
#define REPORT_HTML_HTML_H

#include <stdio.h>

#include "view/view.h"

/* Default limits of a page: call paths; bytes of sources. */
#define HTML_PATHS_MOST 200000
#define HTML_SOURCE_MOST (2u << 20)

#define HTML_GO_ON (-1) /* no exit status yet */

struct html_wish {
	const char *path;  /* path of the session; NULL: the last one */
	const char *other; /* path of a second session, B; NULL: none */
	/* its format is OUTPUT_FORMAT_table: names as in tables */
	const struct view_options *view;
	const struct counting *counting;
	uint64_t paths_most; /* maximum number of call paths; 0: all */
	double min_percent;  /* < 0: leaves out only paths beyond paths_most */
	int no_source, no_timeline;
	uint64_t source_most; /* maximum number of bytes of source lines */
	/* NULL: writes one file. Otherwise the page is served (report/serve/): the output has parts
	 * with its data, not encoded, and then the page; this file lists the parts, one a line:
	 * NAME OFFSET BYTES. The last one is "page". */
	FILE *parts;
	/* names of the sessions; NULL: their paths */
	const char *shown_as, *other_shown_as;
};

/* Reads the session and writes the page. Returns the exit status; *is_whole: the page is complete,
 * even if the data have errors. Does not check whether all could be written: see ferror(out). */
int html_write(FILE *out, const struct html_wish *wish, int *is_whole);

/* cmd_html.c: the options of a page, for the commands that make one. */
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
/* Parses options, also those after --, and the operands [A] [-- B], or A B. `asked` is a part of
 * `options`, and must not move. Returns HTML_GO_ON, or the exit status, after help or an error
 * message. */
int html_asked_parse(struct html_asked *asked, const struct command *command, int argc, char **argv,
		     void *options);

#endif
