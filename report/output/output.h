/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.h - a profile's rows as a table for people, as csv (RFC 4180) or as json. Text from data
 * files is made visible before it gets to a table or csv; json keeps it, quoted by its rules.
 */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdio.h>

#include "columns.h"
#include "executed/executed.h"
#include "format.h"
#include "item_writer.h"
#include "rows/profile.h"

/* What is to be shown. */
struct view {
	const struct profile *profile;
	const struct row **rows; /* in the order to show */
	size_t n_rows;
	size_t n_hidden;	/* rows left out by --limit, --min-percent, --depth */
	long double hidden;	/* their exclusive elapsed time, ns */
	const char *hidden_why; /* "--limit", ... */
	size_t n_filtered;	/* rows that --function and --module leave out */
	long double filtered;	/* their exclusive elapsed time, ns */
	const char *filter;	/* what is filtered, in words; NULL: nothing */
	const char *source;	/* the session's path */
	int is_live;
	/* as --columns says; NULL: all in csv and json, in a table the defaults */
	const struct column_list *columns;
	enum column_set set;
	int has_intervals; /* table.c: of shares: there was room for them */
	/* What the foot says of what is wrong: advice.h. NULL: nothing. */
	void (*put_serious)(struct strbuf *text, const struct profile *profile, int is_live);
	/* BY_PATH: what stands before a row's name, for who opens and closes them; NULL: nothing.
	 * And how many levels are indented; 0: the default. */
	char (*branch)(const struct view *view, const struct row *row);
	uint32_t depth_shown;
	/* ... by default: what makes the data wrong, in words, and how many warnings there are. */
	void (*put_errors)(struct strbuf *text, const struct profile *profile, int is_live);
	size_t (*count_notes)(const struct profile *profile, int is_live);
	int verbose; /* the foot says everything */
	/* by call site: whose waits are told below the table; NULL: none */
	const struct profile *sites;
	unsigned marks;			 /* enum output_mark: table.c: those that are shown */
	const struct executed *executed; /* NULL: of times or samples */
	/* view.c */
	struct input *input;
	struct reading *reading;
};

/* Rows, and what there is to say of a session; flat and nested: format.h. */
void output_flat(struct sheet *sheet, const struct view *view);
void output_nested(struct sheet *sheet, const struct view *view);
void output_put_rows(struct sheet *sheet, const struct view *view);
void output_put_session(struct sheet *sheet, const struct view *view);
void output_put_value(struct sheet *sheet, const char *name, const struct value *value);
/* Writes a view in a format. */
void output_write(FILE *out, enum output_format_number format, enum output_kind kind,
		  const struct view *view);

/*
 * A string as csv has it, in quotes if it must be: every text cell of every command. Names come
 * from the profiled program: control characters are made visible, so a row is a line; json has them
 * exactly.
 */
void output_csv_text(FILE *out, const char *text);
/* The same of a line of source, which keeps its tabs. */
void output_csv_source(FILE *out, const char *text);
/* As json has it, with its quotes. */
void output_json_text(FILE *out, const char *text);
void output_table(struct sheet *sheet, const struct view *view);

/* head_and_foot.c: what stands above and below the table; with what 100 % is of, or without. */
enum heading_whole { WHOLE_NOT_SAID, WHOLE_OF_COLUMNS, WHOLE_ELAPSED };
void output_heading(FILE *out, const struct view *view, enum heading_whole whole);
void output_totals(FILE *out, const struct view *view);
/* whole.c: "100 % = ..."; "2.25 s in 5 threads (98 % waiting)" */
void output_whole(FILE *out, const struct view *view, enum heading_whole whole);
void output_put_time(struct strbuf *text, const struct totals *totals);
/* foot_short.c: the same below it in at most three lines, unless --verbose was asked for. */
void output_foot(FILE *out, const struct view *view);
/* That nothing was recorded, and why; nothing: something was. */
void output_put_unrecorded(struct strbuf *text, const struct totals *totals);
int output_has_jumps(const struct view *view);
int output_has_names_in_common(const struct view *view);

/* waits.c. Of rows by call site: whether its callee waited there, not for other threads
 * (hot_path.h), nor only for a processor. */
int output_is_wait(const struct row *row);
/* Off the processor in it alone, without the time for which others had that: ns. */
long double output_waited(const struct row *row);
void output_sort_waits(const struct row **rows, size_t n); /* the longest first */
/* "Waiting (not CPU):" with the largest ones, below a table; nothing: there is none to tell of. */
void output_waits(FILE *out, const struct view *view);
/* "f:12", of a row by call site. */
void output_put_caller(struct strbuf *text, const struct row *site);
/* file:line of a function of the program, else its module. */
void output_put_place(struct strbuf *text, const struct profile *profile, const struct row *row);

/* What stands at numbers. */
enum output_mark {
	OUTPUT_MARK_ROUGH = 1,	   /* ~ */
	OUTPUT_MARK_UPPER_END = 2, /* <= */
	OUTPUT_MARK_ESTIMATED = 4,
	OUTPUT_MARK_PARTIAL = 8, /* * */
	OUTPUT_MARK_LEAST = 16,	 /* >= */
	OUTPUT_MARK_OPEN = 32,	 /* + */
};
unsigned output_marks_in(const char *number);

/* Prints "Label   text", wrapped behind the label, and empties `text`. */
void output_say(FILE *out, const char *label, struct strbuf *text);
/* "1,234 rows" */
void output_plural(struct strbuf *buf, uint64_t n, const char *what, const char *ending);

/* What rows are that are threads of one name, and where there are several of one, how to see them
 * in one row. */
void output_put_threads(struct strbuf *text, const struct view *view);

/* Behind a value that is one. */
#define OUTPUT_ESTIMATE "\xe2\x89\x88"
/* foot_mixed.c: what is to be said of a mixed session besides. `text` is empty, before and
 * after. */
void output_mixed_totals(FILE *out, const struct view *view, struct strbuf *text);
/* A sentence: what is known of calls that counted functions made. */
void output_counted_sites(struct strbuf *text, const struct totals *totals);
/* ... of one that was to be, in which no thread could sample itself; of others nothing. */
void output_mixed_refused(FILE *out, const struct view *view, struct strbuf *text);

/* foot_sampled.c: the same of a sampled session. `text` is empty, before and after. */
void output_sampled_totals(FILE *out, const struct view *view, struct strbuf *text);
/* What one sample stands for: "cycles, one every 10,000,000", "cpu-clock, one every 1 ms of CPU
 * time". */
void output_sampling_event(struct strbuf *buf, const struct samples_totals *samples);
/* "23 samples' worth" */
void output_sampling_worth(struct strbuf *buf, uint64_t samples);
void output_sampling_interval(struct strbuf *buf, uint32_t unit, uint64_t interval);
/* "ns", "cycles", "events" */
const char *output_sampling_unit(uint32_t unit);
/* As the options of cinstr record name them. */
const char *output_sampling_source_key(uint32_t source);
const char *output_sampling_stacks_key(uint32_t stacks);
/* What is seldom known: why samples are missing; in words, without a period. Nothing: none is. */
void output_sampling_unseen(struct strbuf *buf, const struct samples_totals *samples);
/* "a share of 10 % is known within 8.3-12.0 % (95 %)" */
void output_sampling_certainty(struct strbuf *buf, long double samples);
/* Whether there are so few that this is to be said. */
int output_sampling_is_thin(const struct totals *totals);
extern const char *const output_sampling_sources[3], *const output_sampling_stacks[3];

/* foot_executed.c: likewise of executed instructions, at most a few lines in every case. */
void output_executed_foot(FILE *out, const struct view *view);
/* "Not known of f: ...": functions and modules whose instructions are not known. */
void output_executed_unknown(FILE *out, const struct executed *executed);

/* "interval" or "on-cpu" */
const char *output_application_mode(const struct counting *counting);
/* What was chosen to be recorded, and when it was paused; nothing: everything. */
void output_chosen(struct strbuf *buf, const struct totals *totals);
/* What detected the OS events. */
void output_os_source(struct strbuf *buf, const struct totals *totals);

#endif
