/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal.h - properties of the output: width, colours, the pager. Every command that prints has
 * TERMINAL_OPTIONS in its table:
 *
 *      terminal_configure()    after options_parse()
 *      terminal_page()         before the first line to stdout, when no more errors are likely
 *      terminal_width(), terminal_is_coloured()
 *
 * Colours are defined in ink.h, the pager in pager.c. Callable from the thread that prints only.
 */
#ifndef REPORT_TERMINAL_H
#define REPORT_TERMINAL_H

#include <stdio.h>

#include "options.h"

/* Options for the output. Zero-initialised: chosen by the environment. */
struct terminal_options {
	const char *colour; /* "auto", "always", "never" */
	const char *width;  /* digits; "0": unlimited */
	int no_pager;
};

#define TERMINAL_OPTIONS(type, member) \
	{ "width", \
	  'w', \
	  OPTION_TEXT, \
	  "N", \
	  offsetof(type, member.width), \
	  "fit the output into N columns; 0: any width", \
	  "the terminal's, also through a pipe; without one 120" }, \
		{ "color", \
		  0, \
		  OPTION_TEXT, \
		  "auto|always|never", \
		  offsetof(type, member.colour), \
		  "auto: on a terminal, and in the pager, unless NO_COLOR is set", \
		  "$CINSTR_COLOR, or auto" }, \
	{ \
		"no-pager", 0, OPTION_FLAG, NULL, offsetof(type, member.no_pager), \
			"print to the terminal itself, not through $CINSTR_PAGER, $PAGER or less", NULL \
	}

/* Adopts the options. Returns 0, or -1 after an error message. */
int terminal_configure(const char *command, const struct terminal_options *options);

/*
 * Returns the width of `out` in columns, 0: unlimited. The first of these: --width; COLUMNS; the
 * terminal that `out` is; for a pipe the terminal that the command was called from (`cinstr tree |
 * less`). Files, and pipes without a terminal, get TERMINAL_NONE columns: they will be read in a
 * window of unknown width. Logs of build servers show as many without wrapping, and most names fit;
 * scripts read csv or json, which have no width.
 */
#define TERMINAL_NONE 120
unsigned terminal_width(FILE *out);
int terminal_is_coloured(FILE *out);
/* Whether somebody sees stdout on a terminal now, directly or in our pager. */
int terminal_is_watched(void);
/* Whether the locale (LC_ALL, LC_CTYPE, LANG) is UTF-8. */
int terminal_is_utf8(void);
/* Whether small bars (U+2581 to U+2588) can be shown. */
int terminal_has_bars(void);

/* pager.c: sends stdout through a pager from now on, if it is a terminal and a pager is wanted. The
 * command waits for the pager at its end; its exit status does not change. */
void terminal_page(void);
int terminal_is_paged(void);
/* Returns the pager's command from the environment, or NULL if none is wanted. */
const char *terminal_pager_wished(void);

#endif
