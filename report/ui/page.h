/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page.h - a page: a list of lines with a cursor, of which the screen shows a part. Each kind of
 * page has a file of its own; the browser has what all have in common: moving, searching, going
 * from one to another.
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

/* What is to be asked of the user (prompt.h). */
enum question { QUESTION_NONE, QUESTION_SEARCH, QUESTION_FILTER, QUESTION_SORT };

struct page_kind {
	const char *name; /* of a view: on the first line */
	const char *hint; /* the last line: what can be done here */
	size_t n_headings;
	void (*put_title)(struct page *page, struct strbuf *title);
	/* The page is on the screen again. NULL: nothing is to be done. */
	void (*wake)(struct page *page);
	/* Lines above those that move. */
	size_t (*n_lines)(struct page *page);
	/* Fills in headings and n lines, the first of which is number `first`, from frame line `at`
	 * on. */
	void (*put)(struct page *page, struct frame *frame, size_t at, size_t first, size_t n);
	/* Whether a line has what is searched for. */
	int (*matches)(struct page *page, size_t line, const char *text);
	/* NULL, or instead of `matches`: the next line that has it, which may have to be opened. */
	size_t (*find)(struct page *page, const char *text, size_t from, int direction);
	/* The function on the line. */
	struct ui_function (*function)(struct page *page, size_t line);
	/* Whether the action was one for this page; NULL: none is. */
	int (*act)(struct page *page, struct browser *browser, enum action action);
	/* Whether it took the answer; NULL: there are no questions. */
	int (*answer)(struct page *page, struct browser *browser, enum question question, const char *text);
	/* places.h. Of pages of a function: how they are made, whose it is. */
	struct page *(*remake)(struct ui_session *session, struct ui_function function);
	struct ui_function (*about)(struct page *page);
	void (*keep)(struct page *page, struct place *place);
	void (*restore)(struct page *page, const struct place *place);
	void (*release)(struct page *page);
};

struct page {
	const struct page_kind *kind;
	struct ui_session *session;
	struct page *below; /* where one came from; NULL: a view */
	size_t cursor, top; /* lines */
};

/* Pages are made, and released with all that is theirs. */
struct page *functions_page(struct ui_session *session);
struct page *threads_page(struct ui_session *session);
struct page *processes_page(struct ui_session *session);
struct page *tree_page(struct ui_session *session);
/* NULL: nothing is known of the function there. */
struct page *callers_page(struct ui_session *session, struct ui_function function);
struct page *source_page(struct ui_session *session, struct ui_function function);
/* The cursor is on that line of the source, if it is there. */
struct page *source_page_at(struct ui_session *session, struct ui_function function, uint32_t line);
struct page *summary_page(struct ui_session *session);
/* text is copied. */
struct page *text_page(struct ui_session *session, const char *title, const char *text);
struct page *help_page(struct ui_session *session);
void page_release(struct page *page);

/* Whether a text holds what is searched for; capitals matter if there are any in it. */
int page_text_matches(const char *text, const char *wanted);

#endif
