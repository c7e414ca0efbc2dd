/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wait_facts.h - what the threads of a session waited for: objects (mutexes, condition variables,
 * threads ...), who waited for them, and who ended that. From struct cinstr_wait of each thread.
 */
#ifndef REPORT_ROWS_WAIT_FACTS_H
#define REPORT_ROWS_WAIT_FACTS_H

#include "open_waits.h"
#include "wait_places.h"

/* How much is known of who ended a wait. */
enum wait_known {
	WAIT_KNOWN_NOT,
	WAIT_KNOWN_THREAD, /* the thread that had the mutex when the wait began, or that ended */
	WAIT_KNOWN_CALL,   /* the call that gave the object back, or signalled it, and its thread */
};

/* Waits of one thread at one call path for one object, which one call of one thread has ended. */
struct wait_fact {
	uint32_t object; /* number in struct wait_facts */
	struct wait_place waiter, giver;
	char *path; /* functions from the outermost to the waiter's, by ';'; "": not known */
	uint32_t waiter_tid, giver_tid; /* 0: not known */
	const char *giver_thread;	/* WAIT_KNOWN_THREAD: what that thread is called; NULL */
	enum wait_known known;
	uint64_t waits;
	long double ns, longest_ns;
};

struct wait_object {
	uint64_t address; /* 0: there was no room to keep several apart */
	uint32_t pid;
	enum cinstr_object_kind kind;
	char *name;	    /* of the variable that it is, or is in, shown; NULL: it has none */
	const char *module; /* of that variable; NULL */
	uint64_t n;	    /* objects that it stands for: of merged processes several */
	uint64_t waits;
	long double ns, longest_ns;
};

struct wait_facts {
	int is_wanted;	     /* of a profile: it collects them */
	struct names *names; /* those of the last wait_facts_add(); not its own */
	struct map keys;     /* process and address -> object */
	struct wait_object *objects;
	size_t n_objects;
	struct wait_fact *list;
	size_t n, size;
	struct open_waits open; /* those that have not ended */
	size_t n_merged;	/* files that were merged: older ones keep no waits */
	size_t n_timed;		/* files of programs with probes */
};

/* Adds what a data file tells. All calls have the same names, with names_next_process() between
 * processes. */
void wait_facts_add(struct wait_facts *facts, struct names *names, const struct data *data);
/* Whether who ended such waits is certain: of what is signalled a wait may have taken an earlier
 * signal than the last. */
int wait_kind_is_exact(enum cinstr_object_kind kind);
/* Whether somebody has such an object for a time, and others wait for it. */
int wait_kind_is_lock(enum cinstr_object_kind kind);

struct wait_holder {
	uint32_t entity;    /* who gave most of it back; NAMES_NONE: not known */
	long double part;   /* of the waiting time */
	const char *object; /* the lock that most of it was for, shown; NULL: no variable */
};
/* Returns who held the locks that the function `waiter` has waited for: those that one thread at a
 * time has. */
struct wait_holder wait_facts_holder(const struct wait_facts *facts, uint32_t waiter);
void wait_facts_release(struct wait_facts *facts);

#endif
