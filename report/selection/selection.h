/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selection.h - the part of a session that a report shows: processes, threads, a range of time,
 * just my code (these choose the data: totals and percentages are of what is left), functions and
 * modules (these choose the rows that are shown: values stay as they are).
 *
 *      selection_check()    after options_parse()
 *      selection_each()     in place of session_each()
 *      selection_rows()     marks rows that are not shown; called by view.c
 *      selection_put()      above the table
 *      selection_release()
 */
#ifndef REPORT_SELECTION_H
#define REPORT_SELECTION_H

#include <stddef.h>

#include "file/data.h"
#include "lib/globs.h"
#include "lib/options.h"
#include "lib/util.h"
#include "rows/profile.h"
#include "session/session.h"

struct selection_state;

/* The options' values; NULL or 0: everything. Lists of globs, separated by commas; a leading !
 * means all but these. */
struct selection {
	const char *processes; /* names or numbers */
	const char *threads;   /* names or numbers */
	const char *functions, *modules;
	/* a time since the session's start (12.5s, 300ms), or a mark's number or text */
	const char *from, *to;
	int just_my_code;
	int by_marks; /* not an option: rows are marks (time_range.h) */
	/* --filter: file with more of these options; --save-filter: file to write all to */
	const char *file, *save;
	struct selection_state *state; /* set by selection_check() */
};

#define SELECTION_OPTIONS(type, member) \
	{ "process", \
	  0, \
	  OPTION_TEXT, \
	  "GLOBS", \
	  offsetof(type, member.processes), \
	  "only processes of these names or numbers; !GLOB: all but these", \
	  NULL }, \
		{ "thread", \
		  0, \
		  OPTION_TEXT, \
		  "GLOBS", \
		  offsetof(type, member.threads), \
		  "only threads of these names or numbers", \
		  NULL }, \
		{ "function", \
		  0, \
		  OPTION_TEXT, \
		  "GLOBS", \
		  offsetof(type, member.functions), \
		  "show only these functions (with their values of the whole)", \
		  NULL }, \
		{ "module", \
		  0, \
		  OPTION_TEXT, \
		  "GLOBS", \
		  offsetof(type, member.modules), \
		  "show only what is in these executables and libraries", \
		  NULL }, \
		{ "from", \
		  0, \
		  OPTION_TEXT, \
		  "TIME|MARK", \
		  offsetof(type, member.from), \
		  "only what happened from here on: a time since the session's start (12.5s, 300ms, us, " \
		  "ns), or a mark, by its " \
		  "number or a glob of its text", \
		  NULL }, \
		{ "to", \
		  0, \
		  OPTION_TEXT, \
		  "TIME|MARK", \
		  offsetof(type, member.to), \
		  "... and up to this moment; of a mark: the first such one after --from", \
		  NULL }, \
		{ "just-my-code", \
		  0, \
		  OPTION_FLAG, \
		  NULL, \
		  offsetof(type, member.just_my_code), \
		  "calls among the system's libraries and headers are one function, [External Code]", \
		  NULL }, \
		{ "filter", \
		  0, \
		  OPTION_TEXT, \
		  "FILE", \
		  offsetof(type, member.file), \
		  "the options from --process on, from a file: a line NAME VALUE each; # begins a comment", \
		  NULL }, \
	{ \
		"save-filter", 0, OPTION_TEXT, "FILE", offsetof(type, member.save), "write such a file", \
			NULL \
	}

/* Checks the options, reads --filter, writes --save-filter. Returns 0, or an exit status after an
 * error message. A second call does nothing. */
int selection_check(struct selection *selection);
void selection_release(struct selection *selection);

/* Parses a time with its unit: 12.5s, 300ms. Returns 0, or -1 if it is not a time. */
int selection_time_parse(const char *text, long double *ns);

/* Whether any option filters. */
int selection_is_any(const struct selection *selection);
/* Whether the options limit the time. */
int selection_has_range(const struct selection *selection);

/* Like session_each(), but leaves out processes and threads that are not chosen, and cuts times. It
 * is an error if something chosen does not exist. Returns the exit status. */
int selection_each(const struct selection *selection, struct session *input,
		   void (*visit)(void *arg, struct data *data), void *arg);
/* Visits the same data once more, after selection_each() of an input that `keeps`. */
void selection_again(const struct selection *selection, struct session *input,
		     void (*visit)(void *arg, struct data *data), void *arg);
/*
 * The steps of selection_each(), without cutting times, for callers that look at each event.
 * Between selection_begin() and selection_end(), which return an exit status after an error
 * message, files are opened one at a time. *is_left: some of the file is chosen. Release the data
 * in every case.
 */
int selection_begin(const struct selection *selection, struct session *input);
int selection_open_one(const struct selection *selection, struct session *input, size_t number,
		       struct data *data, int *is_left);
int selection_end(const struct selection *selection, size_t n_visited);
/* Sets the range of time in ticks of the data's clock. */
void selection_range(const struct selection *selection, const struct data *data, uint64_t *from_ticks,
		     uint64_t *to_ticks);
/* Returns the session's clock. Valid after selection_begin(). */
const struct session_clock *selection_clock(const struct selection *selection);

/* Whether a function's rows are shown; `names`: all names that it may be called by. */
enum globs_verdict selection_of_names(const struct selection *selection, const char *const *names, size_t n,
				      const char *module);
enum globs_verdict selection_of_function(const struct selection *selection, const char *name,
					 const char *module);
/* Like selection_of_names(), by any of the function's names (names.h). */
enum globs_verdict selection_of_entity(const struct selection *selection, const struct entity *entity);
int selection_takes_row(const struct selection *selection, const struct profile *profile,
			const struct row *row);
/* Sets `filtered` in rows that are not shown. Call paths are shown if they lead to a chosen
 * function or start from one. Returns 0, or an exit status after an error message if something
 * chosen does not exist. */
int selection_rows(const struct selection *selection, struct profile *profile);
/* For views without rows: returns nonzero after an error message if a chosen function or module has
 * not been seen. */
int selection_check_seen(const struct selection *selection);

/* Appends the filter in words, for above the table; nothing if everything is shown. */
void selection_put(struct strbuf *text, const struct selection *selection);

#endif
