/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * critical_path.h - the chain of pieces of threads that explains how long a process took: from its
 * end back, in each thread up to its last wait that another thread has ended, and on in that thread
 * from the moment when it did. The pieces add up to the time from beginning to end. From struct
 * stretches of each thread; doc/semantics.md, "The critical path".
 */
#ifndef REPORT_ROWS_CRITICAL_PATH_H
#define REPORT_ROWS_CRITICAL_PATH_H

#include "names/names.h"

/* What the time on the path was spent on. */
enum critical_part {
	CRITICAL_COMPUTING,
	CRITICAL_OUTSIDE,   /* waiting for input, devices, time, processes */
	CRITICAL_PROCESSOR, /* another thread had the processor, also after a wait was ended */
	CRITICAL_UNKNOWN,   /* waiting for a thread of which it is not known which */
	CRITICAL_PARTS
};

/* Time of one thread at one call path. */
struct critical_row {
	uint32_t tid;
	const char *thread; /* what it is called */
	uint32_t path;	    /* in struct critical_path */
	uint32_t entity;    /* the innermost function of the path */
	long double ns[CRITICAL_PARTS];
	long double all; /* their sum */
	/* The process would take so much less, at most, if the function took nothing, and if it
	 * took 20 % less, in all threads; 0: it has less than 1 % of the path. */
	long double gone, gone_fifth;
};

/* Of paths: the function, and the path that it was called on; 0: of what no function had called. */
struct critical_node {
	uint32_t parent, entity;
};

struct critical_path {
	int is_wanted; /* of a profile: it makes one */
	/* whose it is: of the processes with several threads the one that took longest */
	uint32_t pid;
	const char *name;   /* of its program; NULL: not known */
	uint32_t n_threads; /* that it has; 0: there is no such process */
	uint32_t n_on_path; /* threads */
	size_t n_others;    /* other processes with several threads */
	/* files that keep no such intervals, as older ones, and all processes that were visited */
	size_t n_without, n_processes;
	struct critical_row *rows; /* most time first */
	size_t n;
	struct critical_node *nodes;
	size_t n_nodes;
	long double ns; /* from beginning to end: the sum of the rows */
	/* of that in intervals that were not kept by themselves: what it was is known of the thread
	 * as a whole */
	long double shared;
	long double threshold; /* ns: shorter ones are not kept by themselves */
	/* ns of windows of time in which they were kept: all, unless there were too many; what is
	 * between is taken to be like these */
	long double kept;
	long double main; /* ns of the path that its first thread has computed */
	struct names *names;
};

/* Makes the path of the process's data, if it took longer than the one there is. Between stamps, if
 * there are any: 0 and UINT64_MAX are the process's begin and end. */
void critical_path_add(struct critical_path *path, struct names *names, const struct data *data,
		       uint64_t from, uint64_t to);
/* Returns the functions from the outermost to that of the node, by ';': a new string. */
char *critical_path_text(const struct critical_path *path, uint32_t node);
/* Returns what the row's time was mostly spent on. */
enum critical_part critical_row_part(const struct critical_row *row);
void critical_path_release(struct critical_path *path);

#endif
