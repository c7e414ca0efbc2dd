/* SPDX-License-Identifier: GPL-3.0-or-later */
/* places.h - where one is in a session, in words that hold when it has been read again: pages,
 * lines under cursors, orders, what is open in the tree. */
#ifndef REPORT_UI_PLACES_H
#define REPORT_UI_PLACES_H

#include "browser.h"
#include "lib/int_map.h"

/* A page. */
struct place {
	/* Makes the page of the function that `function` is the key of; NULL: it is a view. */
	struct page *(*remake)(struct ui_session *session, struct ui_function function);
	char *function;
	size_t n_function;
	size_t cursor, top;
	char *line; /* what is under the cursor; NULL: not known */
	struct order order;
	char *filter;
	uint64_t path;	     /* of the tree: the one under the cursor */
	struct int_map open; /* of the tree */
};

struct places {
	struct place *list[TABS]; /* from the view on */
	size_t n[TABS];
	unsigned tab;
	enum column_set set;
	char *needle;
};

void places_keep(struct places *places, const struct browser *browser);
/* As far as they are still there. */
void places_restore(const struct places *places, struct browser *browser);
void places_release(struct places *places);

#endif
