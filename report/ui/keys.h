/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.h - the table of keys and actions, from which the help is generated. */
#ifndef REPORT_UI_KEYS_H
#define REPORT_UI_KEYS_H

#include <stddef.h>

/* Keys that are not characters have codes beyond Unicode. */
enum press {
	PRESS_NOTHING = 0, /* the screen was resized or needs drawing */
	PRESS_ENTER = '\n',
	PRESS_ESCAPE = 0x1b,
	PRESS_SPECIAL = 0x110000,
	PRESS_GONE = PRESS_SPECIAL, /* the terminal is closed */
	PRESS_UP,
	PRESS_DOWN,
	PRESS_LEFT,
	PRESS_RIGHT,
	PRESS_PAGE_UP,
	PRESS_PAGE_DOWN,
	PRESS_HOME,
	PRESS_END,
	PRESS_TAB_BACK,
	PRESS_RUBOUT,
};
#define PRESS_CONTROL(letter) ((letter)&0x1f)

enum action {
	ACTION_NONE,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_HALF_UP,
	ACTION_HALF_DOWN,
	ACTION_FIRST,
	ACTION_LAST,
	ACTION_ENTER,
	ACTION_RIGHT,
	ACTION_LEFT,
	ACTION_BACK,
	ACTION_QUIT,
	ACTION_NEXT_TAB,
	ACTION_PREVIOUS_TAB,
	ACTION_FUNCTIONS,
	ACTION_TREE,
	ACTION_THREADS,
	ACTION_PROCESSES,
	ACTION_SUMMARY,
	ACTION_CALLERS,
	ACTION_SOURCE,
	ACTION_EXPLAIN,
	ACTION_SEARCH,
	ACTION_NEXT_MATCH,
	ACTION_PREVIOUS_MATCH,
	ACTION_FILTER,
	ACTION_SORT,
	ACTION_SORT_LEFT,
	ACTION_SORT_RIGHT,
	ACTION_INVERT,
	ACTION_COLUMNS,
	ACTION_MEASURE,
	ACTION_HOT_PATH,
	ACTION_OPEN_ALL,
	ACTION_CLOSE_ALL,
	ACTION_RELOAD,
	ACTION_MESSAGES,
	ACTION_HELP,
	ACTION_REDRAW,
};

struct key_binding {
	enum action action;
	int keys[5];	   /* terminated by 0 */
	const char *shown; /* text in the help; NULL: heading of a section */
	const char *does;
};

extern const struct key_binding key_bindings[];
extern const size_t n_key_bindings;

enum action key_action(int key);

#endif
