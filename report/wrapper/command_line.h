/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command_line.h - what a compiler's command line asks for: whether the plugin has anything to do
 * there. Response files (@FILE) are read for that; the arguments themselves stay as they are.
 */
#ifndef REPORT_WRAPPER_COMMAND_LINE_H
#define REPORT_WRAPPER_COMMAND_LINE_H

#include <stddef.h>

enum invocation_kind {
	INVOCATION_QUERY, /* --version, -print-..., no input: nothing is made */
	INVOCATION_TEXT,  /* -E, -M, -fsyntax-only: no code is made */
	/* of a configure: what comes out must be as without the plugin, and is not kept */
	INVOCATION_PROBE,
	/* code that the plugin leaves alone with a warning: -m32, -mx32, -mcmodel=large */
	INVOCATION_ABI,
	INVOCATION_LINK,    /* of objects only; they may hold code for -flto */
	INVOCATION_COMPILE, /* sources, and perhaps a link as well */
	INVOCATION_ASSEMBLE,
};

struct invocation {
	enum invocation_kind kind;
	size_t sources; /* that the compiler proper compiles */
	int has_plugin; /* -fplugin=...cinstr... is given already */
	int is_static;	/* links, without shared libraries */
	/* the last -fplugin-arg-cinstr-filter=; in the caller's arguments, or NULL */
	const char *filter;
	const char *abi; /* INVOCATION_ABI: the option */
};

/* folder: where the compiler runs, "" if unknown. argv[0] is the compiler. */
struct invocation command_line_read(int argc, char **argv, const char *folder);

#endif
