/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shims.h - the interface between `cinstr build` and the program that replaces the compilers.
 *
 * A folder of shims contains a copy of cinstr-gcc, hard links to it with the names of compilers (a
 * build that follows a compiler's link finds the same name), and the file SHIMS_FILE with lines:
 *
 *     home FOLDER     folder of cinstr-gcc itself: plugins are searched from there
 *     arg TEXT        an argument for the plugin, -fplugin-arg-cinstr-...
 *     real PATH       the compiler that the links stand for; without it, the next one in PATH
 *
 * It remains after the build: CMake and others keep the path of the compiler that they found.
 */
#ifndef REPORT_WRAPPER_SHIMS_H
#define REPORT_WRAPPER_SHIMS_H

#include <stddef.h>

#define SHIMS_FILE ".cinstr-shims"
#define SHIMS_WRAPPER "cinstr-gcc"
#define SHIMS_COPY ".cinstr-gcc"

/* A file to which each call of a compiler appends its result: KIND TAB COUNT TAB WHO TAB WHY.
 * Kinds: enum shims_event; WHO as "GCC 12.2.0". */
#define SHIMS_LOG "CINSTR_BUILD_LOG"

enum shims_event {
	SHIMS_COMPILED = 'c', /* COUNT sources were compiled with the plugin */
	SHIMS_LEFT = 'n',     /* compiled without the plugin, because of WHY */
	SHIMS_PROBE = 'p',    /* by a configure script */
	SHIMS_OTHER = 'o',    /* nothing to instrument: a link, a query */
};

struct shims {
	char **args; /* [n_args] */
	size_t n_args;
	char *real, *home; /* NULL: not given */
};

/* Whether this is a folder of shims. */
int shims_here(const char *folder);
/* Reads SHIMS_FILE. Returns 0, or -1 if there is none, or another user may write it. */
int shims_read(const char *folder, struct shims *shims);
/* Returns PATH without folders of shims, which the caller frees. */
char *shims_path_without(const char *path);

/* Appends a line to the log, if there is one. */
void shims_log(enum shims_event event, size_t count, const char *who, const char *why);

#endif
