/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * suggest.h - which functions a session points at: those that are worth instrumenting next, as
 * rules of the plugin's filter file (cinstr/plugin_options.h). cinstr suggest writes the file,
 * cinstr summary of a sampled session ends with the list.
 *
 * Of the functions that can be instrumented - of the program's own modules, with a name - these are
 * taken:
 *
 *      - those with at least `percent` of the session's samples (or Application time, or else
 *        elapsed time) with what they call
 *      - their callers up to main, on the path where each has most
 *      - further ones, those that have most first, until in SUGGEST_EXPLAINED percent of what is
 *        the program's own, and has names, the innermost function of its own is among them
 *
 * Samples do not tell how often a function was called. Small ones are called often where they have
 * a large share, and a probe would cost more than they do; whether one is small the plugin knows:
 * it leaves those out that no rule names. So a function that was never seen to call another one
 * gets a glob for a rule, "[n]ame", and the plugin decides. Where calls are known, they do.
 */
#ifndef REPORT_SUGGEST_H
#define REPORT_SUGGEST_H

#include <stdint.h>
#include <stdio.h>

#include "rows/profile.h"
#include "selection/selection.h"
#include "view/view.h"

#define SUGGEST_PERCENT 1.0
#define SUGGEST_LIMIT 50
#define SUGGEST_EXPLAINED 90.0
/* Mean time of a call below which two probes are most of it, ns: about twice their cost. */
#define SUGGEST_SHORT_NS 50.0

struct suggest_choice {
	double percent;
	uint64_t limit;
	/* functions and modules; a module that it names is the user's own. NULL: all */
	const struct selection *selection;
};

enum suggest_verdict {
	SUGGEST_TAKEN,
	SUGGEST_SHORT,	 /* probes would cost more than it does */
	SUGGEST_SYSTEM,	 /* the system's libraries, and the kernel */
	SUGGEST_UNNAMED, /* stripped code */
};

struct suggestion {
	const char *name; /* as it is shown */
	const char *rule; /* "include RULE" */
	const char *module;
	double inclusive, exclusive; /* samples, or ns */
	uint64_t calls;		     /* sampled: 0 */
	int are_calls_least;	     /* there may be more */
	int is_estimate[2];	     /* some of its inclusive, exclusive time is (mixed) */
	int is_leaf;		     /* was not seen to call anything: its rule is a glob */
	enum suggest_verdict verdict;
};

struct suggest {
	/* taken, by inclusive; then the others that are large, by exclusive */
	struct suggestion *list;
	size_t n, n_others;
	size_t n_beyond;  /* by the limit */
	double whole;	  /* samples, or ns */
	double explained; /* of them: the innermost function of the program's own is taken */
	double own;	  /* of them: a function of the program's own is on the stack */
	int is_sampled;
	int is_application; /* ns are of Application time, not of Elapsed */
	double percent;
	const char *library; /* the largest of the others that may be meant; NULL: none */
	char *title;
	struct map strings;
};

/* `profile`: BY_PATH, with functions that were inlined as parts of those that hold them.
 * `functions`: BY_FUNCTION, of the same; it has calls that were only counted. */
void suggest_make(struct suggest *suggest, const struct profile *profile, const struct profile *functions,
		  const struct suggest_choice *choice);
/*
 * The same, from a session that is read for it. `options`: of the view. is_quiet: its problems have
 * been told. Returns an exit status; releasing it is right in any case.
 */
int suggest_read(struct suggest *suggest, const char *path, const struct view_options *options,
		 const struct suggest_choice *choice, int is_quiet);
void suggest_release(struct suggest *suggest);

/* The filter file; `source`: the session. */
void suggest_write(FILE *out, const struct suggest *suggest, const char *source);
/* Both lists as rows for scripts. */
void suggest_items(FILE *out, const struct suggest *suggest, const struct sheet_format *format);
/* In words, for the end of a summary: at most `limit` of them. `command`: that writes the file. */
void suggest_put(struct strbuf *text, const struct suggest *suggest, uint64_t limit, const char *command);

#endif
