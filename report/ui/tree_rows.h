/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree_rows.h - the call paths that the tree's page shows: which are open, in which order; rows for
 * those with most time, as there may be millions of paths (rows/call_paths.h), and for others as
 * they are wanted.
 */
#ifndef REPORT_UI_TREE_ROWS_H
#define REPORT_UI_TREE_ROWS_H

#include "rows_page.h"

#define TREE_ROWS 50000 /* that are made at once */

struct tree_rows {
	struct profile *profile;
	size_t most;	   /* rows at once */
	uint8_t *open;	   /* by path */
	uint8_t *kept;	   /* by path: it has a row, however little time it has */
	struct row *more;  /* lines that tell of paths without rows */
	uint32_t *more_of; /* by row: which of them is below it; ROW_NONE: none */
	size_t n_more;
};

void tree_rows_init(struct tree_rows *tree, struct profile *profile);
void tree_rows_release(struct tree_rows *tree);
/* Makes the rows. */
void tree_read(struct tree_rows *tree, struct ui_session *session);

/* Whether the row is a line that tells of others. */
int tree_is_more(const struct tree_rows *tree, const struct row *row);
int tree_has_below(const struct tree_rows *tree, const struct row *row);
int tree_has_hot_below(const struct tree_rows *tree, const struct row *row);
/* The lines below a row, as far as rows are open: list[], in order. Returns how many. */
size_t tree_list(const struct tree_rows *tree, uint32_t parent, const struct order *order,
		 const struct row **list);
void tree_open_below(struct tree_rows *tree, const struct row *row);
void tree_open_above(struct tree_rows *tree, const struct row *row);

/* The next row whose name has the text, behind `at` or (direction < 0) before it, in the order of
 * all rows, open or not, and from the begin again. NULL: there is none. */
const struct row *tree_find(const struct tree_rows *tree, const char *text, const struct row *at,
			    int direction, const struct order *order);
/* What is to have rows the next time they are made: what was called on the path; or a path without
 * a row whose name has the text, and those that lead to it: 0, there is none. */
void tree_keep_below(struct tree_rows *tree, uint32_t path);
int tree_keep_match(struct tree_rows *tree, const char *text);

/* Of each path a number that is of the functions on it, so that it is the same when the session has
 * been read again. The caller frees it. */
uint64_t *tree_path_names(const struct profile *profile);

#endif
