/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view.h - what the commands that show rows have in common: their options; reading, choosing,
 * writing. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "lib/options.h"
#include "lib/terminal.h"
#include "names/names.h"
#include "output/output.h"
#include "selection/selection.h"
#include "session/session.h"
#include "values/values.h"

/* Options that every view has. */
struct view_options {
	int application; /* 0 interval, 1 on-cpu */
	const char *os_events;
	int raw;
	int format; /* enum output_format_number */
	const char *output;
	struct terminal_options terminal;
	/* What COLUMN_OPTIONS set; without them 0. */
	const char *columns;
	int set;	   /* enum column_set */
	int merge_threads; /* BY_THREAD: those of one name are one row */
	int group;	   /* BY_PROCESS: enum process_group */
	int functions;	   /* BY_MODULE: each module's functions as well */
	int sort;	   /* enum column: not an option; what the rows are put in order by */
	int inlines;	   /* 0 on, 1 off */
	int verbose;
	int keep_names; /* not an option: functions of one name are not told apart */
	int is_quiet;	/* likewise: the session's problems have been told before */
	int paths_by;	/* BY_PATH: enum paths_by */
	int histogram;	/* of the rows, in their place */
	int measure;	/* enum measure_choice: what MEASURE_OPTION sets */
	/* so many of the profiles, the last ones, are filled of sampled sessions only */
	size_t only_sampled;
	struct names_options names;
	struct selection selection;
};

enum measure_choice { MEASURE_TIME, MEASURE_INSTRUCTIONS };

#define MEASURE_OPTION(type, member) \
	{ \
		"measure", 0, OPTION_CHOICE, "time|instructions", offsetof(type, member), \
			"time (of sampled sessions samples); or executed machine instructions, exactly, " \
			"of modules built with -fplugin-arg-cinstr-instructions", \
			"time" \
	}

/* Which columns a table has by default. */
#define SET_OPTION(type, member) \
	{ \
		"view", 0, OPTION_CHOICE, "cpu|full|os", offsetof(type, member.set), \
			"cpu: time on the processor and waiting; full: the four values (elapsed and " \
			"application " \
			"time, " \
			"inclusive and exclusive); os: what the operating system did: time off the " \
			"processor, " \
			"switches, " \
			"faults, block input and output, system calls", \
			"cpu" \
	}
/* Options of the views whose rows have the columns of columns.h. */
#define COLUMN_OPTIONS(type, member) \
	SET_OPTION(type, member), \
	{ \
		"columns", 'c', OPTION_TEXT, "LIST", offsetof(type, member.columns), \
			"what to show, in this order: names as in csv, short forms (avg, p99, off-cpu), " \
			"groups (elapsed, " \
			"application, samples, percent, averages, " \
			"minima, maxima, percentiles, overhead, uncertainty, os, all, default); +NAME and " \
			"-NAME change the " \
			"default; " \
			"help: lists them", \
			"by view and width; all in csv and json" \
	}

/* What a view counts, of what part of the session, and what names look like. */
#define COUNTING_OPTIONS(type, member) \
	{ "application", \
	  0, \
	  OPTION_CHOICE, \
	  "interval|on-cpu", \
	  offsetof(type, member.application), \
	  "what Application time leaves out: whole intervals with an operating-system event, or " \
	  "the " \
	  "time off the processor only. This and the next two: not for sampled sessions", \
	  "interval" }, \
		{ "os-events", \
		  0, \
		  OPTION_TEXT, \
		  "LIST", \
		  offsetof(type, member.os_events), \
		  "the events that count, of: voluntary,involuntary (switches of threads), major-fault, " \
		  "block-in, block-out, " \
		  "syscall, minor-fault, all, default", \
		  "all but minor-fault" }, \
	{ \
		"raw", 0, OPTION_FLAG, NULL, offsetof(type, member.raw), \
			"do not subtract the probes' overhead", NULL \
	}

#define INLINES_OPTION(type, member) \
	{ \
		"inlines", 0, OPTION_CHOICE, "on|off", offsetof(type, member.inlines), \
			"of sampled sessions: functions that the compiler inlined have rows of their own, " \
			"or are " \
			"part of " \
			"those that hold them", \
			"on" \
	}
#define LOOK_OPTIONS(type, member) \
	INLINES_OPTION(type, member), NAMES_OPTIONS(type, member.names), \
		SELECTION_OPTIONS(type, member.selection)
#define READING_OPTIONS(type, member) COUNTING_OPTIONS(type, member), LOOK_OPTIONS(type, member)

/* ... and what it writes. */
#define VIEW_OPTIONS(type, member) VIEW_OPTIONS_OF(type, member, OUTPUT_FORMAT_WORDS, "")
/* Of a view that has a format of its own: OUTPUT_FORMAT_WORDS_AND("sarif"), "; sarif: ..." */
#define VIEW_OPTIONS_OF(type, member, format_words, meaning) \
	{ "format", \
	  'f', \
	  OPTION_CHOICE, \
	  format_words, \
	  offsetof(type, member.format), \
	  "csv and json: all columns, integers of nanoseconds, or samples" meaning, \
	  "table" }, \
		{ "output", \
		  'o', \
		  OPTION_TEXT, \
		  "FILE", \
		  offsetof(type, member.output), \
		  "write there instead of stdout", \
		  NULL }, \
		COUNTING_OPTIONS(type, member), \
		{ "verbose", \
		  'v', \
		  OPTION_FLAG, \
		  NULL, \
		  offsetof(type, member.verbose), \
		  "say everything below the table: how to read it, what 100 % is, what was lost", \
		  NULL }, \
		INLINES_OPTION(type, member), TERMINAL_OPTIONS(type, member.terminal), \
		NAMES_OPTIONS(type, member.names), SELECTION_OPTIONS(type, member.selection)

/* Checks the options, and turns them into how to count; 0, or -1 after an error message. */
int view_counting(const struct command *command, struct view_options *options, struct counting *counting);

/* view_executed.c: whether options of views of time mean something for executed instructions, too.
 * 0, or -1 after an error message. */
int view_check_executed(const struct command *command, const struct view_options *options);
/* Why executed instructions are not known of what the selection chooses; NULL: they are. */
const char *view_why_not_executed(const struct view_options *options);
/* What there is to be said of a session that was read: STATUS_OK, or an exit status after an error
 * message: no module of it counts instructions. */
int view_say_executed(const struct executed *executed, const char *path);

/* view_method.c: enum cinstr_method; -1 after an error message: the input holds data of both. */
int view_method_of(const struct input *input);
/*
 * view_method.c: tells the profiles by which method the input was recorded, and whether the options
 * make sense for that. STATUS_OK, or an exit status after an error message.
 */
int view_method(const struct input *input, const struct view_options *options,
		struct profile *const *profiles, size_t n_profiles);

/*
 * Reads the input into profiles[n_profiles] in one pass and, if there was anything to read, has
 * `show` show them: view->profile is the first. Returns the exit status.
 */
int view_read(const char *path, const struct view_options *options, struct profile *const *profiles,
	      size_t n_profiles, int (*show)(struct view *view, void *arg), void *arg);
/*
 * In `show`: makes rows of the paths of a profile BY_PATH that are shown, and reads their values.
 * 0, or -1 after an error message.
 */
int view_read_paths(struct view *view, struct profile *profile, const struct paths_choice *choice);
/* Who takes the data of each file once more: profiles that were not among those of view_read, and
 * `visit`, or NULL. */
struct view_more {
	struct profile *const *profiles;
	size_t n;
	void (*visit)(void *arg, struct data *data);
	void *arg;
};
/* The same of all profiles BY_PATH that are read, where there are several, and in the same pass
 * `more`, or NULL; what is left out is that of the last. */
int view_read_paths_of(struct view *view, struct profile *const *profiles, const struct paths_choice *choices,
		       size_t n, const struct view_more *more);
/* In `show`: reads the same data into profiles that were not among those of view_read. */
void view_read_more(struct view *view, struct profile *const *profiles, size_t n);
/* Looks up where functions are defined that no table tells of. */
void view_resolve(const struct view *view, struct profile *profile);
/* Writes a result of this kind to options->output in options->format; returns the exit status. */
int view_write(const struct view *view, const struct view_options *options, enum output_kind kind);

/* Reads the input, and prints what `choose` puts into the view. Returns the exit status. */
int view_run(const char *path, enum profile_by by, const struct counting *counting,
	     const struct view_options *options, void (*choose)(struct view *view, void *arg), void *arg);
/* The same BY_PATH; root: NULL, or a glob of the functions below which everything is shown. */
int view_run_paths(const char *path, const struct counting *counting, const struct view_options *options,
		   const char *root, const struct paths_choice *choice,
		   void (*choose)(struct view *view, void *arg), void *arg);

#endif
