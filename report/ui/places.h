/* SPDX-License-Identifier: GPL-3.0-or-later */
/* places.h - saves the position in a session so that it can be restored after the session is read
 * again: pages, lines under cursors, sort orders, open rows of the tree. */
#ifndef REPORT_UI_PLACES_H
#define REPORT_UI_PLACES_H

#include "browser.h"
#include "lib/int_map.h"

/* The position in a page. */
struct place {
	/* Makes the page of the function with key `function`; NULL: it is a view. */
	struct page *(*remake)(struct ui_session *session, struct ui_function function);
	char *function;
	size_t n_function;
	size_t cursor, top;
	char *line; /* text that identifies the line under the cursor; NULL: not known */
	struct order order;
	char *filter;
	uint64_t path;	     /* tree: path under the cursor (tree_path_names()) */
	struct int_map open; /* tree: open paths */
};

struct places {
	struct place *list[TABS]; /* pages of each tab, from the view on */
	size_t n[TABS];
	unsigned tab;
	enum column_set set;
	char *needle;
};

void places_keep(struct places *places, const struct browser *browser);
/* Restores what still exists. */
void places_restore(const struct places *places, struct browser *browser);
void places_release(struct places *places);

#endif
