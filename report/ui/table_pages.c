/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_pages.c - the pages of functions, threads and processes. */
#include <stdlib.h>

#include "browser.h"
#include "rows_page.h"

static void choose(struct rows_page *rows)
{
	const struct profile *profile = rows->profile;

	rows->view.n_rows = 0;
	for (size_t i = 0; i < profile->n_rows; i++)
		if (!row_is_empty(&profile->rows[i]) && !profile->rows[i].filtered &&
		    rows_page_takes(rows, &profile->rows[i]))
			rows->view.rows[rows->view.n_rows++] = &profile->rows[i];
	order_rows(profile, rows->view.rows, rows->view.n_rows, &rows->order);
}

static void put_title(struct page *page, struct strbuf *title)
{
	rows_page_put_order((struct rows_page *)page, title);
}

/* ---- functions ------------------------------------------------------------------------------- */

static int act_on_function(struct page *page, struct browser *browser, enum action action)
{
	if (action != ACTION_ENTER && action != ACTION_RIGHT)
		return rows_page_act(page, browser, action);
	browser_show_callers(browser, rows_page_function(page, page->cursor));
	return 1;
}

static const struct page_kind functions_kind = {
	.name = "Functions",
	.hint = "Enter callers  a source  / search  f filter  < > sort  Tab view  ? help",
	ROWS_PAGE_KIND,
	.put_title = put_title,
	.function = rows_page_function,
	.act = act_on_function,
	.release = rows_page_release,
};

/* ---- threads, processes ---------------------------------------------------------------------- */

static int act_on_thread(struct page *page, struct browser *browser, enum action action)
{
	const struct row *row = rows_page_row((struct rows_page *)page, page->cursor);

	if (action != ACTION_ENTER && action != ACTION_RIGHT)
		return rows_page_act(page, browser, action);
	if (browser->session->threads->totals.merged)
		browser_say(browser, "Merged sessions do not keep threads");
	else if (row && row->tid)
		browser_narrow_thread(browser, row);
	else
		browser_say(browser, "Nothing is known of this thread's number");
	return 1;
}

static int act_on_process(struct page *page, struct browser *browser, enum action action)
{
	const struct row *row = rows_page_row((struct rows_page *)page, page->cursor);

	if (action != ACTION_ENTER && action != ACTION_RIGHT)
		return rows_page_act(page, browser, action);
	if (row && row->is_contributor)
		browser_say(browser, "What was merged has no more of a process than this");
	else if (row && row->pid)
		browser_narrow_process(browser, row);
	return 1;
}

static const struct page_kind threads_kind = {
	.name = "Threads",
	.hint = "Enter only this thread  / search  f filter  < > sort  Tab view  ? help",
	ROWS_PAGE_KIND,
	.put_title = put_title,
	.act = act_on_thread,
	.release = rows_page_release,
};

static const struct page_kind processes_kind = {
	.name = "Processes",
	.hint = "Enter only this process  / search  f filter  < > sort  Tab view  ? help",
	ROWS_PAGE_KIND,
	.put_title = put_title,
	.act = act_on_process,
	.release = rows_page_release,
};

/* ---- making them ----------------------------------------------------------------------------- */

static struct page *page_new(struct ui_session *session, struct profile *profile,
			     const struct page_kind *kind)
{
	/* as cmd_report.c has it */
	static const enum column by_set[] = {
		[COLUMNS_CPU] = COLUMN_CPU_EXCLUSIVE,	 [COLUMNS_FULL] = COLUMN_ELAPSED_EXCLUSIVE,
		[COLUMNS_OS] = COLUMN_OFF_CPU_EXCLUSIVE, [COLUMNS_IO] = COLUMN_BYTES_READ,
		[COLUMNS_MEMORY] = COLUMN_ALLOCATED_OWN, [COLUMNS_HELD] = COLUMN_HELD_OWN,
		[COLUMNS_COUNTS] = COLUMN_USER_COUNT
	};
	struct rows_page *rows = xcalloc(1, sizeof(*rows));

	rows_page_init(rows, session, profile, kind, choose);
	rows->has_bars = 1;
	rows->order.column = by_set[session->view->set];
	rows->view.rows = xcalloc(profile->n_rows + 1, sizeof(*rows->view.rows));
	choose(rows);
	view_resolve(&rows->view, profile);
	rows_page_choose(rows);
	rows->page.cursor = 0;
	return &rows->page;
}

struct page *functions_page(struct ui_session *session)
{
	return page_new(session, session->functions, &functions_kind);
}

struct page *threads_page(struct ui_session *session)
{
	return page_new(session, session->threads, &threads_kind);
}

struct page *processes_page(struct ui_session *session)
{
	return page_new(session, session->processes, &processes_kind);
}
