/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command_line.h - decides from a compiler's command line whether the plugin has anything to do.
 * Response files (@FILE) are read for that; the arguments are not changed.
 */
#ifndef REPORT_WRAPPER_COMMAND_LINE_H
#define REPORT_WRAPPER_COMMAND_LINE_H

#include <stddef.h>

enum invocation_kind {
	INVOCATION_QUERY, /* --version, -print-..., no input: makes nothing */
	INVOCATION_TEXT,  /* -E, -M, -fsyntax-only: makes no code */
	/* Test of a configure script: its output must be as without the plugin, and is not kept. */
	INVOCATION_PROBE,
	/* Code that the plugin skips with a warning: -m32, -mx32, -mcmodel=large. */
	INVOCATION_ABI,
	INVOCATION_LINK,    /* of objects only, which may contain code for -flto */
	INVOCATION_COMPILE, /* of sources, perhaps with a link */
	INVOCATION_ASSEMBLE,
};

struct invocation {
	enum invocation_kind kind;
	size_t sources; /* number compiled by the compiler proper */
	int has_plugin; /* -fplugin=...cinstr... is given already */
	int is_static;	/* links without shared libraries */
	/* The last -fplugin-arg-cinstr-filter= in the caller's arguments, or NULL. */
	const char *filter;
	const char *abi; /* INVOCATION_ABI: the option */
};

/* Analyses a command line. folder: where the compiler runs, "" if unknown. argv[0] is the
 * compiler. */
struct invocation command_line_read(int argc, char **argv, const char *folder);

#endif
