/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_changes.h - sections of a page of two sessions: what cinstr diff says of them. */
#ifndef REPORT_HTML_HTML_CHANGES_H
#define REPORT_HTML_HTML_CHANGES_H

#include "html.h"

/* Of a session that has been written: what makes it that function (names.h), or module, and its
 * number in the page; strings, by number; whether instructions are known, too. */
struct html_known {
	struct map functions, modules, strings;
	int has_instructions;
};

/* Of a row by module; NULL: it has none. */
static inline const char *html_module_key(const struct row *row)
{
	return row->module ? row->module : row->name;
}

/* Writes "changes" and "changes_info" (page/changes.js reads them). 0, or -1: a session could not
 * be read. */
int html_changes_write(FILE *out, const struct html_wish *wish, const struct html_known known[2]);

#endif
