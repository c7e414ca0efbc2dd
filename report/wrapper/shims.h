/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shims.h - what `cinstr build` and the program that takes the compilers' places tell each other.
 *
 * A folder of shims has a copy of cinstr-gcc, hard links to it with the names of compilers (a build
 * that looks where a compiler's link leads to finds the same name), and the file SHIMS_FILE, a line
 * each:
 *
 *      home FOLDER     where cinstr-gcc itself is: plugins are searched from there
 *      arg TEXT        an argument for the plugin, -fplugin-arg-cinstr-...
 *      real PATH       the compiler that the links stand for; without it, the next one in PATH
 *
 * It stays when the build is over: CMake and others keep the path of the compiler they have found.
 */
#ifndef REPORT_WRAPPER_SHIMS_H
#define REPORT_WRAPPER_SHIMS_H

#include <stddef.h>

#define SHIMS_FILE ".cinstr-shims"
#define SHIMS_WRAPPER "cinstr-gcc"
#define SHIMS_COPY ".cinstr-gcc"

/*
 * A file to which each compiler's call appends what became of it: KIND TAB COUNT TAB WHO TAB WHY.
 * Kinds: enum shims_event; WHO as "GCC 12.2.0".
 */
#define SHIMS_LOG "CINSTR_BUILD_LOG"

enum shims_event {
	SHIMS_COMPILED = 'c', /* with the plugin, COUNT sources */
	SHIMS_LEFT = 'n',     /* without: WHY */
	SHIMS_PROBE = 'p',    /* a configure's */
	SHIMS_OTHER = 'o',    /* nothing to instrument: a link, a query */
};

struct shims {
	char **args; /* n_args */
	size_t n_args;
	char *real, *home; /* NULL */
};

/* 1: this is a folder of shims. */
int shims_here(const char *folder);
/* 0, or -1: it is none, or not ours. */
int shims_read(const char *folder, struct shims *shims);
/* PATH without the folders of shims. The caller frees it. */
char *shims_path_without(const char *path);

/* Appends a line to the log, if there is one. */
void shims_log(enum shims_event event, size_t count, const char *who, const char *why);

#endif
