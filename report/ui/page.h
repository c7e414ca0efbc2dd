/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page.h - a page: a list of lines with a cursor, of which the screen shows a part. Each kind of
 * page has a file of its own; the browser has the common actions: moving, searching, changing
 * pages.
 */
#ifndef REPORT_UI_PAGE_H
#define REPORT_UI_PAGE_H

#include "frame.h"
#include "keys.h"
#include "ui_session.h"

#define LINE_NONE SIZE_MAX

struct browser;
struct page;
struct place;

/* Questions to the user (prompt.h). */
enum question { QUESTION_NONE, QUESTION_SEARCH, QUESTION_FILTER, QUESTION_SORT };

struct page_kind {
	const char *name; /* of a view: shown on the first line */
	const char *hint; /* for the last line: available actions */
	size_t n_headings;
	void (*put_title)(struct page *page, struct strbuf *title);
	/* Called when the page becomes visible again; may be NULL. */
	void (*wake)(struct page *page);
	/* Returns the number of lines that can be scrolled. */
	size_t (*n_lines)(struct page *page);
	/* Fills in headings and n lines from number `first` on, starting at frame line `at`. */
	void (*put)(struct page *page, struct frame *frame, size_t at, size_t first, size_t n);
	/* Whether a line matches the search. */
	int (*matches)(struct page *page, size_t line, const char *text);
	/* Used instead of `matches` if not NULL: returns the next matching line, opening it if
	 * needed. */
	size_t (*find)(struct page *page, const char *text, size_t from, int direction);
	/* Returns the function on the line. */
	struct ui_function (*function)(struct page *page, size_t line);
	/* Handles an action. Returns whether it was one of this page; may be NULL. */
	int (*act)(struct page *page, struct browser *browser, enum action action);
	/* Handles an answer. Returns whether it was accepted; may be NULL. */
	int (*answer)(struct page *page, struct browser *browser, enum question question, const char *text);
	/* For places.h. Pages of a function: `remake` makes the page, `about` returns its
	 * function. */
	struct page *(*remake)(struct ui_session *session, struct ui_function function);
	struct ui_function (*about)(struct page *page);
	void (*keep)(struct page *page, struct place *place);
	void (*restore)(struct page *page, const struct place *place);
	void (*release)(struct page *page);
};

struct page {
	const struct page_kind *kind;
	struct ui_session *session;
	struct page *below; /* the previous page; NULL: this is a view */
	size_t cursor, top; /* line numbers */
};

/* Make a page, to be released with page_release(). */
struct page *functions_page(struct ui_session *session);
struct page *threads_page(struct ui_session *session);
struct page *processes_page(struct ui_session *session);
struct page *tree_page(struct ui_session *session);
/* Return NULL if nothing is known of the function there. */
struct page *callers_page(struct ui_session *session, struct ui_function function);
struct page *source_page(struct ui_session *session, struct ui_function function);
/* Sets the cursor to that source line, if the page contains it. */
struct page *source_page_at(struct ui_session *session, struct ui_function function, uint32_t line);
struct page *summary_page(struct ui_session *session);
/* Copies `text`. */
struct page *text_page(struct ui_session *session, const char *title, const char *text);
struct page *help_page(struct ui_session *session);
void page_release(struct page *page);

/* Whether a text contains the text searched for; case matters if that has capitals. */
int page_text_matches(const char *text, const char *wanted);

#endif
