/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.h - writes a profile's rows as a table for people, as csv (RFC 4180) or as json. Text from
 * data files is made visible in tables and csv; json keeps it, quoted by its rules.
 */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdio.h>

#include "columns.h"
#include "executed/executed.h"
#include "format.h"
#include "items.h"
#include "rows/profile.h"

/* The rows to show, and how. */
struct view {
	const struct profile *profile;
	const struct row **rows; /* in the order to show */
	size_t n_rows;
	/* Makes the rows one at a time, in place of `rows`, and calls `put` with each; NULL: there
	 * are `rows`. */
	void (*each)(const struct view *view, void (*put)(void *arg, struct row *row), void *arg);
	size_t n_hidden;	/* rows left out by --limit, --min-percent, --depth */
	long double hidden;	/* exclusive elapsed time of the hidden rows, ns */
	const char *hidden_why; /* "--limit", ... */
	size_t n_filtered;	/* rows that --function and --module leave out */
	long double filtered;	/* exclusive elapsed time of the filtered rows, ns */
	const char *filter;	/* the filter in words; NULL: none */
	const char *source;	/* path of the session */
	int is_live;
	/* Columns of --columns; NULL: all in csv and json, the default ones in a table. */
	const struct column_list *columns;
	enum column_set set;
	int has_intervals; /* table.c: of shares: the confidence intervals fit on the terminal */
	/* Appends the session's problems to the foot: advice.h. NULL: none. */
	void (*put_serious)(struct strbuf *text, const struct profile *profile, int is_live);
	/* BY_PATH: returns the character in front of a row's name that shows whether it is open or
	 * closed; NULL: none. depth_shown: number of levels that are indented; 0: the default. */
	char (*branch)(const struct view *view, const struct row *row);
	uint32_t depth_shown;
	/* For the short foot: appends what makes the data wrong, and counts the warnings. */
	void (*put_errors)(struct strbuf *text, const struct profile *profile, int is_live);
	size_t (*count_notes)(const struct profile *profile, int is_live);
	int verbose; /* writes the full foot */
	/* A profile by call site, whose waits are listed below the table; NULL: none. */
	const struct profile *sites;
	/* table.c: bits of enum output_mark that occur in the table */
	unsigned marks;
	const struct executed *executed; /* NULL: the view shows times or samples */
	/* Set by view.c. */
	struct session *input;
	struct reading *reading;
};

/* Write rows and the session's figures, for the flat and nested shapes: format.h. */
void output_flat(struct items *items, const struct view *view);
void output_nested(struct items *items, const struct view *view);
void output_put_rows(struct items *items, const struct view *view);
void output_put_session(struct items *items, const struct view *view);
void output_put_value(struct items *items, const char *name, const struct value *value);
/* Writes a result of this kind in this format. */
void output_write(FILE *out, enum output_format_number format, enum output_kind kind,
		  const struct view *view);

/* Writes a text cell of csv, in quotes where needed. Names come from the profiled program: control
 * characters are made visible, so that a row stays one line; json has the exact text. */
void output_csv_text(FILE *out, const char *text);
/* Like output_csv_text(), for a line of source, which keeps its tabs. */
void output_csv_source(FILE *out, const char *text);
/* Writes a string of json with its quotes. */
void output_json_text(FILE *out, const char *text);
void output_table(struct items *items, const struct view *view);

/* head_and_foot.c: write what stands above and below the table. `whole` says whether to print what
 * 100 % is. */
enum heading_whole { WHOLE_NOT_SAID, WHOLE_OF_COLUMNS, WHOLE_ELAPSED };
void output_heading(FILE *out, const struct view *view, enum heading_whole whole);
void output_totals(FILE *out, const struct view *view);
/* whole.c: append "100 % = ..." and "2.25 s in 5 threads (98 % waiting)". */
void output_whole(FILE *out, const struct view *view, enum heading_whole whole);
void output_put_time(struct strbuf *text, const struct totals *totals);
/* foot_short.c: writes the foot, at most three lines unless --verbose is given. */
void output_foot(FILE *out, const struct view *view);
/* Appends the reason if nothing was recorded. */
void output_put_unrecorded(struct strbuf *text, const struct totals *totals);
int output_has_jumps(const struct view *view);
int output_has_names_in_common(const struct view *view);

/* waits.c: whether the callee of a row by call site waited there. Waits for other threads
 * (hot_path.h) or for a processor only do not count. */
int output_is_wait(const struct row *row);
/* Returns the exclusive time off the processor, ns, without the time when other threads had the
 * processor. */
long double output_waited(const struct row *row);
void output_sort_waits(const struct row **rows, size_t n); /* longest first */
/* Writes "Waiting (not CPU):" with the longest waits, below a table; nothing if there are none. */
void output_waits(FILE *out, const struct view *view);
/* Appends the caller of a row by call site: "f:12". */
void output_put_caller(struct strbuf *text, const struct row *site);
/* Appends file:line of a function of the program, or the module of another one. */
void output_put_place(struct strbuf *text, const struct profile *profile, const struct row *row);

/* Marks at numbers in a table. */
enum output_mark {
	OUTPUT_MARK_ROUGH = 1,	   /* ~ */
	OUTPUT_MARK_UPPER_END = 2, /* <= */
	OUTPUT_MARK_ESTIMATED = 4,
	OUTPUT_MARK_PARTIAL = 8, /* * */
	OUTPUT_MARK_LEAST = 16,	 /* >= */
	OUTPUT_MARK_OPEN = 32,	 /* + */
};
unsigned output_marks_in(const char *number);

/* Prints "Label   text" wrapped, with following lines indented below the text, and clears
 * `text`. */
void output_say(FILE *out, const char *label, struct strbuf *text);
/* Appends the session's total of what was counted, with its unit: "1,000 instructions". */
void output_put_counted(struct strbuf *text, const struct profile *profile);
/* Appends a number with its noun: "1,234 rows". */
void output_plural(struct strbuf *buf, uint64_t n, const char *what, const char *ending);

/* For rows by thread: appends how threads of one name were merged, or how to merge them. */
void output_put_threads(struct strbuf *text, const struct view *view);

/* Follows an estimated value. */
#define OUTPUT_ESTIMATE "\xe2\x89\x88"
/* foot_mixed.c: writes additional lines of a mixed session's foot. `text` is scratch, empty before
 * and after. */
void output_mixed_totals(FILE *out, const struct view *view, struct strbuf *text);
/* Appends what is known of the calls made by counted functions, as a sentence. */
void output_counted_sites(struct strbuf *text, const struct totals *totals);
/* Writes why no thread could sample itself, if the session was to be mixed. */
void output_mixed_refused(FILE *out, const struct view *view, struct strbuf *text);

/* foot_sampled.c: writes additional lines of a sampled session's foot. `text` is scratch, empty
 * before and after. */
void output_sampled_totals(FILE *out, const struct view *view, struct strbuf *text);
/* Append the event and its interval: "cycles, one every 10,000,000", "cpu-clock, one every 1 ms of
 * CPU time". */
void output_sampling_event(struct strbuf *buf, const struct samples_totals *samples);
/* Appends "23 samples' worth". */
void output_sampling_worth(struct strbuf *buf, uint64_t samples);
void output_sampling_interval(struct strbuf *buf, uint32_t unit, uint64_t interval);
/* Returns "ns", "cycles" or "events". */
const char *output_sampling_unit(uint32_t unit);
/* Return the words of cinstr record's options. */
const char *output_sampling_source_key(uint32_t source);
const char *output_sampling_stacks_key(uint32_t stacks);
/* Appends why samples are missing, without a period; nothing if none are. */
void output_sampling_unseen(struct strbuf *buf, const struct samples_totals *samples);
/* Appends "a share of 10 % is known within 8.3-12.0 % (95 %)". */
void output_sampling_certainty(struct strbuf *buf, long double samples);
/* Whether there are so few samples that the foot must mention it. */
int output_sampling_is_thin(const struct totals *totals);
extern const char *const output_sampling_sources[3], *const output_sampling_stacks[3];

/* foot_executed.c: writes the foot for executed instructions: at most a few lines. */
void output_executed_foot(FILE *out, const struct view *view);
/* Writes "Not known of f: ..." for functions and modules whose instructions are not known. */
void output_executed_unknown(FILE *out, const struct executed *executed);

/* Returns "interval" or "on-cpu". */
const char *output_application_mode(const struct counting *counting);
/* Appends which functions were chosen to be recorded, and how long recording was paused; nothing if
 * everything was recorded. */
void output_chosen(struct strbuf *buf, const struct totals *totals);
/* Appends how OS events were detected. */
void output_os_source(struct strbuf *buf, const struct totals *totals);

#endif
