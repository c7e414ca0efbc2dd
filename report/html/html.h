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

#define HTML_PATHS_MOST 200000 /* in one page, by default */

struct html_wish {
	const char *path; /* of the session; NULL: the last one */
	/* format is OUTPUT_FORMAT_table: names as tables have them */
	const struct view_options *view;
	const struct counting *counting;
	uint64_t paths_most; /* call paths; 0: all */
	double min_percent;  /* < 0: only what is beyond paths_most is left out */
	int is_live;	     /* the page is served, and may ask for itself again */
};

/*
 * Reads the session and writes the page. Returns the exit status; after an error nothing, or a part
 * of the page has been written. Does not look whether `out` took everything: ferror(out).
 */
int html_write(FILE *out, const struct html_wish *wish);

#endif
