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

/*
 * cmd_html.c: [A] [-- B] among a command's words, where options may stand behind --, too: the first
 * before options_parse(), the other with what are operands then (0, or -1 after an error message).
 */
void html_separate(int argc, char **argv);
int html_sessions(const char *verb, struct html_wish *wish, char *const *operands, int n);

#endif
