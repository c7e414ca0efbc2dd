/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rows_page.h"

#include <stdlib.h>
#include <string.h>

#include "places.h"

/* ---- rows ------------------------------------------------------------------------------------ */

void rows_page_init(struct rows_page *rows, struct ui_session *session, struct profile *profile,
		    const struct page_kind *kind, void (*choose)(struct rows_page *rows))
{
	rows->page.kind = kind;
	rows->page.session = session;
	rows->profile = profile;
	rows->choose = choose;
	rows->order.column = COLUMN_ELAPSED_INCLUSIVE;
	rows->view = *session->view;
	rows->view.profile = profile;
	rows->view.columns = NULL;
	rows->view.rows = NULL;
	rows->view.n_rows = 0;
}

void rows_page_release(struct page *page)
{
	struct rows_page *rows = (struct rows_page *)page;

	free(rows->view.rows);
	free(rows->filter);
}

const struct row *rows_page_row(const struct rows_page *rows, size_t line)
{
	return line < rows->view.n_rows ? rows->view.rows[line] : NULL;
}

void rows_page_choose(struct rows_page *rows)
{
	const struct row *at = rows_page_row(rows, rows->page.cursor);

	rows->memory = (struct table_memory){ 0 };
	rows->choose(rows);
	rows->page.cursor = 0;
	for (size_t i = 0; at && i < rows->view.n_rows; i++)
		if (rows->view.rows[i] == at)
			rows->page.cursor = i;
}

int rows_page_takes(const struct rows_page *rows, const struct row *row)
{
	return !rows->filter || (row->name && page_text_matches(row->name, rows->filter));
}

void rows_page_put_order(const struct rows_page *rows, struct strbuf *title)
{
	static const char *const directions[] = { "", " asc", " desc" };
	const char *key = column_infos[column_for(rows->profile, rows->order.column)].key;
	const char *unit = strstr(key, "_ns");

	strbuf_puts(title, " by ");
	strbuf_add(title, key, unit ? (size_t)(unit - key) : strlen(key));
	strbuf_puts(title, directions[rows->order.direction]);
	if (rows->filter) {
		strbuf_puts(title, ", with ");
		strbuf_visible(title, rows->filter);
	}
}

/* ---- for the page ---------------------------------------------------------------------------- */

size_t rows_page_n_lines(struct page *page)
{
	return ((struct rows_page *)page)->view.n_rows;
}

int rows_page_matches(struct page *page, size_t line, const char *text)
{
	const struct row *row = rows_page_row((struct rows_page *)page, line);

	return row && row->name && page_text_matches(row->name, text);
}

struct ui_function rows_page_function(struct page *page, size_t line)
{
	struct rows_page *rows = (struct rows_page *)page;
	const struct row *row = rows_page_row(rows, line);

	if (!row || row->entity >= rows->profile->names->keys.n)
		return (struct ui_function){ NULL, NAMES_NONE };
	return (struct ui_function){ rows->profile->names, row->entity };
}

static void remember_columns(struct rows_page *rows, const struct table *table)
{
	rows->n_shown = 0;
	for (size_t c = 0; c < table->grid.n; c++)
		if (!table->grid.columns[c].is_gone)
			rows->shown[rows->n_shown++] = table->columns[c].column;
}

/* Where the columns have no groups there is room for it. */
static void put_session(const struct ui_session *session, struct frame_line *line)
{
	const char *title = session->functions->totals.title;

	line->style = STYLE_DIM;
	strbuf_visible(&line->text, session->view->source);
	strbuf_puts(&line->text, title ? ": " : "");
	strbuf_visible(&line->text, title ? title : "");
}

static void put_headings(struct rows_page *rows, const struct table *table, struct frame *frame, size_t at)
{
	struct frame_line *line = frame_line(frame, at, STYLE_HEADING);

	table_put_groups(&line->text, table);
	if (!line->text.length)
		put_session(rows->page.session, line);
	line = frame_line(frame, at + 1, STYLE_HEADING);
	grid_put(&table->grid, &line->text, 0, 0, INK_PLAIN);
	line->mark_style = STYLE_SORTED;
	if (!table_span(table, column_for(rows->profile, rows->order.column), &line->mark_at, &line->mark_n))
		line->mark_n = 0;
}

void rows_page_put(struct page *page, struct frame *frame, size_t at, size_t first, size_t n)
{
	struct rows_page *rows = (struct rows_page *)page;
	struct table table;

	if (rows->width != frame->width || rows->view.set != page->session->view->set)
		rows->memory = (struct table_memory){ 0 };
	rows->width = frame->width;
	rows->view.set = page->session->view->set;
	table_make(&table, &rows->view, first, n, frame->width, rows->has_bars, &rows->memory);
	remember_columns(rows, &table);
	put_headings(rows, &table, frame, at);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = rows->view.rows[first + i];
		struct frame_line *line = frame_line(frame, at + ROWS_PAGE_HEADINGS + i,
						     rows->style ? rows->style(row) : STYLE_PLAIN);

		grid_put(&table.grid, &line->text, i + 1, 0, INK_PLAIN);
	}
	table_release(&table);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void sort_by(struct rows_page *rows, struct order order)
{
	rows->order = order;
	rows->page.cursor = SIZE_MAX;
	rows_page_choose(rows);
}

/* By the column beside the one that they are sorted by now. */
static void sort_beside(struct rows_page *rows, int step)
{
	enum column now = column_for(rows->profile, rows->order.column);
	size_t at = 0;

	while (at < rows->n_shown && rows->shown[at] != now)
		at++;
	if (!rows->n_shown)
		return;
	if (at == rows->n_shown)
		at = step > 0 ? 0 : rows->n_shown - 1;
	else
		at = (at + rows->n_shown + (size_t)step) % rows->n_shown;
	sort_by(rows, (struct order){ rows->shown[at], BY_NATURE });
}

static void invert(struct rows_page *rows)
{
	enum column column = column_for(rows->profile, rows->order.column);
	int is_text = column_infos[column].family == FAMILY_TEXT;
	int is_ascending =
		rows->order.direction == ASCENDING || (rows->order.direction == BY_NATURE && is_text);

	sort_by(rows, (struct order){ column, is_ascending ? DESCENDING : ASCENDING });
}

int rows_page_act(struct page *page, struct browser *browser, enum action action)
{
	struct rows_page *rows = (struct rows_page *)page;

	if (action == ACTION_SORT_LEFT)
		sort_beside(rows, -1);
	else if (action == ACTION_SORT_RIGHT)
		sort_beside(rows, 1);
	else if (action == ACTION_INVERT)
		invert(rows);
	else if (action == ACTION_SORT)
		browser_ask(browser, QUESTION_SORT, "Sort by column: ");
	else if (action == ACTION_FILTER)
		browser_ask(browser, QUESTION_FILTER, "Only names with: ");
	else
		return 0;
	return 1;
}

static void answer_sort(struct rows_page *rows, struct browser *browser, const char *text)
{
	struct order order;

	if (!*text || order_parse(&order, text))
		return; /* what was wrong has been said */
	if (!column_in_view(rows->profile, column_for(rows->profile, order.column)))
		browser_say(browser, "These rows have no %s", column_infos[order.column].key);
	else
		sort_by(rows, order);
}

int rows_page_answer(struct page *page, struct browser *browser, enum question question, const char *text)
{
	struct rows_page *rows = (struct rows_page *)page;

	if (question == QUESTION_SORT) {
		answer_sort(rows, browser, text);
		return 1;
	}
	if (question != QUESTION_FILTER)
		return 0;
	free(rows->filter);
	rows->filter = *text ? xstrdup(text) : NULL;
	rows_page_choose(rows);
	return 1;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* What tells a row from others, whatever its values are. */
static char *identity(const struct row *row)
{
	struct strbuf text = { 0 };

	strbuf_printf(&text, "%d %s\n%s\n%s\n%u %u %u %u", row->relation, row->name,
		      row->module ? row->module : "", row->file ? row->file : "", row->line, row->pid,
		      row->tid, row->twin);
	return text.text;
}

void rows_page_keep(struct page *page, struct place *place)
{
	const struct rows_page *rows = (const struct rows_page *)page;
	const struct row *row = rows_page_row(rows, page->cursor);

	place->order = rows->order;
	place->filter = rows->filter ? xstrdup(rows->filter) : NULL;
	place->line = row && row->name ? identity(row) : NULL;
}

void rows_page_restore(struct page *page, const struct place *place)
{
	struct rows_page *rows = (struct rows_page *)page;

	rows->order = place->order;
	free(rows->filter);
	rows->filter = place->filter ? xstrdup(place->filter) : NULL;
	rows_page_choose(rows);
	page->cursor = place->cursor;
	for (size_t i = 0; place->line && i < rows->view.n_rows; i++) {
		FREED char *line = identity(rows->view.rows[i]);

		if (!strcmp(line, place->line))
			page->cursor = i;
	}
}
