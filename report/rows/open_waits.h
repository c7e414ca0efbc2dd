/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * open_waits.h - waits for objects that had not ended when the recording did, or was read: who
 * waits for what since when, who has it, and which threads wait for one another in a circle. From
 * struct awaiting of each thread.
 */
#ifndef REPORT_ROWS_OPEN_WAITS_H
#define REPORT_ROWS_OPEN_WAITS_H

#include "wait_places.h"

/* A thread of a process. */
struct wait_party {
	uint32_t tid;	  /* 0: not known who */
	const char *name; /* what it is called; NULL: nothing is known */
	int is_first;	  /* it is the process's first thread */
	/* where it was at the end; the function that it had called there, or NULL */
	struct wait_place at;
	const char *calls;
};

#define OPEN_WAIT_NONE SIZE_MAX

struct open_wait {
	uint32_t pid;
	enum cinstr_object_kind kind;
	uint64_t address;   /* of the object; 0: not known, nor since when it is waited for */
	char *name;	    /* of the variable that it is, or is in; NULL: it has none */
	const char *module; /* of that variable; NULL */
	struct wait_party waiter;
	char *path; /* functions down to the waiter's, by ';'; "": not known */
	/* ns from the begin of the process's recording; how long it has lasted, at least, if the
	 * end of the recording is not known */
	long double since, ns;
	int end_is_known;
	int is_timed; /* a time limit would have ended it */
	/* the thread that had the mutex when the wait began, or whose end is waited for */
	struct wait_party holder;
	int is_certain; /* the holder had it still at the end */
	/* the holder's own wait in the list; OPEN_WAIT_NONE: it waits for no object */
	size_t next;
	uint32_t cycle; /* number of the circle that this wait is a part of, from 1; 0 */
	/* its process has ended by itself, and left the thread waiting */
	int is_left;
	/* all threads of the process that are known waited for objects */
	int all_wait;
};

struct open_waits {
	struct open_wait *list; /* by process; those of a circle one behind another, in its order */
	size_t n;
	uint32_t n_cycles;
};

/* Adds the waits of a process. */
void open_waits_add(struct open_waits *waits, struct names *names, const struct data *data);
/* Returns whether all of the circle, which begins there, is certain. */
int open_waits_is_certain(const struct open_waits *waits, size_t first);
/* Returns the number of waits in the circle that begins there. */
size_t open_waits_in_cycle(const struct open_waits *waits, size_t first);
/* Whether the wait is to be told of: a process that ends by itself may leave waits behind that are
 * nothing to tell of, unless they are a circle. */
int open_wait_is_shown(const struct open_wait *wait);
/* Returns whether any wait is. */
int open_waits_any_shown(const struct open_waits *waits);
/* Whether an earlier one of the list stands for this wait, too: it waits at the same place for the
 * same object. */
int open_waits_is_told(const struct open_waits *waits, size_t i);
/* Returns how many behind it in the list it stands for. */
size_t open_waits_more(const struct open_waits *waits, size_t i);
void open_waits_release(struct open_waits *waits);

#endif
