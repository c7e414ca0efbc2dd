/* SPDX-License-Identifier: GPL-3.0-or-later */
/* callers_page.c - the page of a function's callers, the function, and its callees. */
#include <stdlib.h>

#include "browser.h"
#include "rows_page.h"

struct callers_page {
	struct rows_page rows;
	uint32_t entity; /* of the profile's names */
	char *name;
};

/* Callers, the function, callees: each group in the order. */
static void choose(struct rows_page *rows)
{
	const struct profile *profile = rows->profile;
	size_t begin = 0;

	rows->view.n_rows = 0;
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];

		if (row->relation == RELATION_ROOT || (!row->filtered && rows_page_takes(rows, row)))
			rows->view.rows[rows->view.n_rows++] = row;
		if (i + 1 < profile->n_rows && row[1].relation == row->relation)
			continue;
		order_rows(profile, rows->view.rows + begin, rows->view.n_rows - begin, &rows->order);
		begin = rows->view.n_rows;
	}
}

/* The profile has the rows of the page that is on the screen: others were on it meanwhile. */
static void wake(struct page *page)
{
	struct rows_page *rows = (struct rows_page *)page;
	struct callers_page *callers = (struct callers_page *)page;
	size_t cursor = page->cursor;

	caller_rows_show(&page->session->edges, rows->profile, callers->entity);
	free(rows->view.rows);
	rows->view.rows = xcalloc(rows->profile->n_rows + 1, sizeof(*rows->view.rows));
	choose(rows);
	view_resolve(&rows->view, rows->profile);
	rows->memory = (struct table_memory){ 0 };
	choose(rows);
	page->cursor = cursor;
}

static void put_title(struct page *page, struct strbuf *title)
{
	strbuf_puts(title, "Callers and callees of ");
	strbuf_visible(title, ((struct callers_page *)page)->name);
	rows_page_put_order((struct rows_page *)page, title);
}

static enum frame_style style(const struct row *row)
{
	return row->relation == RELATION_ROOT ? STYLE_BOLD : STYLE_PLAIN;
}

static int act(struct page *page, struct browser *browser, enum action action)
{
	const struct row *row = rows_page_row((struct rows_page *)page, page->cursor);

	if (action != ACTION_ENTER && action != ACTION_RIGHT && action != ACTION_CALLERS)
		return rows_page_act(page, browser, action);
	if (row && row->relation != RELATION_ROOT)
		browser_show_callers(browser, rows_page_function(page, page->cursor));
	return 1;
}

static void release(struct page *page)
{
	free(((struct callers_page *)page)->name);
	rows_page_release(page);
}

static struct ui_function about(struct page *page)
{
	return (struct ui_function){ page->session->callers.names, ((struct callers_page *)page)->entity };
}

static const struct page_kind callers_kind = {
	.name = "callers",
	.hint = "Enter go to it  Left back  a source  / search  f filter  < > sort  ? help",
	ROWS_PAGE_KIND,
	.put_title = put_title,
	.wake = wake,
	.function = rows_page_function,
	.act = act,
	.remake = callers_page,
	.about = about,
	.release = release,
};

struct page *callers_page(struct ui_session *session, struct ui_function function)
{
	struct callers_page *callers;
	uint32_t entity;

	ui_session_read_callers(session);
	entity = ui_function_in(session->callers.names, function);
	if (entity == NAMES_NONE || caller_rows_show(&session->edges, &session->callers, entity))
		return NULL;
	callers = xcalloc(1, sizeof(*callers));
	rows_page_init(&callers->rows, session, &session->callers, &callers_kind, choose);
	callers->rows.style = style;
	callers->entity = entity;
	callers->name = xstrdup(ui_function_name(function));
	wake(&callers->rows.page);
	for (size_t i = 0; i < callers->rows.view.n_rows; i++)
		if (callers->rows.view.rows[i]->relation == RELATION_ROOT)
			callers->rows.page.cursor = i;
	return &callers->rows.page;
}
