/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frame.h - the content of the terminal: lines of text with a style. Pages fill it, screen.c draws
 * it, tests read it. */
#ifndef REPORT_UI_FRAME_H
#define REPORT_UI_FRAME_H

#include <stddef.h>

#include "lib/util.h"

enum frame_style {
	STYLE_PLAIN,
	STYLE_BAR, /* the first line */
	STYLE_HEADING,
	STYLE_SORTED, /* heading of the column that rows are sorted by */
	STYLE_CURSOR,
	STYLE_BOLD,
	STYLE_DIM,
	STYLE_WARM,
	STYLE_HOT,
	STYLES
};

struct frame_line {
	struct strbuf text; /* UTF-8, no control characters */
	enum frame_style style;
	/* Part of the line, in columns, with another style; mark_n 0: none. */
	size_t mark_at, mark_n;
	enum frame_style mark_style;
};

struct frame {
	unsigned width, height;
	struct frame_line *lines; /* [height] */
	int caret;		  /* column of the caret in the last line; -1: none */
};

/* Makes an empty frame of this size. */
void frame_resize(struct frame *frame, unsigned width, unsigned height);
void frame_clear(struct frame *frame);
void frame_release(struct frame *frame);
/* Returns the line, emptied and with this style; for lines beyond the frame an invisible one. */
struct frame_line *frame_line(struct frame *frame, size_t number, enum frame_style style);
/* Appends `left`, and `right` aligned right. `left` is shortened if there is no room for both. */
void frame_put_both(struct frame_line *line, unsigned width, const char *left, const char *right);

#endif
