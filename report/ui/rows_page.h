/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows_page.h - what pages have in common that are tables of a profile's rows: drawn as the other
 * verbs' tables are, sorted by any column, filtered by name. */
#ifndef REPORT_UI_ROWS_PAGE_H
#define REPORT_UI_ROWS_PAGE_H

#include "output/table_layout.h"
#include "page.h"

struct rows_page {
	struct page page; /* first: pages get its address */
	struct profile *profile;
	struct view view; /* its rows are the lines */
	struct order order;
	char *filter; /* NULL: all rows */
	/* Fills view.rows, sorted and filtered. */
	void (*choose)(struct rows_page *rows);
	enum frame_style (*style)(const struct row *row);
	int has_bars;
	/* What was drawn last. */
	struct table_memory memory;
	unsigned width;
	enum column shown[COLUMN_COUNT];
	size_t n_shown;
};

#define ROWS_PAGE_HEADINGS 2 /* lines */

void rows_page_init(struct rows_page *rows, struct ui_session *session, struct profile *profile,
		    const struct page_kind *kind, void (*choose)(struct rows_page *rows));
/* Chooses anew; the cursor stays on its row, if that is still there. */
void rows_page_choose(struct rows_page *rows);
/* NULL: there is none. */
const struct row *rows_page_row(const struct rows_page *rows, size_t line);
int rows_page_takes(const struct rows_page *rows, const struct row *row);
/* Adds what the order is, if it is not the first one, and the filter. */
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

#endif
