/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options given by -fplugin-arg-cinstr-NAME[=VALUE] and by filter files. Read once, before the
 * unit begins, and not changed afterwards. Rules go to rules.h and actions.h.
 */
#ifndef CINSTR_PLUGIN_OPTIONS_H
#define CINSTR_PLUGIN_OPTIONS_H

#include "gcc.h"

#define SMALL_DEFAULT 10 /* instructions */

enum calls_mode {
	CALLS_ALL,     /* sleds at every call */
	CALLS_UNKNOWN, /* only where the callee is not known to have sleds of its own */
	CALLS_NONE,    /* only at tail calls, which are exits */
};

struct settings {
	bool help;
	bool verbose;
	bool quiet; /* no warnings about rules without effect */
	bool lines;
	bool instructions;
	bool sums;	       /* instructions=calls: counters add up instructions, too */
	bool gold;	       /* add a relocation from each text section to its table */
	bool list;	       /* list functions, change nothing */
	const char *list_file; /* NULL: standard error */
	bool exclude_system_headers;
	/* leaf functions of at most this many instructions are left out; 0: none */
	unsigned int small;
	enum calls_mode calls;
};

extern struct settings settings;

/* Reads the options into `settings`. Returns false if some were wrong; errors have been
 * reported. */
bool options_parse(const struct plugin_name_args *args);

/* Lists the options. */
void options_help(const char *plugin_name);

#endif
