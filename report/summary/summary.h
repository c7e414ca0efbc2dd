/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary.h - what `cinstr summary` shows, gathered: where the time went, the hot path, the
 * functions that stand out, threads and processes, advice. cmd_summary.c fills it in,
 * summary_table.c and summary_data.c write it.
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "advice/advice.h"
#include "findings/findings.h"
#include "executed/executed.h"
#include "output/output.h"
#include "rows/hot_path.h"
#include "suggest/suggest.h"
#include "view/view.h"

enum {
	SUMMARY_FUNCTIONS,
	SUMMARY_PATHS,
	SUMMARY_THREADS,
	SUMMARY_PROCESSES,
	SUMMARY_SITES,
	SUMMARY_EDGES,
	SUMMARY_LINES, /* from here on: of sampled sessions only */
	SUMMARY_MODULES,
	SUMMARY_PROFILES
};

/* The rows that are first by one column. key NULL: the session's method has no such list. */
struct summary_list {
	const char *key;   /* its name in csv and json */
	const char *title; /* ... in the table */
	enum column column;
	int profile; /* SUMMARY_FUNCTIONS, ... */
	const struct row **rows;
	size_t n;
};
enum {
	LIST_ELAPSED,
	LIST_APPLICATION,
	LIST_INCLUSIVE,
	LIST_WAITING,
	LIST_THREADS,
	LIST_PROCESSES,
	LIST_LINES, /* of sampled sessions */
	LIST_MODULES,
	LIST_CPU,
	LIST_WAITS, /* by call site */
	LIST_OS,    /* what the operating system did, by kind */
	LIST_SYSTEM_CALLS = LIST_OS,
	LIST_SWITCHES,
	LIST_PREEMPTIONS,
	LIST_PAGE_INS,
	LIST_DISK_INPUT,
	LIST_DISK_OUTPUT,
	SUMMARY_LISTS,
	LIST_NONE = SUMMARY_LISTS,
};

/* The threads that began with one function. */
struct summary_group {
	const char *name;
	uint64_t threads;
	long double elapsed, off_cpu, preempted; /* ns; preempted: of off_cpu */
};

/* A part of the time. `of`: what it is a share of; 0: of nothing. */
struct summary_time {
	const char *key, *title;
	long double ns, of;
	int is_part; /* of the elapsed time, with the other parts: shown with a bar */
};
#define SUMMARY_TIMES 16

struct summary {
	struct view view; /* of the functions; first: writers get its address */
	const struct view_options *options;
	struct profile profiles[SUMMARY_PROFILES];
	struct summary_list lists[SUMMARY_LISTS];
	/* Most of the time is the probes', the rest is hardly known. With them: the functions with
	 * most of the time, in place of LIST_CPU. */
	int is_rough;
	struct summary_list with_probes;
	struct hot_path hot;
	struct summary_group *groups; /* those with the most time first */
	size_t n_groups;
	struct summary_time times[SUMMARY_TIMES];
	size_t n_times;
	/* of sampled sessions: enough samples have a source line to show some */
	int has_lines;
	const char *next;	 /* the function to look at next; NULL: none */
	const char *next_source; /* and the one whose source to look at */
	struct findings findings;
	struct executed executed; /* instructions, for the findings */
	struct advices advices;
	struct suggest suggest; /* of sampled sessions; without a title: there is none */
	uint64_t limit;		/* of lists */
	int advice_only, findings_only;
	int is_sarif; /* findings only, and not as the views of other formats */
	int is_brief; /* a table without --verbose */
};

/*
 * For those who read the profiles with others of theirs: begin, have view_read fill them, make,
 * write, end. limit: of lists. view: view_read's. summary_make returns an exit status.
 */
void summary_begin(struct summary *summary, const struct view_options *options, uint64_t limit,
		   const struct counting *counting);
int summary_make(struct summary *summary, const struct view *view);
void summary_end(struct summary *summary);

/* summary_facts.c */
/* Returns how far the numbers can be trusted: "good", "fair" or "poor". */
const char *summary_reliability(const struct summary *summary);
/* Returns how much of a thread's time it was off the processor, in percent, at most 100. */
long double summary_waiting_percent(long double elapsed, long double off);

/* Off the processor, ns: all of it, and in functions that wait for other threads, for child
 * processes, for signals; and for a processor. */
struct summary_waits {
	long double all, threads, processes, signals, processor;
};
struct summary_waits summary_waits_of(const struct summary *summary);

void summary_table(struct sheet *sheet, const struct view *view);
/* summary_brief.c: the time that the findings are of, which stands before them, and the lists that
 * stand behind them; for lines of so many columns. */
void summary_put_time(FILE *out, const struct summary *summary, size_t width);
void summary_put_rest(FILE *out, const struct summary *summary, size_t width);
void summary_flat(struct sheet *sheet, const struct view *view);
void summary_nested(struct sheet *sheet, const struct view *view);

/* The commands of that line: `callers`, `annotate`, `tree`. NULL: there is none of it. The caller
 * frees it. */
#define SUMMARY_NEXT 3
char *summary_next(const struct summary *summary, size_t i, size_t screen);
/* The last line: commands that show more. screen: its width; 0: it is none. */
void summary_put_next(struct strbuf *text, const struct summary *summary, size_t width, size_t screen);

/* Of a function: its time by itself on the processor, with its probes, ns. */
long double summary_with_probes(const struct row *row);
/* Whether it only calls main, or the first function of a thread. */
int summary_is_start(const char *name);
/* The command that shows more of a function, for lines of so many columns; ends in its arguments.
 * The caller frees it. */
char *summary_command(const struct summary *summary, const char *verb, const char *function, size_t width);

#endif
