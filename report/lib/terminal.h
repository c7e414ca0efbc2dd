/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal.h - who reads the output, and through what: how wide it may be, whether colours help,
 * the pager. Every command that prints has TERMINAL_OPTIONS in its table:
 *
 *      terminal_configure()    behind options_parse()
 *      terminal_page()         before the first line to stdout, when no more errors are likely
 *      terminal_width(), terminal_is_coloured()
 *
 * Colours are ink.h, the pager is pager.c. Only the thread that prints calls these.
 */
#ifndef REPORT_TERMINAL_H
#define REPORT_TERMINAL_H

#include <stdint.h>
#include <stdio.h>

#include "options.h"

/* Zero is: by the surroundings. */
struct terminal_options {
	const char *colour; /* "auto", "always", "never" */
	const char *width;  /* digits; "0": any width */
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

/* 0, or -1 after an error message. */
int terminal_configure(const char *command, const struct terminal_options *options);

/*
 * Columns that `out` may have; 0: any number. In this order: --width; COLUMNS; the terminal that
 * `out` is; for a pipe the terminal that the command was called from (`cinstr tree | less`). A
 * file, and a pipe without a terminal, get TERMINAL_NONE columns: somebody will read it, in a
 * window of unknown width. Logs of build servers show as many without wrapping, and most names fit;
 * scripts read csv or json, which have no width.
 */
#define TERMINAL_NONE 120
unsigned terminal_width(FILE *out);
int terminal_is_coloured(FILE *out);
/* Whether stdout is seen by somebody at a terminal now: by itself, or in our pager. */
int terminal_is_watched(void);
/* Whether the locale (LC_ALL, LC_CTYPE, LANG) says that signs beside ASCII can be shown. */
int terminal_is_utf8(void);
/* Whether small bars (U+2581 to U+2588) are for eyes that can see them there. */
int terminal_has_bars(void);

/* pager.c: from now on stdout goes through a pager, if it is a terminal and one is wished. It is
 * waited for when the command ends, whose status stays what it is. */
void terminal_page(void);
int terminal_is_paged(void);
/* The pager that the surroundings wish for; NULL: none. */
const char *pager_wished(void);

#endif
