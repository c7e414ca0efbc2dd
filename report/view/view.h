/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view.h - what all commands that show rows share: options, reading, choosing rows, writing. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "lib/options.h"
#include "lib/terminal.h"
#include "names/names.h"
#include "output/output.h"
#include "selection/selection.h"
#include "session/session.h"
#include "values/values.h"

/* Options of every view. */
struct view_options {
	int application; /* 0: interval, 1: on-cpu */
	const char *os_events;
	int raw;
	int format; /* enum output_format_number */
	const char *output;
	struct terminal_options terminal;
	/* List of --columns; NULL: the default columns. Set by COLUMN_OPTIONS. */
	const char *columns;
	int set;	   /* enum column_set */
	const char *count; /* the name that counts are of; NULL: the first one */
	int merge_threads; /* BY_THREAD: threads of one name are one row */
	int group;	   /* BY_PROCESS: enum process_group */
	int functions;	   /* BY_MODULE: shows each module's functions, too */
	int sort;	   /* enum column to sort by; not an option */
	int inlines;	   /* 0: on, 1: off */
	int verbose;
	int keep_names; /* not an option: names that look alike stay */
	int is_quiet;	/* not an option: the session's problems were reported before */
	int paths_by;	/* BY_PATH: enum paths_by */
	int histogram;	/* shows histograms instead of rows */
	int measure;	/* enum measure_choice, set by MEASURE_OPTION */
	/* The last `only_sampled` profiles are filled from sampled sessions only. */
	size_t only_sampled;
	struct names_options names;
	struct selection selection;
};

/* The counters in the order of enum cinstr_counter. */
enum measure_choice { MEASURE_TIME, MEASURE_INSTRUCTIONS, MEASURE_CYCLES, MEASURE_RETIRED, MEASURE_MISSES };

/* Returns the counter of the processor's that the choice names, or CINSTR_COUNTER_NONE. */
static inline enum cinstr_counter view_counter(int choice)
{
	return choice > MEASURE_INSTRUCTIONS ? (enum cinstr_counter)(choice - MEASURE_INSTRUCTIONS)
					     : CINSTR_COUNTER_NONE;
}

/* The option --measure for views that can also show the processor's counters. */
#define MEASURE_OPTION_ANY(type, member) \
	{ \
		"measure", 0, OPTION_CHOICE, "time|instructions|cycles|retired|misses", \
			offsetof(type, member), \
			"time (of sampled sessions samples); or executed machine instructions, exactly, " \
			"of modules built with -fplugin-arg-cinstr-instructions; or what the processor " \
			"has counted (cinstr record --counter)", \
			"time" \
	}
#define MEASURE_OPTION(type, member) \
	{ \
		"measure", 0, OPTION_CHOICE, "time|instructions", offsetof(type, member), \
			"time (of sampled sessions samples); or executed machine instructions, exactly, " \
			"of modules built with -fplugin-arg-cinstr-instructions", \
			"time" \
	}

/* Selects the default columns of a table. */
#define SET_OPTION(type, member) \
	{ "view", \
	  0, \
	  OPTION_CHOICE, \
	  "cpu|full|os|io|memory|held|counts", \
	  offsetof(type, member.set), \
	  "cpu: time on the processor and waiting; full: the four values (elapsed and " \
	  "application " \
	  "time, " \
	  "inclusive and exclusive); os: what the operating system did: time off the " \
	  "processor, " \
	  "switches, " \
	  "faults, block input and output, system calls; io: bytes read and written; " \
	  "memory: bytes allocated; held: bytes that were not freed (cinstr record --held); " \
	  "counts: what " \
	  "the program counted", \
	  "cpu" }, \
	{ \
		"count", 0, OPTION_TEXT, "NAME", offsetof(type, member.count), \
			"with --view=counts: what was counted by cinstr_count(NAME, n)", "the first one" \
	}
/* Options of views whose rows have the columns of columns.h. */
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

/* Options for what is counted, of which part of the session, and how names are shown. */
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

/* READING_OPTIONS and the options of output. */
#define VIEW_OPTIONS(type, member) VIEW_OPTIONS_OF(type, member, OUTPUT_FORMAT_WORDS, "")
/* VIEW_OPTIONS for a view with a format of its own, such as OUTPUT_FORMAT_WORDS_AND("sarif") and ";
 * sarif: ..." */
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

/* Checks the options and sets *counting from them. Returns 0, or -1 after an error message. */
int view_counting(const struct command *command, struct view_options *options, struct counting *counting);

/* view_executed.c: checks that the options apply to executed instructions. Returns 0, or -1 after
 * an error message. */
int view_check_executed(const struct command *command, const struct view_options *options);
/* Returns why the executed instructions of the selection cannot be known, or NULL if they can. */
const char *view_why_not_executed(const struct view_options *options);
/* Reports problems of a session's executed instructions. Returns STATUS_OK, or STATUS_DATA after an
 * error message if no module counts instructions. */
int view_say_executed(const struct executed *executed, const char *path);

/* view_method.c: returns the recording method (enum cinstr_method), or -1 after an error message if
 * the input mixes both. */
int view_method_of(const struct session *input);
/* view_method.c: sets the method in the profiles' totals, and checks that the options apply to it.
 * Returns STATUS_OK, or an exit status after an error message. */
int view_method(const struct session *input, const struct view_options *options,
		struct profile *const *profiles, size_t n_profiles);

/* Reads the input into profiles[n_profiles] in one pass. If there was anything to read, calls
 * `show` with a view of profiles[0]. Returns the exit status. */
int view_read(const char *path, const struct view_options *options, struct profile *const *profiles,
	      size_t n_profiles, int (*show)(struct view *view, void *arg), void *arg);
/* To be called in `show`: chooses call paths of a profile BY_PATH and reads their values. Returns
 * 0, or -1 after an error message. */
int view_read_paths(struct view *view, struct profile *profile, const struct paths_choice *choice);
/* Further consumers of each file's data: profiles that view_read() did not fill, and `visit`, which
 * may be NULL. */
struct view_more {
	struct profile *const *profiles;
	size_t n;
	void (*visit)(void *arg, struct data *data);
	void *arg;
};
/* Like view_read_paths(), for n profiles BY_PATH, with further consumers in the same pass (more:
 * NULL if there are none). The view counts what was left out of the last profile. */
int view_read_paths_of(struct view *view, struct profile *const *profiles, const struct paths_choice *choices,
		       size_t n, const struct view_more *more);
/* To be called in `show`: reads the same data into profiles that view_read() did not fill. */
void view_read_more(struct view *view, struct profile *const *profiles, size_t n);
/* view_stream.c: whether the rows of call paths can be made one at a time, while they are written;
 * chooses their order. */
int view_can_stream(const struct profile *profile, const struct view_options *options,
		    const struct paths_choice *choice);
void view_stream_order(struct profile *profile);
/* Looks up source files and lines of the view's rows that the modules' tables do not contain. */
void view_resolve(const struct view *view, struct profile *profile);
/* Writes the result to options->output in options->format. Returns the exit status. */
int view_write(const struct view *view, const struct view_options *options, enum output_kind kind);

/* Reads the input, lets `choose` choose the view's rows, and writes them. Returns the exit
 * status. */
int view_run(const char *path, enum profile_by by, const struct counting *counting,
	     const struct view_options *options, void (*choose)(struct view *view, void *arg), void *arg);
/* Like view_run(), BY_PATH. root: glob of functions below which everything is shown, or NULL. */
int view_run_paths(const char *path, const struct counting *counting, const struct view_options *options,
		   const char *root, const struct paths_choice *choice,
		   void (*choose)(struct view *view, void *arg), void *arg);

#endif
