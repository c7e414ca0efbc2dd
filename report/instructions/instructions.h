/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instructions.h - views of executed instructions (--measure=instructions): their options, which
 * are those of the views of time as far as they apply here; reading a session; rows; the table and
 * formats for scripts. */
#ifndef REPORT_INSTRUCTIONS_INSTRUCTIONS_H
#define REPORT_INSTRUCTIONS_INSTRUCTIONS_H

#include "executed/executed.h"
#include "names/source_text.h"
#include "lib/options.h"
#include "output/field_choice.h"
#include "selection/selection.h"
#include "view/view.h"

enum executed_by {
	EXECUTED_BY_FUNCTION,
	EXECUTED_BY_MODULE,
	EXECUTED_BY_THREAD,
	EXECUTED_BY_LINE,	  /* and by the innermost function inlined there */
	EXECUTED_BY_FUNCTION_LINE /* and by the function whose code it is in */
};

struct executed_row {
	uint32_t entity; /* the function; NAMES_NONE: a module or a thread */
	const char *name;
	const char *module, *file, *process; /* NULL: not known, or several */
	uint32_t line, pid, tid;
	enum executed_verdict verdict;
	uint64_t instructions;
	int is_estimate;
	size_t n_unknown; /* functions of the row whose instructions are not known */
	uint64_t calls;
	int has_calls;
	/* instructions of a function with its callees; set only if its own are known */
	int has_inclusive, is_share; /* is_share: an estimate (row_is_share()) */
	uint64_t inclusive;
	double inclusive_per_call; /* mean of a call; < 0: not known */
	/* inclusive instructions of single calls, if each was added up (=calls); p50 and p99 within
	 * the width of a slot */
	int has_each;
	uint64_t least, most, p50, p99;
	uint64_t executions; /* for a line */
	/* while rows are made: the function added last, and its most executions */
	const void *last;
	uint64_t last_executions;
};

struct executed_rows {
	struct executed_row *list;
	size_t n, size;
	struct map keys;
	uint64_t instructions; /* sum over all functions */
	int is_estimate;
	size_t n_unknown;
};

/* Checks that the options of a view of time apply here; also checks --names and the selection.
 * Returns 0, or -1 after an error message. */
int instructions_check(const struct command *command, struct view_options *options);
/* Reads a session; and into `paths`, unless it is NULL, its executed instructions by call path,
 * with the names of `executed`. Returns STATUS_OK, or an exit status after an error message: there
 * are no data, or no module counts instructions. Release both in every case. */
int instructions_read(struct executed *executed, const char *path, const struct view_options *options,
		      int by_thread, struct profile *paths);
/* Reads a session that may have counted nothing, which is no error: executed->n_counting is 0
 * then. */
int instructions_look(struct executed *executed, const char *path, const struct view_options *options);
/* Makes the rows of what was read, as selected, in no order. */
void instructions_rows(struct executed_rows *rows, const struct executed *executed, enum executed_by by,
		       const struct selection *selection);
/* Adds inclusive instructions to functions' rows, from a profile BY_FUNCTION. */
void instructions_rows_include(struct executed_rows *rows, const struct profile *profile);
void instructions_rows_release(struct executed_rows *rows);
/* Calls `print` with the file that --output names. Returns the exit status. */
int instructions_print(const struct view_options *options, void (*print)(FILE *out, const void *arg),
		       const void *arg);

struct instructions_report {
	enum executed_by by;
	const char *sort; /* NULL: by instructions */
	uint64_t limit;
	struct view_options *view;
};
/* Runs cinstr report --measure=instructions. Returns the exit status. */
int instructions_report(const struct command *command, const char *path,
			const struct instructions_report *report);

struct instructions_source {
	const char *wanted;  /* a function or a source; NULL: those that executed most */
	const char *session; /* NULL: the default */
	uint64_t limit;	     /* maximum number of these */
	int all, newer;
	int is_coverage; /* all functions, in lcov's format */
	struct view_options *view;
};
/* Runs cinstr annotate --measure=instructions. Returns the exit status. */
int instructions_source(const struct command *command, const struct instructions_source *source);

/* Reads a source of a session whose recording began at begun_ns, since 1970. Returns NULL, and the
 * caller releases *text; or the reason why it is not shown. newer: accepts a source that changed
 * since. */
const char *instructions_source_text(struct source_text *text, const char *file, const char *session,
				     uint64_t begun_ns, int newer);

struct instructions_diff {
	char *const *paths; /* paths of the runs, those of A first */
	size_t n_a, n_runs;
	enum executed_by by; /* function or module */
	double fail_over;    /* percent; < 0: off */
	int fails_by_row, fails_by_total;
	int any_build; /* accepts programs made by other compilers or options */
	uint64_t limit;
	struct view_options view;
};
/* Runs cinstr diff --measure=instructions. Returns the exit status. */
int instructions_diff(const struct command *command, struct instructions_diff *diff);

#endif
