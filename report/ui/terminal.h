/* SPDX-License-Identifier: GPL-3.0-or-later */
/* terminal.h - whether there is a terminal that can be drawn on; and that it is as it was before,
 * whatever the command dies of. (Stopped by Ctrl-Z, ncurses sees to that.) */
#ifndef REPORT_UI_TERMINAL_H
#define REPORT_UI_TERMINAL_H

/* 0, or -1 after an error message: there is none. */
int terminal_check(void);
/* Before it is drawn on: remembers how it is. */
void terminal_keep(void);
/* Then: signals that kill put it back first. */
void terminal_restore_on_signals(void);
/* There is nothing to put back any more. */
void terminal_is_restored(void);

#endif
