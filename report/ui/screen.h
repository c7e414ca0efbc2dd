/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen.h - draws on the terminal with ncurses, which only screen.c and terminal.c use. */
#ifndef REPORT_UI_SCREEN_H
#define REPORT_UI_SCREEN_H

#include "frame.h"

/* Returns 0, or -1 after an error message. */
int screen_begin(void);
void screen_end(void);
void screen_size(unsigned *width, unsigned *height);
void screen_draw(const struct frame *frame);
/* Draws everything again, after something else has written to the terminal. */
void screen_draw_anew(const struct frame *frame);
/* Waits for a key and returns it (enum press). */
int screen_key(void);

#endif
