/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.c - the table of keys (keys.h): those of perf report and less, where these have one. */
#include "keys.h"

#include "lib/util.h"

/* clang-format off */
const struct key_binding key_bindings[] = {
	{ ACTION_NONE, { 0 }, NULL, "Move" },
	{ ACTION_UP, { PRESS_UP, 'k', PRESS_CONTROL('p') }, "Up, k", "a line up" },
	{ ACTION_DOWN, { PRESS_DOWN, 'j', PRESS_CONTROL('n') }, "Down, j", "a line down" },
	{ ACTION_PAGE_UP, { PRESS_PAGE_UP, PRESS_CONTROL('b'), 'b' }, "PgUp, b", "a page up" },
	{ ACTION_PAGE_DOWN, { PRESS_PAGE_DOWN, PRESS_CONTROL('f'), ' ' }, "PgDn, Space", "a page down" },
	{ ACTION_HALF_UP, { PRESS_CONTROL('u'), 'u' }, "u, Ctrl-U", "half a page up" },
	{ ACTION_HALF_DOWN, { PRESS_CONTROL('d'), 'd' }, "d, Ctrl-D", "half a page down" },
	{ ACTION_FIRST, { 'g', PRESS_HOME }, "g, Home", "to the first line" },
	{ ACTION_LAST, { 'G', PRESS_END }, "G, End", "to the last line" },
	{ ACTION_NONE, { 0 }, NULL, "Go" },
	{ ACTION_ENTER, { PRESS_ENTER, '\r' }, "Enter",
	  "functions, callers: callers and callees of this function; tree: open, close; threads, "
	  "processes: only this one; source: the function that is called here; summary: a finding's place" },
	{ ACTION_RIGHT, { PRESS_RIGHT, 'l' }, "Right, l", "the same; in the tree: open, then to the first callee" },
	{ ACTION_LEFT, { PRESS_LEFT }, "Left", "back; in the tree: close, then to the caller" },
	{ ACTION_BACK, { 'q', PRESS_ESCAPE, PRESS_RUBOUT }, "q, Esc", "back; on the first page: quit" },
	{ ACTION_QUIT, { 'Q' }, "Q, Ctrl-C", "quit" },
	{ ACTION_CALLERS, { 'c' }, "c", "callers and callees of this function" },
	{ ACTION_SOURCE, { 'a' }, "a", "source of this function with the values of each line" },
	{ ACTION_EXPLAIN, { 'e' }, "e", "summary: what a finding is measured by, why it matters, what to do" },
	{ ACTION_NONE, { 0 }, NULL, "Views" },
	{ ACTION_NEXT_TAB, { '\t' }, "Tab", "the next view" },
	{ ACTION_PREVIOUS_TAB, { PRESS_TAB_BACK }, "Shift-Tab", "the one before" },
	{ ACTION_SUMMARY, { '0', '5' }, "0, 5", "summary: what is wrong with the program, where its time went" },
	{ ACTION_FUNCTIONS, { '1' }, "1", "functions" },
	{ ACTION_TREE, { '2' }, "2", "tree: who called what" },
	{ ACTION_THREADS, { '3', 't' }, "3, t", "threads" },
	{ ACTION_PROCESSES, { '4', 'p' }, "4, p", "processes" },
	{ ACTION_NONE, { 0 }, NULL, "Find and sort" },
	{ ACTION_SEARCH, { '/' }, "/", "search; capitals matter if there are any" },
	{ ACTION_NEXT_MATCH, { 'n' }, "n", "the next match" },
	{ ACTION_PREVIOUS_MATCH, { 'N' }, "N", "the match before" },
	{ ACTION_FILTER, { 'f' }, "f", "show only rows with this text in the name; empty: all" },
	{ ACTION_SORT, { 's' }, "s", "sort by a column: its name as in csv, or short (calls, max, p99)" },
	{ ACTION_SORT_LEFT, { '<', ',' }, "<", "sort by the column to the left" },
	{ ACTION_SORT_RIGHT, { '>', '.' }, ">", "sort by the column to the right" },
	{ ACTION_INVERT, { 'i' }, "i", "invert the order" },
	{ ACTION_COLUMNS, { 'v' }, "v", "other columns: time on the processor, all four values, the system's doing" },
	{ ACTION_MEASURE, { 'M' }, "M", "executed instructions in the place of time, where they were counted; time again" },
	{ ACTION_NONE, { 0 }, NULL, "Tree" },
	{ ACTION_HOT_PATH, { 'H' }, "H", "open the hot path (#), and go to its end" },
	{ ACTION_OPEN_ALL, { '*', 'o' }, "*, o", "open all that is below this one" },
	{ ACTION_CLOSE_ALL, { '-', 'C' }, "-, C", "close all" },
	{ ACTION_NONE, { 0 }, NULL, "Others" },
	{ ACTION_RELOAD, { 'r' }, "r", "read the session again: it may have grown" },
	{ ACTION_MESSAGES, { 'm' }, "m", "what was said while reading" },
	{ ACTION_HELP, { '?', 'h' }, "?, h", "this help" },
	{ ACTION_REDRAW, { PRESS_CONTROL('l') }, "Ctrl-L", "draw the screen again" },
};
/* clang-format on */
const size_t n_key_bindings = ARRAY_SIZE(key_bindings);

enum action key_action(int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(key_bindings); i++)
		for (size_t k = 0; k < ARRAY_SIZE(key_bindings[i].keys) && key_bindings[i].keys[k]; k++)
			if (key_bindings[i].keys[k] == key)
				return key_bindings[i].action;
	return ACTION_NONE;
}
