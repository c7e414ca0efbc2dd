/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen.h - the terminal, drawn on by ncurses. Only screen.c and terminal.c know of it. */
#ifndef REPORT_UI_SCREEN_H
#define REPORT_UI_SCREEN_H

#include "frame.h"

/* 0, or -1 after an error message. */
int screen_begin(void);
void screen_end(void);
void screen_size(unsigned *width, unsigned *height);
void screen_draw(const struct frame *frame);
/* All of it, again: something else has written on it. */
void screen_draw_anew(const struct frame *frame);
/* Waits for a key: enum press. */
int screen_key(void);

#endif
