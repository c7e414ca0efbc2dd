/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows_page.h - common part of pages that are tables of a profile's rows: drawn like the tables of
 * other verbs, sorted by any column, filtered by name. */
#ifndef REPORT_UI_ROWS_PAGE_H
#define REPORT_UI_ROWS_PAGE_H

#include "output/table_layout.h"
#include "page.h"

struct rows_page {
	struct page page; /* must be first: pages are passed by its address */
	struct profile *profile;
	struct view view; /* its rows are the lines of the page */
	struct order order;
	char *filter; /* NULL: all rows */
	/* Sets view.rows, sorted and filtered. */
	void (*choose)(struct rows_page *rows);
	enum frame_style (*style)(const struct row *row);
	int has_bars;
	/* Layout of the last drawing. */
	struct table_memory memory;
	unsigned width;
	enum column shown[COLUMN_COUNT];
	size_t n_shown;
};

#define ROWS_PAGE_HEADINGS 2 /* number of lines */

void rows_page_init(struct rows_page *rows, struct ui_session *session, struct profile *profile,
		    const struct page_kind *kind, void (*choose)(struct rows_page *rows));
/* Chooses the rows again. The cursor stays on its row if that still exists. */
void rows_page_choose(struct rows_page *rows);
/* Returns NULL if there is no such line. */
const struct row *rows_page_row(const struct rows_page *rows, size_t line);
int rows_page_takes(const struct rows_page *rows, const struct row *row);
/* Appends the sort order and the filter. */
void rows_page_put_order(const struct rows_page *rows, struct strbuf *title);

/* For struct page_kind. */
size_t rows_page_n_lines(struct page *page);
void rows_page_put(struct page *page, struct frame *frame, size_t at, size_t first, size_t n);
int rows_page_matches(struct page *page, size_t line, const char *text);
struct ui_function rows_page_function(struct page *page, size_t line);
int rows_page_act(struct page *page, struct browser *browser, enum action action);
int rows_page_answer(struct page *page, struct browser *browser, enum question question, const char *text);
void rows_page_keep(struct page *page, struct place *place);
void rows_page_restore(struct page *page, const struct place *place);
void rows_page_release(struct page *page);
/* Members of struct page_kind for a page that only has such a table. It adds release(). */
#define ROWS_PAGE_KIND \
	.n_headings = ROWS_PAGE_HEADINGS, .n_lines = rows_page_n_lines, .put = rows_page_put, \
	.matches = rows_page_matches, .answer = rows_page_answer, .keep = rows_page_keep, \
	.restore = rows_page_restore

#endif
