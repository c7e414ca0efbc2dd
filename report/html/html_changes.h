/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_changes.h - sections of a page of two sessions: the results of cinstr diff. */
#ifndef REPORT_HTML_HTML_CHANGES_H
#define REPORT_HTML_HTML_CHANGES_H

#include "html.h"

/* A session that has been written: the key of each function (names.h) and module -> its number in
 * the page; strings by number; whether instructions are known, too. */
struct html_known {
	struct map functions, modules, strings;
	int has_instructions;
};

/* Returns the key of the module of a row by module, or NULL. */
static inline const char *html_module_key(const struct row *row)
{
	return row->module ? row->module : row->name;
}

/* Writes "changes" and "changes_info" (page/changes.js reads them). Returns 0, or -1 if a session
 * could not be read. */
int html_changes_write(FILE *out, const struct html_wish *wish, const struct html_known known[2]);

#endif
