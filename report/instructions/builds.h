/* SPDX-License-Identifier: GPL-3.0-or-later */
/* builds.h - the compilers that made the modules of several runs, and their options: numbers of
 * programs that differ in these are not comparable. */
#ifndef REPORT_INSTRUCTIONS_BUILDS_H
#define REPORT_INSTRUCTIONS_BUILDS_H

#include "executed/executed.h"

#define BUILT_KINDS 2 /* enum symbols_builders */

/* The compilers of one module, one per line, in order; empty: not known. */
struct built {
	char *lines[BUILT_KINDS];
};
void built_read(struct built *built, struct symbols *symbols);
void built_release(struct built *built);
/* Whether both are known, and differ; *kind: what was compared: options, if both have them. */
int built_is_other(const struct built *a, const struct built *b, int *kind);
/* Appends the first compiler of each run that the other run does not have. */
void built_put_difference(struct strbuf *text, const char *run_a, const struct built *a, const char *run_b,
			  const struct built *b, int kind);

struct build;
struct builds {
	struct map names, strings;
	struct build *list; /* one for each module of each run */
	size_t n, size;
};

/* Adds a module of a run, under a name that is the same in all runs. Returns 0, or -1 after an
 * error message if other runs have modules of that name, and all of these were built otherwise. */
int builds_add(struct builds *builds, const char *name, const struct executed_image *image, const char *run);
void builds_release(struct builds *builds);

#endif
