/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree_page.c - the page of call paths as a tree that opens and closes. The paths with most time
 * have rows (tree_rows.c); a line stands for the others and reads them when opened.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "tree_rows.h"

struct tree_page {
	struct rows_page rows;
	struct tree_rows tree;
	int is_read;
};

static struct tree_page *tree_of(struct page *page)
{
	return (struct tree_page *)page;
}

static const struct row *row_at(struct tree_page *t, size_t line)
{
	return rows_page_row(&t->rows, line);
}

/* What stands before a name. */
static char branch(const struct view *view, const struct row *row)
{
	const struct tree_page *t =
		(const struct tree_page *)((const char *)view - offsetof(struct rows_page, view));

	if (!tree_has_below(&t->tree, row))
		return ' ';
	return t->tree.open[row->path] ? '-' : '+';
}

/* ---- which rows are lines -------------------------------------------------------------------- */

static void choose(struct rows_page *rows)
{
	struct tree_page *t = (struct tree_page *)rows;

	if (t->is_read)
		rows->view.n_rows = tree_list(&t->tree, 0, &rows->order, rows->view.rows);
}

static size_t n_below(const struct tree_page *t, size_t line)
{
	const struct view *view = &t->rows.view;
	size_t n = 0;

	while (line + 1 + n < view->n_rows && view->rows[line + 1 + n]->depth > view->rows[line]->depth)
		n++;
	return n;
}

static void close_line(struct tree_page *t, size_t line)
{
	struct view *view = &t->rows.view;
	size_t n = n_below(t, line), rest = view->n_rows - line - 1 - n;

	t->tree.open[view->rows[line]->path] = 0;
	memmove(view->rows + line + 1, view->rows + line + 1 + n, rest * sizeof(*view->rows));
	view->n_rows -= n;
}

static void open_line(struct tree_page *t, size_t line)
{
	struct view *view = &t->rows.view;
	const struct row *row = view->rows[line];
	size_t rest = view->n_rows - line - 1, n;
	FREED const struct row **behind = xcalloc(rest + 1, sizeof(*behind));

	memcpy(behind, view->rows + line + 1, rest * sizeof(*behind));
	t->tree.open[row->path] = 1;
	n = tree_list(&t->tree, (uint32_t)(row - t->tree.profile->rows), &t->rows.order,
		      view->rows + line + 1);
	memcpy(view->rows + line + 1 + n, behind, rest * sizeof(*behind));
	view->n_rows += n;
	t->rows.memory = (struct table_memory){ 0 }; /* for marks that no row had */
}

static size_t line_of_path(struct tree_page *t, uint32_t path)
{
	for (size_t i = 0; i < t->rows.view.n_rows; i++)
		if (t->rows.view.rows[i]->path == path && !tree_is_more(&t->tree, t->rows.view.rows[i]))
			return i;
	return LINE_NONE;
}

/* Rows are made anew, with those that the tree keeps now. The cursor stays on its path. */
static void read_rows(struct tree_page *t)
{
	struct rows_page *rows = &t->rows;
	const struct row *at = row_at(t, rows->page.cursor);
	uint32_t path = at ? at->path : PATH_NONE;
	int is_more = at && tree_is_more(&t->tree, at);
	size_t line;

	ui_session_busy(rows->page.session, "Reading call paths ...");
	free(rows->view.rows);
	rows->view.rows = NULL;
	tree_read(&t->tree, rows->page.session);
	rows->view.rows = xcalloc(t->tree.profile->n_rows + t->tree.n_more + 1, sizeof(*rows->view.rows));
	rows->memory = (struct table_memory){ 0 };
	t->is_read = 1;
	choose(rows);
	line = path == PATH_NONE ? LINE_NONE : line_of_path(t, path);
	rows->page.cursor = line == LINE_NONE ? 0 : line + (size_t)is_more;
}

/* ---- the hot path ---------------------------------------------------------------------------- */

/* Opens it. Its last line; LINE_NONE: there is none. */
static size_t open_hot(struct tree_page *t)
{
	const struct view *view = &t->rows.view;
	size_t last = LINE_NONE;
	uint32_t depth = 1;

	for (size_t i = 0; i < view->n_rows && view->rows[i]->depth >= depth; i++) {
		if (!view->rows[i]->is_hot || view->rows[i]->depth != depth)
			continue;
		last = i;
		depth++;
		if (!t->tree.open[view->rows[i]->path] && tree_has_below(&t->tree, view->rows[i]) &&
		    tree_has_hot_below(&t->tree, view->rows[i]))
			open_line(t, i);
	}
	return last;
}

static void wake(struct page *page)
{
	struct tree_page *t = tree_of(page);

	if (t->is_read)
		return;
	read_rows(t);
	open_hot(t);
}

/* ---- searching ------------------------------------------------------------------------------- */

static size_t find(struct page *page, const char *text, size_t from, int direction)
{
	struct tree_page *t = tree_of(page);
	const struct row *at = row_at(t, from), *found;

	found = tree_find(&t->tree, text, at, direction, &t->rows.order);
	if (!found && tree_keep_match(&t->tree, text)) {
		read_rows(t);
		found = tree_find(&t->tree, text, row_at(t, page->cursor), direction, &t->rows.order);
	}
	if (!found)
		return LINE_NONE;
	tree_open_above(&t->tree, found);
	choose(&t->rows);
	return line_of_path(t, found->path);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void open_all(struct tree_page *t, size_t line)
{
	const struct row *row = row_at(t, line);

	if (!row || tree_is_more(&t->tree, row))
		return;
	close_line(t, line);
	tree_open_below(&t->tree, row);
	open_line(t, line);
}

static void close_all(struct tree_page *t)
{
	struct rows_page *rows = &t->rows;

	while (rows->page.cursor && row_at(t, rows->page.cursor)->depth > 1)
		rows->page.cursor--;
	memset(t->tree.open, 0, t->tree.profile->paths.n);
	rows_page_choose(rows);
}

static size_t line_above(struct tree_page *t, size_t line)
{
	uint32_t depth = row_at(t, line)->depth;

	for (size_t i = line; i-- > 0;)
		if (row_at(t, i)->depth < depth)
			return i;
	return line;
}

/* Enter, or to the right. */
static void go_in(struct tree_page *t, struct browser *browser, int is_enter)
{
	size_t *line = &t->rows.page.cursor;
	const struct row *row = row_at(t, *line);

	if (!row)
		return;
	if (tree_is_more(&t->tree, row)) {
		tree_keep_below(&t->tree, row->path);
		read_rows(t);
	} else if (!tree_has_below(&t->tree, row)) {
		browser_say(browser, "It called nothing that was recorded");
	} else if (!t->tree.open[row->path]) {
		open_line(t, *line);
	} else if (is_enter) {
		close_line(t, *line);
	} else {
		++*line;
	}
}

static void go_out(struct tree_page *t)
{
	size_t *line = &t->rows.page.cursor;
	const struct row *row = row_at(t, *line);

	if (!row)
		return;
	if (!tree_is_more(&t->tree, row) && t->tree.open[row->path] && n_below(t, *line))
		close_line(t, *line);
	else
		*line = line_above(t, *line);
}

static void go_to_hot(struct tree_page *t, struct browser *browser)
{
	size_t line = open_hot(t);

	if (line == LINE_NONE)
		browser_say(browser, "There is no hot path: no path has any time");
	else
		t->rows.page.cursor = line;
}

static int act(struct page *page, struct browser *browser, enum action action)
{
	struct tree_page *t = tree_of(page);

	if (action == ACTION_ENTER || action == ACTION_RIGHT)
		go_in(t, browser, action == ACTION_ENTER);
	else if (action == ACTION_LEFT)
		go_out(t);
	else if (action == ACTION_HOT_PATH)
		go_to_hot(t, browser);
	else if (action == ACTION_OPEN_ALL)
		open_all(t, page->cursor);
	else if (action == ACTION_CLOSE_ALL)
		close_all(t);
	else if (action == ACTION_FILTER)
		browser_say(browser, "The tree is not filtered: / searches in all of it");
	else
		return rows_page_act(page, browser, action);
	return 1;
}

static struct ui_function function(struct page *page, size_t line)
{
	const struct row *row = row_at(tree_of(page), line);

	if (row && tree_is_more(&tree_of(page)->tree, row))
		return (struct ui_function){ NULL, NAMES_NONE };
	return rows_page_function(page, line);
}

/* The line that tells of others has nothing but its text. */
static void put(struct page *page, struct frame *frame, size_t at, size_t first, size_t n)
{
	struct tree_page *t = tree_of(page);

	rows_page_put(page, frame, at, first, n);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = row_at(t, first + i);
		struct frame_line *line = &frame->lines[at + ROWS_PAGE_HEADINGS + i];
		const char *name = tree_is_more(&t->tree, row) ? strchr(line->text.text, '[') : NULL;

		if (!name)
			continue;
		memset(line->text.text, ' ', (size_t)(name - line->text.text));
		line->style = STYLE_DIM;
	}
}

static void put_title(struct page *page, struct strbuf *title)
{
	rows_page_put_order((struct rows_page *)page, title);
}

static enum frame_style style(const struct row *row)
{
	return row->is_hot ? STYLE_HOT : STYLE_PLAIN;
}

static void release(struct page *page)
{
	tree_rows_release(&tree_of(page)->tree);
	rows_page_release(page);
}

static void keep(struct page *page, struct place *place)
{
	struct tree_page *t = tree_of(page);
	const struct row *row = row_at(t, page->cursor);
	FREED uint64_t *names = NULL;
	int is_new;

	place->order = t->rows.order;
	if (!t->is_read)
		return;
	names = tree_path_names(t->tree.profile);
	place->path = row ? names[row->path] : 0;
	int_map_add(&place->open, names[0], &is_new); /* it has been read */
	for (size_t i = 1; i < t->tree.profile->paths.n; i++)
		if (t->tree.open[i])
			int_map_add(&place->open, names[i], &is_new);
}

static void restore(struct page *page, const struct place *place)
{
	struct tree_page *t = tree_of(page);
	uint32_t path = PATH_NONE;
	uint64_t *names;

	t->rows.order = place->order;
	if (!place->open.n)
		return;
	read_rows(t);
	names = tree_path_names(t->tree.profile);
	for (uint32_t i = 1; i < t->tree.profile->paths.n; i++) {
		t->tree.open[i] = int_map_find(&place->open, names[i]) != INT_MAP_NONE;
		path = names[i] == place->path ? i : path;
	}
	free(names);
	choose(&t->rows);
	page->cursor = path == PATH_NONE || line_of_path(t, path) == LINE_NONE ? place->cursor
									       : line_of_path(t, path);
}

static const struct page_kind tree_kind = {
	.name = "Tree",
	.hint = "Enter open, close  H hot path  c callers  a source  / search  Tab view  ? help",
	.n_headings = ROWS_PAGE_HEADINGS,
	.put_title = put_title,
	.wake = wake,
	.n_lines = rows_page_n_lines,
	.put = put,
	.find = find,
	.function = function,
	.act = act,
	.answer = rows_page_answer,
	.keep = keep,
	.restore = restore,
	.release = release,
};

struct page *tree_page(struct ui_session *session)
{
	struct tree_page *t = xcalloc(1, sizeof(*t));

	rows_page_init(&t->rows, session, session->paths, &tree_kind, choose);
	t->rows.style = style;
	t->rows.view.branch = branch;
	t->rows.view.depth_shown = 12;
	tree_rows_init(&t->tree, session->paths);
	return &t->rows.page;
}
