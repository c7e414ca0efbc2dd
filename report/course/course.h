/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * course.h - what a session's threads did over time, made small enough to be drawn: from the
 * timelines where there are some, else by thread and phase.
 */
#ifndef REPORT_COURSE_COURSE_H
#define REPORT_COURSE_COURSE_H

#include "bins.h"
#include "lanes.h"
#include "selection/selection.h"

/* What a thread did in a phase of its process. */
struct course_part {
	uint32_t thread;	/* index in struct course */
	uint32_t mark;		/* index of the mark that began the phase; NAMES_NONE */
	long double begin, end; /* ns since the session's begin */
	long double ns[TIME_KINDS];
};

struct course_thread {
	uint32_t pid, tid;
	uint32_t process_number;	   /* struct data */
	const char *shown_number;	   /* kept; twins_put() */
	const char *name, *process, *host; /* kept; host NULL: not known */
	long double begin, end;
	int has_timeline;
	/* of the tree: they add up to the thread's time by report; sampled: number of samples, as
	 * TIME_COMPUTING */
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
	struct names *names; /* set before it is read: names_new(), or those of others */
	struct map strings;
	struct course_thread *threads;
	size_t n_threads;
	struct course_part *parts; /* in the order of threads; none: there is one phase */
	size_t n_parts;
	struct course_mark *marks;
	size_t n_marks;
	struct lanes lanes; /* functions: entities of names; sites: from 1, 0: none */
	struct bins bins;
	struct map site_keys, thread_keys;
	struct course_site *sites;
	size_t n_sites;
	uint8_t *known; /* by entity: 1 + enum known_function */
	size_t n_known;
	uint64_t n_samples; /* that are in bins: of sampled processes */
	int is_timeline;    /* some process has one */
	uint64_t n_gaps;    /* events are missing in one */
	uint64_t short_ns;  /* the longest that was left out when it was recorded */
	long double end;    /* of the last thread */
};

/*
 * A course is made of what the selection leaves of a session: begin, add each file's data, end. No
 * more than so many items of lanes are kept; 0: timelines are not read. course_end reads the
 * timelines, by files of the same input, and returns the exit status. Release in any case.
 */
void course_begin(struct course *course, const struct selection *selection, size_t most_items);
void course_add(struct course *course, struct data *data);
int course_end(struct course *course, struct input *input, size_t most_items);
void course_release(struct course *course);

/* course_trace.c: a thread's timeline into lanes and bins. 0, or -1: it cannot be read. */
int course_trace(struct course *course, struct data *data, size_t thread,
		 const struct data_thread *data_thread);
/* What the function of a cell is known to do. */
enum known_function course_known(struct course *course, uint32_t entity);

#endif
