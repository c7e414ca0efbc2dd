/* SPDX-License-Identifier: GPL-3.0-or-later */
/* terminal.h - checks that there is a terminal to draw on, and restores it, whatever ends the
 * command. (Ncurses handles stopping by Ctrl-Z.) */
#ifndef REPORT_UI_TERMINAL_H
#define REPORT_UI_TERMINAL_H

/* Returns 0, or -1 after an error message if there is no terminal. */
int terminal_check(void);
/* Saves the terminal's state, before it is drawn on. */
void terminal_keep(void);
/* Restores the state when a signal ends the command. To be called after terminal_keep(). */
void terminal_restore_on_signals(void);
/* To be called when the terminal is restored: signals need not do it any more. */
void terminal_is_restored(void);

#endif
