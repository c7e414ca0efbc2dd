/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compiler.h - finds the compiler with a name, and its plugin. Asking a compiler takes
 * milliseconds, so the answers are cached in a folder of the user's (cache.h) until compiler or
 * plugin change, for an hour at most.
 */
#ifndef REPORT_WRAPPER_COMPILER_H
#define REPORT_WRAPPER_COMPILER_H

struct compiler {
	char *path;
	char *who;    /* "GCC 12.2.0", "clang 14.0.6" */
	char *plugin; /* path of the plugin; NULL: none */
	char *why;    /* if there is none: a sentence with the remedy */
	int is_clang;
};

/* Returns the path of the first program with that name in $PATH other than this one, which the
 * caller frees. past_launchers: skips links to programs that are not compilers, such as
 * /usr/lib/ccache/gcc. NULL: there is none. */
char *compiler_find(const char *name, int past_launchers);
/* Whether the path is a link to a program with another name, which runs the compiler of this
 * name. */
int compiler_is_launcher(const char *path);
/* Returns what is known of the compiler at an absolute path. anew: asks again if it had no
 * plugin. */
struct compiler compiler_know(const char *path, int anew);

#endif
