/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * browser.h - what is on the screen: views side by side (tabs), in each the pages that one went
 * through; what keys do. It draws into a frame, and knows no terminal.
 */
#ifndef REPORT_UI_BROWSER_H
#define REPORT_UI_BROWSER_H

#include "page.h"

enum { TAB_SUMMARY, TAB_FUNCTIONS, TAB_TREE, TAB_THREADS, TAB_PROCESSES, TABS };

/* What its user wants of it. */
enum browser_wish {
	WISH_NONE,
	WISH_QUIT,
	WISH_RELOAD,
	WISH_NARROW,  /* one thread or process only */
	WISH_WIDEN,   /* everything again */
	WISH_MEASURE, /* instructions in the place of time, or the reverse */
	WISH_REDRAW
};

struct browser {
	struct ui_session *session;
	struct page *tabs[TABS]; /* the page that is on the screen, of each view */
	unsigned tab;
	struct frame frame;
	enum browser_wish wish;
	uint32_t pid, tid;	/* WISH_NARROW: which; 0: the other one */
	uint32_t twin;		/* of the process: struct data */
	const char *narrowed;	/* what is left of the session, in words; NULL: all of it */
	struct strbuf message;	/* on the last line until the next key */
	struct strbuf needle;	/* what was searched for last */
	enum question question; /* what is being typed */
	const char *asked;
	struct strbuf typed;
};

void browser_init(struct browser *browser, struct ui_session *session, unsigned width, unsigned height);
void browser_release(struct browser *browser);
void browser_resize(struct browser *browser, unsigned width, unsigned height);
/* enum press. */
void browser_key(struct browser *browser, int key);
/* Fills in the frame. */
void browser_draw(struct browser *browser);

/* For pages. */
void browser_go_to_tab(struct browser *browser, unsigned tab);
struct page *browser_page(const struct browser *browser);
void browser_say(struct browser *browser, const char *format, ...) PRINTF_LIKE(2, 3);
void browser_ask(struct browser *browser, enum question question, const char *asked);
/* page NULL: there is none. */
void browser_push(struct browser *browser, struct page *page);
void browser_show_callers(struct browser *browser, struct ui_function function);
void browser_show_source(struct browser *browser, struct ui_function function);
/* Narrows the session to the process, or the thread, of a row. */
void browser_narrow_process(struct browser *browser, const struct row *row);
void browser_narrow_thread(struct browser *browser, const struct row *row);

#endif
