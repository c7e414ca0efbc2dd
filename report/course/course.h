/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * course.h - what a session's threads did over time, reduced for drawing: from timelines if there
 * are any, else by thread and phase.
 */
#ifndef REPORT_COURSE_COURSE_H
#define REPORT_COURSE_COURSE_H

#include "bins.h"
#include "lanes.h"
#include "selection/selection.h"

/* The time of a thread in one phase of its process. */
struct course_part {
	uint32_t thread;	/* index in struct course */
	uint32_t mark;		/* index of the mark that began the phase, or NAMES_NONE */
	long double begin, end; /* ns since the session's begin */
	long double ns[TIME_KINDS];
};

struct course_thread {
	uint32_t pid, tid;
	uint32_t process_number;	   /* struct data */
	const char *shown_number;	   /* twins_put(); owned by `strings` */
	const char *name, *process, *host; /* owned by `strings`; host NULL: not known */
	long double begin, end;
	int has_timeline;
	/* From the tree: adds up to the thread's time in report. Sampled: number of samples, as
	 * TIME_COMPUTING. */
	long double ns[TIME_KINDS];
};

struct course_mark {
	uint32_t pid, tid;
	const char *text;
	int64_t id;
	long double ns;
	int begins_phase;
	int is_of_program;
};

struct course_site {
	const char *file; /* NULL: not known */
	uint32_t line;
};

struct course {
	const struct selection *selection;
	struct names *names; /* set by the caller: names_new(), or shared ones */
	struct map strings;
	struct course_thread *threads;
	size_t n_threads;
	struct course_part *parts; /* sorted by thread; none if there is one phase */
	size_t n_parts;
	struct course_mark *marks;
	size_t n_marks;
	struct lanes lanes; /* functions: entities of `names`; sites: index from 1, 0: none */
	struct bins bins;
	struct map site_keys, thread_keys;
	struct course_site *sites;
	size_t n_sites;
	uint8_t *known; /* by entity: 1 + enum known_function; 0: not looked up */
	size_t n_known;
	uint64_t n_samples; /* in bins: samples of sampled processes */
	int is_timeline;    /* some process has a timeline */
	uint64_t n_gaps;    /* number of gaps in timelines */
	/* the longest calls that were left out of a timeline when it was recorded */
	uint64_t short_ns;
	long double end; /* end of the last thread */
};

/* Makes a course of the selected data: begin, add each file's data, end. most_items: limit for
 * items of lanes; 0: timelines are not read. course_end() reads the timelines from files of the
 * same input, and returns the exit status. Release in any case. */
void course_begin(struct course *course, const struct selection *selection, size_t most_items);
void course_add(struct course *course, struct data *data);
int course_end(struct course *course, struct session *input, size_t most_items);
void course_release(struct course *course);

/* course_trace.c: adds a thread's timeline to lanes and bins. Returns 0, or -1 if it cannot be
 * read. */
int course_trace(struct course *course, struct data *data, size_t thread,
		 const struct data_thread *data_thread);
/* Returns what the function is known to do. */
enum known_function course_known(struct course *course, uint32_t entity);

#endif
