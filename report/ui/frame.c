/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame.h"

#include <stdlib.h>

#include "output/grid.h"

void frame_release(struct frame *frame)
{
	for (unsigned i = 0; frame->lines && i <= frame->height; i++)
		strbuf_release(&frame->lines[i].text);
	free(frame->lines);
	*frame = (struct frame){ 0 };
}

void frame_resize(struct frame *frame, unsigned width, unsigned height)
{
	frame_release(frame);
	frame->width = width;
	frame->height = height;
	/* one more, for what is put beyond the end */
	frame->lines = xcalloc((size_t)height + 1, sizeof(*frame->lines));
	frame_clear(frame);
}

void frame_clear(struct frame *frame)
{
	for (unsigned i = 0; i <= frame->height; i++)
		frame_line(frame, i, STYLE_PLAIN);
	frame->caret = -1;
}

struct frame_line *frame_line(struct frame *frame, size_t number, enum frame_style style)
{
	struct frame_line *line = &frame->lines[number < frame->height ? number : frame->height];

	strbuf_clear(&line->text);
	line->style = style;
	line->mark_n = 0;
	return line;
}

void frame_put_both(struct frame_line *line, unsigned width, const char *left, const char *right)
{
	size_t n = util_columns(right), room = width > n ? width - n : 0;

	if (room > 5)
		output_fitted(&line->text, left, room - 1, 0);
	else
		strbuf_fill(&line->text, ' ', room ? room - 1 : 0);
	strbuf_puts(&line->text, room ? " " : "");
	strbuf_puts(&line->text, right);
}
