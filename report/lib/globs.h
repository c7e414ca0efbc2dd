/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * globs.h - a list of globs as an option has it: GLOB,!GLOB,... A name is taken if one of the globs
 * matches, or all of them begin with !, and none of those does. Remembers which globs have matched
 * and what was asked, to tell of those that match nothing.
 */
#ifndef REPORT_GLOBS_H
#define REPORT_GLOBS_H

#include "util.h"

struct glob_entry {
	char *text; /* without the ! */
	int excludes;
	int has_matched;
};

struct globs {
	struct glob_entry *list;
	size_t n;
	struct map seen; /* names that were asked for */
};

/* Commas within parentheses separate nothing. 0, or -1: a glob is empty. */
int globs_parse(struct globs *globs, const char *text);
void globs_release(struct globs *globs);

enum globs_verdict {
	GLOBS_OTHER,	/* none matches */
	GLOBS_EXCLUDED, /* one with ! does */
	GLOBS_TAKEN,
};
/* By any of its names[n]; NULL ones are skipped. Without globs everything is taken. */
enum globs_verdict globs_match(struct globs *globs, const char *const *names, size_t n);
/* The same by whoever knows better than to compare; the name that stands for it is seen by
 * globs_see(). */
enum globs_verdict globs_match_if(struct globs *globs, int (*matches)(const void *arg, const char *glob),
				  const void *arg);
void globs_see(struct globs *globs, const char *name);

/* Whether one glob matches. */
int globs_text_matches(const char *glob, const char *text);

/* The last part of a::b<c>::d<e>(f), and its length: d. */
const char *globs_last_part(const char *name, size_t *n);
/* The name whose last part the glob is, or that looks most like the glob without its
 * wildcards; NULL: none does. */
const char *globs_closest(const char *glob, const struct map *names);
/* "; there is 'a', 'b', ...": the first few; nothing: there are none. */
void globs_put_some(struct strbuf *text, const struct map *names);

/* After an error message for each glob that has matched nothing: -1. 0: all have. */
int globs_check_matched(const struct globs *globs, const char *option);

#endif
