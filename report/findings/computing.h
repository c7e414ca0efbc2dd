/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * computing.h - amounts for the findings on computing: time spent computing, of whole sessions and
 * of calls; whether code is the program's; and the uses of a group of library functions, such as
 * those that allocate memory, by the program's functions that lead to them.
 *
 * Time computing is Application time, plus work in intervals that it leaves out only because the
 * thread lost its processor; of sampled sessions, the number of samples.
 */
#ifndef REPORT_FINDINGS_COMPUTING_H
#define REPORT_FINDINGS_COMPUTING_H

#include "call_graph.h"
#include "executed/executed_work.h"

/* Least cost of a call and its return, ns, where the function could have been inlined. */
#define COMPUTING_CALL_NS 2.0L
/* Smaller totals are not reported: ns; samples. */
#define COMPUTING_LEAST_NS 5e6L
#define COMPUTING_LEAST_SAMPLES 100

struct computing {
	struct call_graph graph;
	const struct executed_work *executed; /* [graph.n_entities]; NULL: not known */
	int is_sampled;			      /* calls are not known */
	long double total;		      /* time computing of the session */
	int is_rough;			      /* the total may be off by more than half of it */
	/* Time on a processor, ns, including system calls and intervals in which others had it,
	 * too. */
	long double processor;
	/* Set if the probes' cost is so uncertain that only an upper bound of the total is known.
	 * The total is then divided like the time with probes, which is this long, or like the
	 * number of events: whichever is more. 0: more is known. */
	long double with_probes, events;
};

/* Makes the amounts from `edges`: see call_graph.h. */
void computing_make(struct computing *computing, struct profile *edges);
void computing_release(struct computing *computing);
/* Whether the total is large enough to report on. */
int computing_is_enough(const struct computing *computing);

/* Returns the value, or if it is only known to be between 0 and value + uncertainty, the middle. */
long double computing_likely(long double value, long double uncertainty);
/* Return the time computing of a row; if it is only known to be below a bound, the middle. */
long double computing_inclusive(const struct computing *computing, const struct row *row);
long double computing_exclusive(const struct computing *computing, const struct row *row);
/* Return a row's exclusive time on a processor, without system calls; and the percentage that such
 * a time is of the session's. */
long double computing_processor(const struct computing *computing, const struct row *row);
long double computing_processor_percent(const struct computing *computing, long double part);
/* Whether the error of the row's exclusive time is more than half of it. */
int computing_is_rough(const struct computing *computing, const struct row *row);
/* Returns the time of a function with its callees; 0: it has no node. */
long double computing_own_time(const struct computing *computing, uint32_t entity);
/* Whether not all calls over the edge were seen, but no other caller of its function is known, and
 * the function's calls are: then these are taken for the edge's. */
int computing_has_only_place(const struct computing *computing, const struct row *edge);
/* Returns the calls over an edge per call of its caller; 0: not known. */
long double computing_for_each_call(const struct computing *computing, const struct row *edge);
/* Returns the call that is repeated: this one or, if its caller makes it once per call, the main
 * call of that caller, and so on. NULL: not known. */
const struct row *computing_repeated(const struct computing *computing, const struct row *edge);
/* Returns the percentage that an amount is of the session's total. */
long double computing_percent(const struct computing *computing, long double part);

/* Whether a function belongs to a library or header of the system; or to the program. */
int computing_is_system(const struct computing *computing, uint32_t entity);
int computing_is_own(const struct computing *computing, uint32_t entity);
/* Returns, for a function of the system, the first call in the program that leads to it, or the
 * repeated call that does. NULL: not known, or the function is the program's. */
const struct row *computing_own_call(const struct computing *computing, uint32_t entity);
int computing_is_one_of(const struct entity *entity, const char *const *globs);

/* The use of a group of functions by one function of the program. */
struct group_use {
	uint32_t entity;     /* the function of the program */
	long double amount;  /* time, or samples, in the group */
	long double calls;   /* calls of the counted functions of the group */
	int are_calls_least; /* there may be more calls */
	/* Samples found a function of the group below this one, and nobody has counted its calls:
	 * it is inside of a library mostly, where the counted calls lead to. */
	int has_unseen_calls;
	/* the call with most of the amount; of a counted function, if any is called */
	const struct row *edge;
	long double edge_amount;
	int is_edge_counted;
};

struct group_uses {
	struct group_use *list; /* most first */
	size_t n;
	long double amount; /* sum over the list */
	uint64_t calls;
	/* the function of the group with most time in calls from outside: a counted one, if any
	 * has some */
	uint32_t main;
};

/* A group of functions, by assembler names. */
struct group {
	const char *const *globs;   /* the last one is NULL */
	const char *const *counted; /* functions whose calls are counted; NULL: all */
	/* a library whose functions belong to the group, too; or NULL */
	const char *module;
	/* functions of the program that do little but call one belong to it, too */
	int has_wrappers;
	const char *const *more;   /* further functions, or NULL */
	const char *const *inside; /* those of libraries that the program does not call itself */
	/* Tells whether a function of such a name that was inlined belongs to it, too: its calls
	 * that copy memory do then. NULL: none does. */
	int (*is_inlined)(const char *assembler);
};

/* Finds the calls of functions of the group from outside of the group. A caller that is the
 * system's, or a wrapper, passes them on to its callers. */
void group_uses_make(struct group_uses *uses, const struct computing *computing, const struct group *group);
void group_uses_release(struct group_uses *uses);

#endif
