/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * suggest.h - suggests the functions of a session that should be instrumented next, as rules of the
 * plugin's filter file (cinstr/plugin_options.h). cinstr suggest writes the file; cinstr summary of
 * a sampled session ends with the list.
 *
 * Of the functions that can be instrumented - in the program's own modules, with a name - these are
 * taken:
 *
 *     - those with at least `percent` of the session's samples (or Application time, or else
 *       elapsed time), including their callees
 *     - their callers up to main, on the path with most time
 *     - further ones, largest first, until in SUGGEST_EXPLAINED percent of the time of named
 *       functions of the program, the innermost of them is taken
 *
 * Samples do not show how often a function was called. Small functions with a large share are
 * called often, and a probe would cost more than they do. The plugin knows which functions are
 * small and leaves out those that no rule names. A function that was never seen to call another one
 * therefore gets a glob as its rule, "[n]ame", so that the plugin decides. If calls are known, they
 * decide.
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
/* Mean duration of a call, ns, below which two probes dominate it: about twice their cost. */
#define SUGGEST_SHORT_NS 50.0

struct suggest_choice {
	double percent;
	uint64_t limit;
	/* Functions and modules to choose from; modules named here are the user's own. NULL:
	 * all. */
	const struct selection *selection;
};

enum suggest_verdict {
	SUGGEST_TAKEN,
	SUGGEST_SHORT,	 /* probes would cost more than the function */
	SUGGEST_SYSTEM,	 /* in the system's libraries or the kernel */
	SUGGEST_UNNAMED, /* stripped code */
};

struct suggestion {
	const char *name; /* name shown */
	const char *rule; /* "include RULE" */
	const char *module;
	double inclusive, exclusive; /* samples or ns */
	uint64_t calls;		     /* 0 if sampled */
	int are_calls_least;	     /* there may be more calls */
	/* mixed: a part of the inclusive, exclusive time is an estimate */
	int is_estimate[2];
	int is_leaf; /* was not seen to call anything; its rule is a glob */
	enum suggest_verdict verdict;
};

struct suggest {
	/* Suggestions with SUGGEST_TAKEN, most inclusive time first; then n_others large ones, most
	 * exclusive time first. */
	struct suggestion *list;
	size_t n, n_others;
	size_t n_beyond;  /* left out by the limit */
	double whole;	  /* samples or ns */
	double explained; /* part of `whole` with the program's innermost function taken */
	double own;	  /* part of `whole` with one of the program's functions on the stack */
	int is_sampled;
	int is_application; /* ns are Application time, not Elapsed */
	double percent;
	/* largest library of the others that could be instrumented; NULL: none */
	const char *library;
	char *title;
	struct map strings;
};

/* Makes the suggestions. `profile`: BY_PATH, with inlined functions as parts of the containing
 * ones. `functions`: BY_FUNCTION of the same data, which includes calls that were only counted. */
void suggest_make(struct suggest *suggest, const struct profile *profile, const struct profile *functions,
		  const struct suggest_choice *choice);
/* Like suggest_make(), for a session that is read. `options`: of the view. is_quiet: its problems
 * have been reported. Returns an exit status; release in any case. */
int suggest_read(struct suggest *suggest, const char *path, const struct view_options *options,
		 const struct suggest_choice *choice, int is_quiet);
void suggest_release(struct suggest *suggest);

/* Writes the filter file; `source`: path of the session. */
void suggest_write(FILE *out, const struct suggest *suggest, const char *source);
/* Writes both lists as rows for scripts. */
void suggest_items(FILE *out, const struct suggest *suggest, const struct items_format *format);
/* Appends at most `limit` suggestions, for the end of a summary. `command`: writes the file. */
void suggest_put(struct strbuf *text, const struct suggest *suggest, uint64_t limit, const char *command);

#endif
