/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.h - the parts of `cinstr build`: a folder of shims (wrapper/shims.h), the environment that
 * makes a build find them, and what is said when it is over.
 */
#ifndef REPORT_BUILD_H
#define REPORT_BUILD_H

#include <stddef.h>

#include "lib/options.h"

struct build_shims {
	char *folder;
	char *wrapper;		 /* the program that they are links to */
	struct option_each args; /* for the plugin: -fplugin-arg-cinstr-... */
};

/* build_shims.c. wanted: NULL, or the folder to use. 0, or an exit status after a message. */
int build_shims_make(struct build_shims *shims, const char *wanted);
/* A shim for the compiler at this absolute path. The caller frees it; NULL: it is no compiler. */
char *build_shims_for(const struct build_shims *shims, const char *path);

/* build_environment.c. log: the file for SHIMS_LOG. records: programs that the build runs
 * record. */
struct build_environment {
	const char *log;
	int keeps_variables, records;
};
void build_environment_set(const struct build_shims *shims, const struct build_environment *how);
/* CC=/usr/bin/gcc-11 and -DCMAKE_C_COMPILER=... among the command's arguments. */
void build_arguments_set(const struct build_shims *shims, char **argv);
/* Says at once if the compiler that is used by default has no plugin. */
void build_default_compiler_check(void);

/* build_summary.c: "cinstr: HEAD: WHY" on stderr, in more than one line if it does not fit. */
void build_say(const char *head, const char *why);
/* Says what became of the compilations that the log tells of; argv: the command. */
void build_summary(const char *log, char **argv, int failed);

#endif
