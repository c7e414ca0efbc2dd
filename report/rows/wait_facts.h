/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_facts.h - the objects (mutexes, condition variables, threads ...) that the threads of a
 * session waited for, the waiters, and who ended the waits. Made from struct cinstr_wait of each
 * thread. */
#ifndef REPORT_ROWS_WAIT_FACTS_H
#define REPORT_ROWS_WAIT_FACTS_H

#include "open_waits.h"
#include "thread_facts.h"
#include "wait_places.h"

/* How much is known about the end of a wait. */
enum wait_known {
	WAIT_KNOWN_NOT,
	/* the thread that had the mutex when the wait began, or whose end was awaited */
	WAIT_KNOWN_THREAD,
	WAIT_KNOWN_CALL, /* the call that released or signalled the object, and its thread */
};

/* Waits of one thread at one call path for one object that one call of one thread ended. */
struct wait_fact {
	uint32_t object; /* index in wait_facts.objects */
	struct wait_place waiter, giver;
	/* functions from the outermost to the waiter's, separated by ';'; "": not known */
	char *path;
	uint32_t waiter_tid, giver_tid; /* 0: not known */
	const char *giver_thread;	/* WAIT_KNOWN_THREAD: name of that thread, or NULL */
	enum wait_known known;
	int is_exact; /* it is certain that the giver ended the waits; else it is likely */
	/* of a read-write lock whose giver is not known: its readers when the wait began */
	uint32_t readers;
	uint64_t waits;
	long double ns, longest_ns;
};

struct wait_object {
	uint64_t address; /* 0: several objects, as there was no room to keep them apart */
	uint32_t pid;
	enum cinstr_object_kind kind;
	char *name;	    /* the variable that contains it, as shown; NULL: none */
	const char *module; /* module of that variable, or NULL */
	uint64_t n;	    /* number of objects that it stands for; in merged files several */
	uint64_t waits;
	long double ns, longest_ns;
};

struct wait_facts {
	int is_wanted;	     /* the profile is to collect waits */
	struct names *names; /* those of the last wait_facts_add(); not owned */
	struct map keys;     /* (process, address) -> object */
	struct wait_object *objects;
	size_t n_objects;
	struct wait_fact *list;
	size_t n, size;
	struct open_waits open; /* waits that have not ended */
	size_t n_merged;	/* merged files; older ones have no waits */
	size_t n_timed;		/* files of programs with probes */
};

/* Adds a data file. All calls must pass the same names, with names_next_process() between
 * processes. */
void wait_facts_add(struct wait_facts *facts, struct names *names, const struct data *data);
/* Whether it is certain, as a rule, who ended waits for such objects of which so much is known. */
int wait_is_exact(enum wait_known known, enum cinstr_object_kind kind);
/* Returns whether such an object is one end of a pipe, a socket or an event. */
int wait_kind_is_end(enum cinstr_object_kind kind);
/* Whether a thread holds such an object for a time, while others wait for it. */
int wait_kind_is_lock(enum cinstr_object_kind kind);

struct wait_holder {
	uint32_t entity;  /* the function that released most of it; NAMES_NONE: not known */
	long double part; /* its part of the waiting time */
	/* the lock with most of the waiting time, as shown; NULL: no variable */
	const char *object;
};
/* Returns who held the locks that the function `waiter` waited for; of read-write locks only
 * writers. */
struct wait_holder wait_facts_holder(const struct wait_facts *facts, uint32_t waiter);
/* Returns whether each thread that waited for locks in the function `waiter` did next to nothing
 * else, and one and the same thread ended all these waits: it has kept them from running while
 * there was nothing to do. */
int wait_facts_is_parked(const struct wait_facts *facts, const struct thread_facts *threads, uint32_t waiter);
/* Returns whether the semaphores that the function `waiter` waited for are no locks: who posted
 * them never waited for the same ones, or is not known, as another process. */
int wait_facts_is_signal(const struct wait_facts *facts, uint32_t waiter);
void wait_facts_release(struct wait_facts *facts);

#endif
