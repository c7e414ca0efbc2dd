/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * instructions.h - views of executed instructions (--measure=instructions): their options, which
 * are those of the views of time as far as they mean anything here; a session read; rows; the table
 * and what scripts get.
 */
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
	EXECUTED_BY_LINE,	  /* and the innermost function that is inlined there */
	EXECUTED_BY_FUNCTION_LINE /* and the function whose code it is in */
};

struct executed_row {
	uint32_t entity; /* of the function; NAMES_NONE: of a module or a thread */
	const char *name;
	const char *module, *file, *process; /* NULL: not known, or of several */
	uint32_t line, pid, tid;
	enum executed_verdict verdict;
	uint64_t instructions;
	int is_estimate;
	size_t n_unknown; /* functions in it whose instructions are not known */
	uint64_t calls;
	int has_calls;
	/* of a function: with what it called; the mean of a call; known of one whose own are */
	int has_inclusive, is_share; /* is_share: an estimate (row_is_share()) */
	uint64_t inclusive;
	double inclusive_per_call; /* < 0: not known */
	/* of single calls, inclusive, where each of them was added up (=calls); p50 and p99 within
	 * the width of a slot */
	int has_each;
	uint64_t least, most, p50, p99;
	uint64_t executions; /* of a line */
	/* while rows are made: the function that was there last, and its most executions */
	const void *last;
	uint64_t last_executions;
};

struct executed_rows {
	struct executed_row *list;
	size_t n, size;
	struct map keys;
	uint64_t instructions; /* of all functions */
	int is_estimate;
	size_t n_unknown;
};

/*
 * Whether the options of a view of time mean something here: 0, or -1 after an error message.
 * Checks --names and the selection, too.
 */
int instructions_check(const struct command *command, struct view_options *options);
/*
 * Reads a session; and into `paths`, where it is not NULL, what is executed by call path: its names
 * are those of `executed`. STATUS_OK, or an exit status after an error message: there is nothing,
 * or no module of it counts instructions. Release in every case.
 */
int instructions_read(struct executed *executed, const char *path, const struct view_options *options,
		      int by_thread, struct profile *paths);
/* The same where it is no error that nothing was counted: executed->n_counting is 0 then. */
int instructions_look(struct executed *executed, const char *path, const struct view_options *options);
/* The rows of what has been read, as the selection has them; in no order. */
void instructions_rows(struct executed_rows *rows, const struct executed *executed, enum executed_by by,
		       const struct selection *selection);
/* Gives functions' rows what a profile BY_FUNCTION has of them: inclusive instructions. */
void instructions_rows_include(struct executed_rows *rows, const struct profile *profile);
void instructions_rows_release(struct executed_rows *rows);
/* Has `print` write where --output says. Returns the exit status. */
int instructions_print(const struct view_options *options, void (*print)(FILE *out, const void *arg),
		       const void *arg);

struct instructions_report {
	enum executed_by by;
	const char *sort; /* NULL: instructions */
	uint64_t limit;
	struct view_options *view;
};
/* cinstr report --measure=instructions. Returns the exit status. */
int instructions_report(const struct command *command, const char *path,
			const struct instructions_report *report);

struct instructions_source {
	const char *wanted;  /* a function or a source; NULL: those that executed most */
	const char *session; /* NULL: the default */
	uint64_t limit;	     /* of these */
	int all, newer;
	int is_coverage; /* all functions, as lcov has it */
	struct view_options *view;
};
/* cinstr annotate --measure=instructions. Returns the exit status. */
int instructions_source(const struct command *command, const struct instructions_source *source);

/*
 * Reads a source of a session whose recording began at begun_ns, since 1970: NULL, to be released,
 * or why it is not shown. newer: also one that was changed since.
 */
const char *executed_source_text(struct source_text *text, const char *file, const char *session,
				 uint64_t begun_ns, int newer);

struct instructions_diff {
	char *const *paths; /* of the runs: first those of A */
	size_t n_a, n_runs;
	enum executed_by by; /* function or module */
	double fail_over;    /* percent; < 0: no */
	int fails_by_row, fails_by_total;
	int any_build; /* also programs that other compilers or options have made */
	uint64_t limit;
	struct view_options view;
};
/* cinstr diff --measure=instructions. Returns the exit status. */
int instructions_diff(const struct command *command, struct instructions_diff *diff);

#endif
