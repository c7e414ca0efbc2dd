/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.h - shared by the parts of `cinstr build`: a folder of shims (wrapper/shims.h), the
 * environment in which a build finds them, and the report at the end.
 */
#ifndef REPORT_BUILD_H
#define REPORT_BUILD_H

#include "lib/options.h"

struct build_shims {
	char *folder;
	char *wrapper;		 /* program that the shims are links to */
	struct option_each args; /* for the plugin: -fplugin-arg-cinstr-... */
};

/* build_shims.c: makes the shims. wanted: folder to use, or NULL. Returns 0, or an exit status
 * after a message. */
int build_shims_make(struct build_shims *shims, const char *wanted);
/* Returns the path of a shim for the compiler at this absolute path, which the caller frees; NULL:
 * it is not a compiler. */
char *build_shims_for(const struct build_shims *shims, const char *path);

/* build_environment.c: sets the environment of the build. log: file for SHIMS_LOG. records:
 * programs run by the build are recorded. */
struct build_environment {
	const char *log;
	int keeps_variables, records;
};
void build_environment_set(const struct build_shims *shims, const struct build_environment *how);
/* Replaces compilers in the command's arguments: CC=/usr/bin/gcc-11 and -DCMAKE_C_COMPILER=... */
void build_arguments_set(const struct build_shims *shims, char **argv);
/* Warns if there is no plugin for the default compiler. */
void build_default_compiler_check(void);

/* build_summary.c: prints "cinstr: HEAD: WHY" on stderr, wrapped if needed. */
void build_say(const char *head, const char *why);
/* Reports the results of the compilations in the log; argv: the command. */
void build_summary(const char *log, char **argv, int failed);

#endif
