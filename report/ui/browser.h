/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * browser.h - the content of the screen: views as tabs, in each the pages visited; and the actions
 * of keys. Draws into a frame, independent of the terminal.
 */
#ifndef REPORT_UI_BROWSER_H
#define REPORT_UI_BROWSER_H

#include "page.h"

enum { TAB_SUMMARY, TAB_FUNCTIONS, TAB_TREE, TAB_THREADS, TAB_PROCESSES, TABS };

/* The next step that the browser asks of its caller. */
enum browser_wish {
	WISH_NONE,
	WISH_QUIT,
	WISH_RELOAD,
	WISH_NARROW,  /* show one thread or process only */
	WISH_WIDEN,   /* show everything again */
	WISH_MEASURE, /* show instructions instead of time, or time again */
	WISH_REDRAW
};

struct browser {
	struct ui_session *session;
	struct page *tabs[TABS]; /* the visible page of each view */
	unsigned tab;
	struct frame frame;
	enum browser_wish wish;
	uint32_t pid, tid;	/* WISH_NARROW: the thread or process; the other is 0 */
	uint32_t twin;		/* of the process: struct data */
	const char *narrowed;	/* the visible part of the session in words; NULL: all of it */
	struct strbuf message;	/* shown on the last line until the next key */
	struct strbuf needle;	/* last text searched for */
	enum question question; /* the question being answered */
	const char *asked;
	struct strbuf typed;
};

void browser_init(struct browser *browser, struct ui_session *session, unsigned width, unsigned height);
void browser_release(struct browser *browser);
void browser_resize(struct browser *browser, unsigned width, unsigned height);
/* Handles a key (enum press). */
void browser_key(struct browser *browser, int key);
/* Draws into the frame. */
void browser_draw(struct browser *browser);

/* For pages. */
void browser_go_to_tab(struct browser *browser, unsigned tab);
struct page *browser_page(const struct browser *browser);
void browser_say(struct browser *browser, const char *format, ...) PRINTF_LIKE(2, 3);
void browser_ask(struct browser *browser, enum question question, const char *asked);
/* Shows a page; NULL: does nothing. */
void browser_push(struct browser *browser, struct page *page);
void browser_show_callers(struct browser *browser, struct ui_function function);
void browser_show_source(struct browser *browser, struct ui_function function);
/* Narrows the session to the process or thread of a row. */
void browser_narrow_process(struct browser *browser, const struct row *row);
void browser_narrow_thread(struct browser *browser, const struct row *row);

#endif
