/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * critical_path.h - the chain of pieces of threads that explains a process's duration: from its end
 * back, in each thread to its last wait that another thread ended, and on in that thread from the
 * moment it did. The pieces add up to the time from begin to end. Made from struct stretches of
 * each thread; doc/semantics.md, "The critical path".
 */
#ifndef REPORT_ROWS_CRITICAL_PATH_H
#define REPORT_ROWS_CRITICAL_PATH_H

#include "lib/globs.h"
#include "names/names.h"

/* Uses of the time on the path. */
enum critical_part {
	CRITICAL_COMPUTING,
	CRITICAL_OUTSIDE,   /* waiting for input, devices, time, processes */
	CRITICAL_PROCESSOR, /* another thread had the processor, also after the end of a wait */
	CRITICAL_UNKNOWN,   /* waiting for a thread that is not known */
	CRITICAL_PARTS
};

/* Time of one thread at one call path. */
struct critical_row {
	uint32_t tid;
	const char *thread; /* its name */
	uint32_t path;	    /* index in critical_path.nodes */
	uint32_t entity;    /* the innermost function of the path */
	uint32_t caller;    /* of a library's function: the one above it; else NAMES_NONE */
	long double ns[CRITICAL_PARTS];
	long double all; /* sum of ns */
	/* The most that the process would be faster if the function, called by `caller`, took
	 * nothing, and if it took 20 % less, in all threads, ns; 0: it has less than 1 % of the
	 * path. */
	long double gone, gone_fifth;
};

/* A call path: its function, and the path on which that was called; 0: no function called it. */
struct critical_node {
	uint32_t parent, entity;
};

/* The effect of functions with all that they call: see struct critical_row. */
struct critical_without {
	const char *text;		       /* as it was asked for; NULL: nothing is asked */
	struct globs *globs;		       /* the same */
	long double on_path, gone, gone_fifth; /* ns */
};

struct critical_path {
	int is_wanted; /* the profile is to make one */
	struct critical_without without;
	/* the process: the longest of those with several threads */
	uint32_t pid;
	const char *name;   /* name of its program; NULL: not known */
	uint32_t n_threads; /* number of its threads; 0: no process has several */
	uint32_t n_on_path; /* threads on the path */
	size_t n_others;    /* other processes with several threads */
	/* files without such intervals, such as older ones; and all processes visited */
	size_t n_without, n_processes;
	struct critical_row *rows; /* most time first */
	size_t n;
	struct critical_node *nodes;
	size_t n_nodes;
	long double ns; /* from begin to end: the sum of the rows */
	/* part of ns in intervals that were not kept singly: their use is known only for the thread
	 * as a whole */
	long double shared;
	long double threshold; /* ns; shorter intervals are not kept singly */
	/* ns of the windows of time in which intervals were kept: all of the time, unless there
	 * were too many; the time between windows is assumed to be like them */
	long double kept;
	long double main;      /* ns of the path that the first thread spent computing */
	long double recording; /* ns of the path that probes and the runtime took */
	struct names *names;
};

/* Makes the critical path of this process if it took longer than the present one. from, to: stamps
 * between which it lies; 0 and UINT64_MAX: the process's begin and end. */
void critical_path_add(struct critical_path *path, struct names *names, const struct data *data,
		       uint64_t from, uint64_t to);
/* Returns the functions from the outermost to that of the node, separated by ';'. The caller frees
 * the text. */
char *critical_path_text(const struct critical_path *path, uint32_t node);
/* Returns the use of most of the row's time. */
enum critical_part critical_row_part(const struct critical_row *row);
/* Returns the part of the path that is used so, ns. */
long double critical_path_ns(const struct critical_path *path, enum critical_part part);
/* Says whether `gone` and `gone_fifth` of the rows tell anything: not where threads waited for a
 * processor in much of the path, since a run in which there is less to do has fewer such waits: of
 * one thread as many fewer. */
int critical_path_is_foretold(const struct critical_path *path);
void critical_path_release(struct critical_path *path);

#endif
