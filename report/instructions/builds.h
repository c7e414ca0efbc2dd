/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * builds.h - which compilers made the modules of several runs, and with which options: numbers of
 * programs that differ in this are not those of the same work.
 */
#ifndef REPORT_INSTRUCTIONS_BUILDS_H
#define REPORT_INSTRUCTIONS_BUILDS_H

#include "executed/executed.h"

#define BUILT_KINDS 2 /* enum symbols_builders */

/* What has made one module: each compiler a line, in order; empty: not known. */
struct built {
	char *lines[BUILT_KINDS];
};
void built_read(struct built *built, struct symbols *symbols);
void built_release(struct built *built);
/* Whether both are known, and differ; *kind: what was compared: options, where both tell them. */
int built_is_other(const struct built *a, const struct built *b, int *kind);
/* Writes of each of both runs the first compiler that the other one has not. */
void built_put_difference(struct strbuf *text, const char *run_a, const struct built *a, const char *run_b,
			  const struct built *b, int kind);

struct build;
struct builds {
	struct map names, strings;
	struct build *list; /* of each module of each run */
	size_t n, size;
};

/* Adds a module of a run, under a name that is the same in all runs. Returns 0, or -1 after an
 * error message: other runs have modules of that name, all of which were built otherwise. */
int builds_add(struct builds *builds, const char *name, const struct executed_image *image, const char *run);
void builds_release(struct builds *builds);

#endif
