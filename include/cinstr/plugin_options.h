/* SPDX-License-Identifier: MIT */
/*
 * cinstr/plugin_options.h - the options of the GCC plugin, in one table: the plugin reads and lists
 * them, the command generates their manual page.
 *
 *   OPTION(id, name, argument, help)
 *
 * argument: "=X"; optional: "[=X]"; NULL: none. On the command line of the compiler they are
 * -fplugin-arg-cinstr-NAME[=VALUE], in a filter file a line NAME VALUE each.
 */
#ifndef CINSTR_PLUGIN_OPTION_TABLE_H
#define CINSTR_PLUGIN_OPTION_TABLE_H

#define CINSTR_PLUGIN_PLACES "=top|bottom|before|after,GLOB"

/* Options that choose what is instrumented; `cinstr build` takes them, too. */
#define CINSTR_PLUGIN_CHOICE_TABLE(OPTION) \
	OPTION(INCLUDE, "include", "=GLOB", "instrument these functions; with it, only what is included") \
	OPTION(EXCLUDE, "exclude", "=GLOB", "do not instrument these functions") \
	OPTION(INCLUDE_FILE, "include-file", "=GLOB", "instrument the functions of these source files") \
	OPTION(EXCLUDE_FILE, "exclude-file", "=GLOB", \
	       "do not instrument the functions of these source files") \
	OPTION(EXCLUDE_SYSTEM_HEADERS, "exclude-system-headers", NULL, \
	       "do not instrument functions defined in system headers") \
	OPTION(SMALL, "small", "=N", \
	       "leave out leaf functions without a loop of at most N instructions (10; 0: none)") \
	OPTION(CALLS, "calls", "=all|unknown|none", \
	       "probe sites at calls: all, those whose callee is not known to have its own, or none") \
	OPTION(LINES, "lines", NULL, "probe sites at source lines") \
	OPTION(INSTRUCTIONS, "instructions", "[=calls]", \
	       "count the machine instructions that are executed; calls: also those of each call") \
	OPTION(GOLD, "gold", NULL, "keep the tables when gold links with --gc-sections") \
	OPTION(REGION, "region", "=GLOB", "the same as start=inside,GLOB") \
	OPTION(START, "start", "=inside|outside,GLOB", \
	       "record only while such a function, or a call of it, is going on") \
	OPTION(SUSPEND, "suspend", "=inside|outside,GLOB", \
	       "do not record while such a function, or a call of it, is going on") \
	OPTION(START_ONLY, "start-only", CINSTR_PLUGIN_PLACES, "start recording there") \
	OPTION(STOP_ONLY, "stop-only", CINSTR_PLUGIN_PLACES, "stop recording there") \
	OPTION(SUSPEND_ONLY, "suspend-only", CINSTR_PLUGIN_PLACES, "suspend recording there") \
	OPTION(RESUME_ONLY, "resume-only", CINSTR_PLUGIN_PLACES, "resume recording there") \
	OPTION(MARK, "mark", CINSTR_PLUGIN_PLACES "[,TEXT]", "put a mark into the recording there") \
	OPTION(FILTER, "filter", "=FILE", "read options from the lines of a file: NAME VALUE")

#define CINSTR_PLUGIN_OPTION_TABLE(OPTION) \
	OPTION(HELP, "help", NULL, "list these options") \
	OPTION(VERBOSE, "verbose", NULL, "tell what is done with each function") \
	OPTION(QUIET, "quiet", NULL, "no warnings about rules without effect") \
	CINSTR_PLUGIN_CHOICE_TABLE(OPTION) \
	OPTION(LIST, "list", "[=FILE]", \
	       "tell what would be instrumented and why the rest not; change nothing")

#endif
