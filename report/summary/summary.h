/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary.h - the content of `cinstr summary`: where the time went, the hot path, remarkable
 * functions, threads and processes, advice. cmd_summary.c gathers it, summary_table.c and
 * summary_data.c write it.
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
	SUMMARY_LINES, /* this and the following: of sampled sessions only */
	SUMMARY_MODULES,
	SUMMARY_PROFILES
};

/* The first rows by one column. key NULL: the session's method has no such list. */
struct summary_list {
	const char *key;   /* its name in csv and json */
	const char *title; /* its heading in the table */
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
	LIST_LINES, /* this and the next: of sampled sessions */
	LIST_MODULES,
	LIST_CPU,
	LIST_WAITS, /* by call site */
	LIST_OS,    /* this and the following: events of the operating system */
	LIST_SYSTEM_CALLS = LIST_OS,
	LIST_SWITCHES,
	LIST_PREEMPTIONS,
	LIST_PAGE_INS,
	LIST_DISK_INPUT,
	LIST_DISK_OUTPUT,
	SUMMARY_LISTS,
	LIST_NONE = SUMMARY_LISTS,
};

/* Threads with the same start function. */
struct summary_group {
	const char *name;
	uint64_t threads;
	long double elapsed, off_cpu, preempted; /* ns; preempted: part of off_cpu */
};

/* A part of the time. `of`: the whole that its percentage refers to; 0: none. */
struct summary_time {
	const char *key, *title;
	long double ns, of;
	int is_part; /* part of elapsed time, shown with a bar */
};
#define SUMMARY_TIMES 16

struct summary {
	struct view view; /* of the functions; must be first: writers get its address */
	const struct view_options *options;
	struct profile profiles[SUMMARY_PROFILES];
	struct summary_list lists[SUMMARY_LISTS];
	/* Most of the time is the probes', and the rest is hardly known. with_probes: the functions
	 * with most time including probes, instead of LIST_CPU. */
	int is_rough;
	struct summary_list with_probes;
	struct hot_path hot;
	struct summary_group *groups; /* sorted by time, most first */
	size_t n_groups;
	struct summary_time times[SUMMARY_TIMES];
	size_t n_times;
	/* Sampled sessions: enough samples have a source line. */
	int has_lines;
	const char *next;	 /* function to look at next; NULL: none */
	const char *next_source; /* function whose source to look at next; NULL: none */
	struct findings findings;
	struct executed executed; /* instructions, for the findings */
	struct advices advices;
	struct suggest suggest; /* sampled sessions; title NULL: there are no suggestions */
	uint64_t limit;		/* of rows in a list */
	int advice_only, findings_only;
	int is_sarif; /* findings only, in the format sarif */
	int is_brief; /* a table without --verbose */
};

/* For callers that read the profiles together with their own: call begin, fill the profiles by
 * view_read(), then call make, write, end. limit: of lists. view: of view_read(). summary_make()
 * returns an exit status. */
void summary_begin(struct summary *summary, const struct view_options *options, uint64_t limit,
		   const struct counting *counting);
int summary_make(struct summary *summary, const struct view *view);
void summary_end(struct summary *summary);

/* summary_facts.c */
/* Returns how far the numbers can be trusted: "good", "fair" or "poor". */
const char *summary_reliability(const struct summary *summary);
/* Returns the part of the time off the processor in percent, at most 100. */
long double summary_waiting_percent(long double elapsed, long double off);

/* Time off the processor, ns: all; in functions that wait for other threads, for child processes,
 * for signals; and for a processor. */
struct summary_waits {
	long double all, threads, processes, signals, processor;
};
struct summary_waits summary_waits_of(const struct summary *summary);

void summary_table(struct items *items, const struct view *view);
/* summary_brief.c: write the total time, above the findings, and the lists below them, in lines of
 * `width` columns. */
void summary_put_time(FILE *out, const struct summary *summary, size_t width);
void summary_put_rest(FILE *out, const struct summary *summary, size_t width);
void summary_flat(struct items *items, const struct view *view);
void summary_nested(struct items *items, const struct view *view);

/* Number of functions in a list on the default page. */
#define SUMMARY_ON_PAGE 5

/* Returns command i of the last line: `callers`, `annotate`, `tree`; NULL: there is none. The
 * caller frees it. */
#define SUMMARY_NEXT 3
char *summary_next(const struct summary *summary, size_t i, size_t screen);
/* Appends the last line: commands that show more. screen: width of the terminal; 0: none. */
void summary_put_next(struct strbuf *text, const struct summary *summary, size_t width, size_t screen);

/* Returns the function's exclusive time on the processor including its probes, ns. */
long double summary_with_probes(const struct row *row);
/* Whether the function only calls main or the start function of a thread. */
int summary_is_start(const char *name);
/* Returns the command that shows more of a function, for lines of `width` columns. The caller frees
 * it. */
char *summary_command(const struct summary *summary, const char *verb, const char *function, size_t width);

#endif
