/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "browser.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

#define LEAST_WIDTH 20
#define LEAST_HEIGHT 6

/* ---- pages ----------------------------------------------------------------------------------- */

struct page *browser_page(const struct browser *browser)
{
	return browser->tabs[browser->tab];
}

void page_release(struct page *page)
{
	if (page->kind->release)
		page->kind->release(page);
	free(page);
}

int page_text_matches(const char *text, const char *wanted)
{
	for (const char *c = wanted; *c; c++)
		if (isupper((unsigned char)*c))
			return strstr(text, wanted) != NULL;
	return strcasestr(text, wanted) != NULL;
}

static int is_text(const struct page *page)
{
	return !page->kind->act;
}

static void wake(struct browser *browser)
{
	struct page *page = browser_page(browser);

	if (page->kind->wake)
		page->kind->wake(page);
}

void browser_push(struct browser *browser, struct page *page)
{
	if (!page)
		return;
	page->below = browser_page(browser);
	browser->tabs[browser->tab] = page;
}

static void go_back(struct browser *browser, int may_quit)
{
	struct page *page = browser_page(browser);

	if (page->below) {
		browser->tabs[browser->tab] = page->below;
		page_release(page);
		wake(browser);
	} else if (browser->narrowed) {
		browser->wish = WISH_WIDEN;
	} else if (may_quit) {
		browser->wish = WISH_QUIT;
	}
}

/* Of executed instructions there is no summary. */
static int is_of_times(const struct browser *browser, unsigned tab)
{
	return tab == TAB_SUMMARY && browser->session->view->executed;
}

void browser_go_to_tab(struct browser *browser, unsigned tab)
{
	if (is_of_times(browser, tab)) {
		browser_say(browser, "The summary is about times: M shows them");
		return;
	}
	browser->tab = tab;
	wake(browser);
}

static void go_to_next_tab(struct browser *browser, unsigned steps)
{
	unsigned tab = (browser->tab + steps) % TABS;

	browser_go_to_tab(browser, is_of_times(browser, tab) ? (tab + steps) % TABS : tab);
}

void browser_say(struct browser *browser, const char *format, ...)
{
	va_list args;

	strbuf_clear(&browser->message);
	va_start(args, format);
	strbuf_vprintf(&browser->message, format, args);
	va_end(args);
}

void browser_show_callers(struct browser *browser, struct ui_function function)
{
	struct page *page = function.names ? callers_page(browser->session, function) : NULL;

	if (page)
		browser_push(browser, page);
	else if (function.names)
		browser_say(browser, "Nothing is known of callers of %s", ui_function_name(function));
	else
		browser_say(browser, "There is no function on this line");
}

void browser_show_source(struct browser *browser, struct ui_function function)
{
	int is_there = function.names && !browser->session->view->executed;
	struct page *page = is_there ? source_page(browser->session, function) : NULL;

	if (browser->session->view->executed)
		browser_say(browser, "By line: cinstr annotate --measure=instructions");
	else if (page)
		browser_push(browser, page);
	else if (function.names)
		browser_say(browser, "The source of %s is not known", ui_function_name(function));
	else
		browser_say(browser, "There is no function on this line");
}

void browser_narrow_process(struct browser *browser, const struct row *row)
{
	browser->wish = WISH_NARROW;
	browser->pid = row->pid;
	browser->twin = row->twin;
	browser->tid = 0;
}

void browser_narrow_thread(struct browser *browser, const struct row *row)
{
	browser_narrow_process(browser, row);
	browser->tid = row->tid;
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* Lines of the page that the frame has room for. */
static size_t room(const struct browser *browser)
{
	size_t taken = 2 + browser_page(browser)->kind->n_headings;

	return browser->frame.height > taken ? browser->frame.height - taken : 1;
}

/* The cursor is on a line, and the line on the screen. */
static void settle(struct browser *browser)
{
	struct page *page = browser_page(browser);
	size_t n = page->kind->n_lines(page), shown = room(browser);

	if (is_text(page))
		page->cursor = page->cursor + shown > n ? (n > shown ? n - shown : 0) : page->cursor;
	if (page->cursor >= n)
		page->cursor = n ? n - 1 : 0;
	if (is_text(page))
		page->top = page->cursor;
	else if (page->cursor < page->top)
		page->top = page->cursor + 1 == page->top
				    ? page->cursor
				    : page->cursor - (page->cursor < shown / 2 ? page->cursor : shown / 2);
	else if (page->cursor >= page->top + shown)
		page->top = page->cursor == page->top + shown ? page->cursor + 1 - shown
							      : page->cursor - shown / 2;
	if (page->top + shown > n)
		page->top = n > shown ? n - shown : 0;
}

static void move_by(struct browser *browser, size_t lines, int direction)
{
	struct page *page = browser_page(browser);

	if (direction > 0)
		page->cursor += lines;
	else
		page->cursor -= page->cursor < lines ? page->cursor : lines;
}

/* A page further, the cursor stays where it is on the screen. */
static void move_page(struct browser *browser, int direction)
{
	struct page *page = browser_page(browser);
	size_t lines = room(browser) > 1 ? room(browser) - 1 : 1;

	move_by(browser, lines, direction);
	if (direction > 0)
		page->top += lines;
	else
		page->top -= page->top < lines ? page->top : lines;
}

static int move(struct browser *browser, enum action action)
{
	switch (action) {
	case ACTION_UP:
		move_by(browser, 1, -1);
		break;
	case ACTION_DOWN:
		move_by(browser, 1, 1);
		break;
	case ACTION_PAGE_UP:
		move_page(browser, -1);
		break;
	case ACTION_PAGE_DOWN:
		move_page(browser, 1);
		break;
	case ACTION_HALF_UP:
		move_by(browser, room(browser) / 2, -1);
		break;
	case ACTION_HALF_DOWN:
		move_by(browser, room(browser) / 2, 1);
		break;
	case ACTION_FIRST:
		browser_page(browser)->cursor = 0;
		break;
	case ACTION_LAST:
		browser_page(browser)->cursor = SIZE_MAX / 2;
		break;
	default:
		return 0;
	}
	return 1;
}

/* ---- searching ------------------------------------------------------------------------------- */

static size_t find_line(struct page *page, const char *text, int direction)
{
	size_t n = page->kind->n_lines(page), at = page->cursor;

	if (page->kind->find)
		return page->kind->find(page, text, at, direction);
	for (size_t i = 0; i < n; i++) {
		at = (at + n + (size_t)direction) % n;
		if (page->kind->matches(page, at, text))
			return at;
	}
	return LINE_NONE;
}

static void search(struct browser *browser, int direction)
{
	struct page *page = browser_page(browser);
	size_t line;

	if (!browser->needle.length) {
		browser_say(browser, "Nothing was searched for yet: / does");
		return;
	}
	line = find_line(page, browser->needle.text, direction);
	if (line == LINE_NONE) {
		browser_say(browser, "Not found: %s", browser->needle.text);
		return;
	}
	if (direction > 0 ? line <= page->cursor : line >= page->cursor)
		browser_say(browser, line == page->cursor ? "There is no other one"
				     : direction > 0	  ? "From the begin again"
							  : "From the end again");
	page->cursor = line;
}

/* ---- typing ---------------------------------------------------------------------------------- */

void browser_ask(struct browser *browser, enum question question, const char *asked)
{
	browser->question = question;
	browser->asked = asked;
	strbuf_clear(&browser->typed);
}

/* Appends a character as UTF-8. */
static void type(struct strbuf *typed, unsigned c)
{
	char bytes[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; --i; c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(n == 1 ? c : (0xff00u >> n & 0xff) | c);
	strbuf_add(typed, bytes, n);
}

static void rub_out(struct strbuf *typed)
{
	while (typed->length && (typed->text[typed->length - 1] & 0xc0) == 0x80)
		typed->length--;
	typed->length -= typed->length != 0;
	typed->text[typed->length] = '\0';
}

static void answer(struct browser *browser)
{
	struct page *page = browser_page(browser);
	enum question question = browser->question;

	browser->question = QUESTION_NONE;
	if (question == QUESTION_SEARCH) {
		if (browser->typed.length) {
			strbuf_clear(&browser->needle);
			strbuf_puts(&browser->needle, browser->typed.text);
		}
		search(browser, 1);
	} else if (page->kind->answer) {
		page->kind->answer(page, browser, question, browser->typed.text);
	}
}

static void type_key(struct browser *browser, int key)
{
	struct strbuf *typed = &browser->typed;

	if (key == PRESS_ENTER || key == '\r')
		answer(browser);
	else if (key == PRESS_ESCAPE || (key == PRESS_RUBOUT && !typed->length))
		browser->question = QUESTION_NONE;
	else if (key == PRESS_RUBOUT)
		rub_out(typed);
	else if (key == PRESS_CONTROL('u'))
		strbuf_clear(typed);
	else if (key >= ' ' && key < PRESS_SPECIAL)
		type(typed, (unsigned)key);
}

/* ---- what keys do ---------------------------------------------------------------------------- */

static void show_messages(struct browser *browser)
{
	int is_new;
	const char *text = messages_text(&is_new);

	browser_push(browser, text_page(browser->session, "Messages",
					*text ? text : "Nothing was said while the session was read.\n"));
}

static struct ui_function function_here(const struct browser *browser)
{
	struct page *page = browser_page(browser);

	if (!page->kind->function || !page->kind->n_lines(page))
		return (struct ui_function){ NULL, NAMES_NONE };
	return page->kind->function(page, page->cursor);
}

static int go(struct browser *browser, enum action action)
{
	switch (action) {
	case ACTION_QUIT:
		browser->wish = WISH_QUIT;
		break;
	case ACTION_BACK:
	case ACTION_LEFT:
		go_back(browser, action == ACTION_BACK);
		break;
	case ACTION_NEXT_TAB:
		go_to_next_tab(browser, 1);
		break;
	case ACTION_PREVIOUS_TAB:
		go_to_next_tab(browser, TABS - 1);
		break;
	case ACTION_FUNCTIONS:
		browser_go_to_tab(browser, TAB_FUNCTIONS);
		break;
	case ACTION_TREE:
		browser_go_to_tab(browser, TAB_TREE);
		break;
	case ACTION_THREADS:
		browser_go_to_tab(browser, TAB_THREADS);
		break;
	case ACTION_PROCESSES:
		browser_go_to_tab(browser, TAB_PROCESSES);
		break;
	case ACTION_SUMMARY:
		browser_go_to_tab(browser, TAB_SUMMARY);
		break;
	default:
		return 0;
	}
	return 1;
}

/* The next of the sets that --view has. */
static void change_columns(struct browser *browser)
{
	static const char *const words[] = {
		[COLUMNS_CPU] = "time on the processor",	[COLUMNS_FULL] = "the four values",
		[COLUMNS_OS] = "what the operating system did", [COLUMNS_IO] = "what was read and written",
		[COLUMNS_MEMORY] = "memory that was allocated", [COLUMNS_HELD] = "memory that was not freed",
		[COLUMNS_COUNTS] = "what the program counted"
	};
	struct view *view = browser->session->view;
	const struct totals *totals = &view->profile->totals;

	if (profile_is_sampled(view->profile) || view->executed) {
		browser_say(browser, view->executed ? "Executed instructions have one set of columns"
						    : "A sampled session has one set of columns");
		return;
	}
	do
		view->set = (enum column_set)((view->set + 1) % (COLUMNS_COUNTS + 1));
	while ((view->set == COLUMNS_HELD && !totals->holding) ||
	       (view->set == COLUMNS_COUNTS && !totals->counting));
	browser_say(browser, "Columns: %s", words[view->set]);
}

/* Reads the session with the other measure. */
static void change_measure(struct browser *browser)
{
	const char *why = view_why_not_executed(browser->session->options);

	if (why)
		browser_say(browser, "No instructions here: %s", why);
	else
		browser->wish = WISH_MEASURE;
}

static void do_others(struct browser *browser, enum action action)
{
	switch (action) {
	case ACTION_CALLERS:
		browser_show_callers(browser, function_here(browser));
		break;
	case ACTION_SOURCE:
		browser_show_source(browser, function_here(browser));
		break;
	case ACTION_SEARCH:
		browser_ask(browser, QUESTION_SEARCH, "/");
		break;
	case ACTION_COLUMNS:
		change_columns(browser);
		break;
	case ACTION_MEASURE:
		change_measure(browser);
		break;
	case ACTION_NEXT_MATCH:
		search(browser, 1);
		break;
	case ACTION_PREVIOUS_MATCH:
		search(browser, -1);
		break;
	case ACTION_RELOAD:
		browser->wish = WISH_RELOAD;
		break;
	case ACTION_MESSAGES:
		show_messages(browser);
		break;
	case ACTION_HELP:
		browser_push(browser, help_page(browser->session));
		break;
	case ACTION_REDRAW:
		browser->wish = WISH_REDRAW;
		break;
	case ACTION_NONE:
		browser_say(browser, "No such key: ? lists them");
		break;
	default:
		browser_say(browser, "Not here: ? lists what keys do");
	}
}

/* What was said on stderr meanwhile. */
static void hear(struct browser *browser)
{
	int is_new;
	const char *text = messages_text(&is_new), *line;

	if (!is_new || browser->message.length)
		return;
	line = text + strlen(text);
	while (line > text && (line[-1] != '\n' || !*line))
		line--;
	line += strncmp(line, "cinstr: ", 8) ? 0 : 8;
	browser_say(browser, "%.*s", (int)strcspn(line, "\n"), line);
}

void browser_key(struct browser *browser, int key)
{
	enum action action = key_action(key);
	struct page *page = browser_page(browser);

	if (key == PRESS_NOTHING)
		return;
	strbuf_clear(&browser->message);
	if (browser->question != QUESTION_NONE)
		type_key(browser, key);
	else if (!move(browser, action) && !(page->kind->act && page->kind->act(page, browser, action)) &&
		 !go(browser, action))
		do_others(browser, action);
	settle(browser);
	hear(browser);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* "[Functions] Tree  Threads  Processes", or where one is. */
static void put_where(const struct browser *browser, struct strbuf *left)
{
	struct page *page = browser_page(browser);

	strbuf_puts(left, " ");
	if (page->below) {
		page->kind->put_title(page, left);
		return;
	}
	for (unsigned i = 0; i < TABS; i++) {
		const struct page *other = browser->tabs[i];

		while (other->below)
			other = other->below;
		strbuf_puts(left, i ? " " : "");
		strbuf_printf(left, i == browser->tab ? "[%s]" : "%s", other->kind->name);
	}
}

static void put_bar(struct browser *browser)
{
	struct page *page = browser_page(browser);
	size_t n = page->kind->n_lines(page);
	STRBUF(left);
	STRBUF(right);
	STRBUF(order);
	STRBUF(where);

	strbuf_clear(&right);
	put_where(browser, &left);
	if (browser->narrowed)
		strbuf_printf(&right, " only %s", browser->narrowed);
	strbuf_clear(&order);
	if (!page->below)
		page->kind->put_title(page, &order);
	strbuf_printf(&where, "  %zu/%zu ", n ? page->cursor + 1 : 0, n);
	if (util_columns(left.text) + right.length + util_columns(order.text) + where.length <
	    browser->frame.width)
		strbuf_puts(&right, order.text);
	strbuf_puts(&right, where.text);
	frame_put_both(frame_line(&browser->frame, 0, STYLE_BAR), browser->frame.width, left.text,
		       right.text);
}

static void put_last(struct browser *browser)
{
	struct frame *frame = &browser->frame;
	struct frame_line *line = frame_line(frame, frame->height - 1, STYLE_PLAIN);

	if (browser->question != QUESTION_NONE) {
		strbuf_puts(&line->text, browser->asked);
		strbuf_puts(&line->text, browser->typed.text);
		frame->caret = (int)util_columns(line->text.text);
	} else if (browser->message.length) {
		line->style = STYLE_BOLD;
		strbuf_visible(&line->text, browser->message.text);
	} else {
		line->style = STYLE_DIM;
		strbuf_puts(&line->text, browser_page(browser)->kind->hint);
	}
}

static void put_page(struct browser *browser)
{
	struct page *page = browser_page(browser);
	size_t n = page->kind->n_lines(page), shown = room(browser), headings = page->kind->n_headings;

	if (n - page->top < shown)
		shown = n - page->top;
	page->kind->put(page, &browser->frame, 1, page->top, shown);
	if (!is_text(page) && n)
		browser->frame.lines[1 + headings + page->cursor - page->top].style = STYLE_CURSOR;
}

void browser_draw(struct browser *browser)
{
	struct frame *frame = &browser->frame;

	frame_clear(frame);
	if (frame->width < LEAST_WIDTH || frame->height < LEAST_HEIGHT) {
		strbuf_puts(&frame_line(frame, 0, STYLE_PLAIN)->text, "Too small");
		return;
	}
	settle(browser);
	put_page(browser);
	settle(browser);
	put_bar(browser);
	put_last(browser);
}

void browser_resize(struct browser *browser, unsigned width, unsigned height)
{
	if (width != browser->frame.width || height != browser->frame.height)
		frame_resize(&browser->frame, width, height);
}

/* ---- begin and end --------------------------------------------------------------------------- */

void browser_init(struct browser *browser, struct ui_session *session, unsigned width, unsigned height)
{
	static struct page *(*const pages[TABS])(struct ui_session *) = {
		[TAB_SUMMARY] = summary_page, [TAB_FUNCTIONS] = functions_page, [TAB_TREE] = tree_page,
		[TAB_THREADS] = threads_page, [TAB_PROCESSES] = processes_page,
	};

	*browser = (struct browser){ .session = session };
	frame_resize(&browser->frame, width, height);
	strbuf_clear(&browser->message);
	strbuf_clear(&browser->needle);
	strbuf_clear(&browser->typed);
	for (unsigned i = 0; i < TABS; i++)
		browser->tabs[i] = pages[i](session);
	hear(browser);
}

void browser_release(struct browser *browser)
{
	for (unsigned i = 0; i < TABS; i++)
		while (browser->tabs[i]) {
			struct page *below = browser->tabs[i]->below;

			page_release(browser->tabs[i]);
			browser->tabs[i] = below;
		}
	frame_release(&browser->frame);
	strbuf_release(&browser->message);
	strbuf_release(&browser->needle);
	strbuf_release(&browser->typed);
}
