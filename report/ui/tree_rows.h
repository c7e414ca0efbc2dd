/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree_rows.h - the call paths on the tree's page: which are open, and in which order. As there may
 * be millions of paths (rows/call_paths.h), rows are made at once for those with most time, for
 * others when needed.
 */
#ifndef REPORT_UI_TREE_ROWS_H
#define REPORT_UI_TREE_ROWS_H

#include "rows_page.h"

#define TREE_ROWS 50000 /* rows made at once */

struct tree_rows {
	struct profile *profile;
	size_t most;	   /* rows made at once */
	uint8_t *open;	   /* by path */
	uint8_t *kept;	   /* by path: gets a row, however little its time */
	struct row *more;  /* lines that stand for paths without rows */
	uint32_t *more_of; /* by row: index of the one below it in `more`; ROW_NONE: none */
	size_t n_more;
};

void tree_rows_init(struct tree_rows *tree, struct profile *profile);
void tree_rows_release(struct tree_rows *tree);
/* Makes the rows. */
void tree_read(struct tree_rows *tree, struct ui_session *session);

/* Whether the row is a line that stands for paths without rows. */
int tree_is_more(const struct tree_rows *tree, const struct row *row);
int tree_has_below(const struct tree_rows *tree, const struct row *row);
int tree_has_hot_below(const struct tree_rows *tree, const struct row *row);
/* Sets list[] to the visible lines below a row, in order. Returns their number. */
size_t tree_list(const struct tree_rows *tree, uint32_t parent, const struct order *order,
		 const struct row **list);
void tree_open_below(struct tree_rows *tree, const struct row *row);
void tree_open_above(struct tree_rows *tree, const struct row *row);

/* Returns the next row whose name contains the text, after `at` or (direction < 0) before it, in
 * the order of all rows, open or not, with wrap-around; NULL: there is none. */
const struct row *tree_find(const struct tree_rows *tree, const char *text, const struct row *at,
			    int direction, const struct order *order);
/* Select paths that get rows when these are made the next time: the callees of a path, which is
 * opened; a path without a row whose name contains the text, and its ancestors. tree_keep_match()
 * returns 0 if there is none. */
void tree_keep_below(struct tree_rows *tree, uint32_t path);
int tree_keep_match(struct tree_rows *tree, const char *text);

/* Returns a number for each path, computed from the functions on it, so that it is the same after
 * the session is read again. The caller frees the list. */
uint64_t *tree_path_names(const struct profile *profile);

#endif
