/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * globs.h - an option's list of globs: GLOB,!GLOB,... A name is taken if one of the globs matches;
 * or if all globs begin with ! and none of them matches. Keeps which globs have matched and which
 * names were checked, to report globs that match nothing.
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
	struct map seen; /* names that were checked */
};

/* Parses a list of globs. Commas within parentheses do not separate. Returns 0, or -1 if a glob is
 * empty. */
int globs_parse(struct globs *globs, const char *text);
void globs_release(struct globs *globs);

enum globs_verdict {
	GLOBS_OTHER,	/* no glob matches */
	GLOBS_EXCLUDED, /* a glob with ! matches */
	GLOBS_TAKEN,
};
/* Matches any of names[n], skipping NULL ones. Without globs everything is taken. */
enum globs_verdict globs_match(struct globs *globs, const char *const *names, size_t n);
/* Like globs_match(), with a comparison by the caller, who passes names to globs_see(). */
enum globs_verdict globs_match_if(struct globs *globs, int (*matches)(const void *arg, const char *glob),
				  const void *arg);
void globs_see(struct globs *globs, const char *name);

/* Whether one glob matches. */
int globs_text_matches(const char *glob, const char *text);

/* Returns the last part of a qualified name and its length: d of a::b<c>::d<e>(f). */
const char *globs_last_part(const char *name, size_t *n);
/* Returns the name whose last part the glob is, or else the one closest to the glob without its
 * wildcards; NULL: no name is close. */
const char *globs_closest(const char *glob, const struct map *names);
/* Appends "; there is 'a', 'b', ..." with the first few names; nothing if there are none. */
void globs_put_some(struct strbuf *text, const struct map *names);

/* Reports each glob that has matched nothing. Returns -1 if there was one, else 0. */
int globs_check_matched(const struct globs *globs, const char *option);

#endif
