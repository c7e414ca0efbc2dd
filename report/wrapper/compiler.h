/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compiler.h - the compiler behind a name, and the plugin that fits it. Asking a compiler takes
 * some milliseconds, so the answers are kept in a folder of the user's (cache.h), for as long as
 * neither compiler nor plugin change, an hour at most.
 */
#ifndef REPORT_WRAPPER_COMPILER_H
#define REPORT_WRAPPER_COMPILER_H

struct compiler {
	char *path;
	char *who;    /* "GCC 12.2.0", "clang 14.0.6" */
	char *plugin; /* its path; NULL: there is none */
	char *why;    /* there is none: a sentence with the remedy */
	int is_clang;
};

/*
 * The first in $PATH of that name that is not this very program. past_launchers: nor a link to what
 * is no compiler, as /usr/lib/ccache/gcc is. NULL: there is none. The caller frees it.
 */
char *compiler_find(const char *name, int past_launchers);
/* It is a link to something with another kind of name, which runs a compiler of that name. */
int compiler_is_launcher(const char *path);
/* path: absolute. anew: that there was no plugin a moment ago does not count. */
struct compiler compiler_know(const char *path, int anew);

#endif
