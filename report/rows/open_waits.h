/* SPDX-License-Identifier: GPL-3.0-or-later */
/* open_waits.h - waits for objects that had not ended when the recording ended or was read: who
 * waits for which object since when, who holds it, and cycles of threads that wait for one another.
 * Made from struct awaiting of each thread. */
#ifndef REPORT_ROWS_OPEN_WAITS_H
#define REPORT_ROWS_OPEN_WAITS_H

#include "wait_places.h"

/* A thread of a process. */
struct wait_party {
	uint32_t tid;	  /* 0: not known */
	const char *name; /* its name; NULL: not known */
	int is_first;	  /* it is the first thread of its process */
	/* its place at the end; the function called there, or NULL */
	struct wait_place at;
	const char *calls;
};

#define OPEN_WAIT_NONE SIZE_MAX

struct open_wait {
	uint32_t pid;
	enum cinstr_object_kind kind;
	uint64_t address;   /* the object's; 0: not known, nor is the begin of the wait */
	char *name;	    /* the variable that contains the object; NULL: none */
	const char *module; /* module of that variable, or NULL */
	struct wait_party waiter;
	/* functions from the outermost to the waiter's, separated by ';'; "": not known */
	char *path;
	/* ns from the begin of the process's recording to the begin of the wait; its length in ns,
	 * a lower bound if the end of the recording is not known */
	long double since, ns;
	int end_is_known;
	int is_timed; /* the wait has a time limit */
	/* the thread that had the mutex when the wait began, or whose end is awaited */
	struct wait_party holder;
	uint32_t readers; /* of a read-write lock: that had it when the wait began */
	int is_certain;	  /* the holder still had it at the end */
	/* index of the holder's own wait in the list; OPEN_WAIT_NONE: it waits for no object */
	size_t next;
	uint32_t cycle; /* number of the cycle that this wait is a part of, from 1; 0: none */
	/* its process ended by itself, and left the thread waiting */
	int is_left;
	/* all known threads of the process were waiting for objects */
	int all_wait;
};

struct open_waits {
	struct open_wait *list; /* by process; the waits of a cycle are adjacent, in its order */
	size_t n;
	uint32_t n_cycles;
};

/* Adds the waits of a process. */
void open_waits_add(struct open_waits *waits, struct names *names, const struct data *data);
/* Returns whether all waits of the cycle that begins at `first` are certain. */
int open_waits_is_certain(const struct open_waits *waits, size_t first);
/* Returns the number of waits in the cycle that begins at `first`. */
size_t open_waits_in_cycle(const struct open_waits *waits, size_t first);
/* Whether the wait is reported: waits left by a process that ended by itself are not, unless they
 * are part of a cycle. */
int open_wait_is_shown(const struct open_wait *wait);
/* Returns whether any wait is reported. */
int open_waits_any_shown(const struct open_waits *waits);
/* Whether an earlier wait in the list stands for this one: it waits at the same place for the same
 * object. */
int open_waits_is_told(const struct open_waits *waits, size_t i);
/* Returns the number of later waits in the list that this one stands for. */
size_t open_waits_more(const struct open_waits *waits, size_t i);
void open_waits_release(struct open_waits *waits);

#endif
