/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * computing.h - what the findings on computing reckon with: time spent computing, of whole sessions
 * and of calls; whose code it is; and the uses of a group of library functions, such as those that
 * allocate memory, by the program's own functions that lead to them.
 *
 * Time computing is Application time, with what was computed in intervals that it leaves out only
 * because the thread lost its processor; of sampled sessions the number of samples.
 */
#ifndef REPORT_FINDINGS_COMPUTING_H
#define REPORT_FINDINGS_COMPUTING_H

#include "call_graph.h"
#include "executed/executed_work.h"

/* What a call and its return take at least, ns, where the function could have been inlined. */
#define COMPUTING_CALL_NS 2.0L
/* Less is not worth a word: ns; samples. */
#define COMPUTING_LEAST_NS 5e6L
#define COMPUTING_LEAST_SAMPLES 100

struct computing {
	struct call_graph graph;
	const struct executed_work *executed; /* [graph.n_entities]; NULL: nothing is known of it */
	int is_sampled;			      /* nothing is known of calls */
	long double total;		      /* of the session */
	int is_rough;			      /* it may be off by more than half of it */
	/* Time on a processor, ns, with system calls and intervals in which others had it, too. */
	long double processor;
	/* What probes cost is so uncertain that nothing is known of it but an upper end. The
	 * total is divided as the time with the probes is, which is this long, or by the number of
	 * events: whichever is more. 0: more is known. */
	long double with_probes, events;
};

/* `edges`: see call_graph.h. */
void computing_make(struct computing *computing, struct profile *edges);
void computing_release(struct computing *computing);
/* Whether there is enough of it to say anything. */
int computing_is_enough(const struct computing *computing);

/* The value, or where it is only known to lie between 0 and value + uncertainty, the middle. */
long double computing_likely(long double value, long double uncertainty);
/* Of a row; where a value is only known to lie between 0 and an upper end, the middle. */
long double computing_inclusive(const struct computing *computing, const struct row *row);
long double computing_exclusive(const struct computing *computing, const struct row *row);
/* Of a row itself: time on a processor, without system calls; and what part of the session's. */
long double computing_processor(const struct computing *computing, const struct row *row);
long double computing_processor_percent(const struct computing *computing, long double part);
/* Is its exclusive time known to no better than half of it? */
int computing_is_rough(const struct computing *computing, const struct row *row);
/* Of a function with what it called; 0: it is none. */
long double computing_own_time(const struct computing *computing, uint32_t entity);
/* Not all calls over the edge were seen, but nobody else is known to call its function, whose calls
 * are known: these are taken for the edge's. */
int computing_has_only_place(const struct computing *computing, const struct row *edge);
/* Calls over an edge for each call of its caller; 0: not known. */
long double computing_for_each_call(const struct computing *computing, const struct row *edge);
/*
 * The call that is made again and again: this one, or, if its function makes it once for each of
 * its own calls, that function's call by who calls it most, and so on. NULL: not known.
 */
const struct row *computing_repeated(const struct computing *computing, const struct row *edge);
/* Of the session's. */
long double computing_percent(const struct computing *computing, long double part);

/* Not the program's: of a library or header of the system. */
int computing_is_system(const struct computing *computing, uint32_t entity);
int computing_is_own(const struct computing *computing, uint32_t entity);
/* Of a function of the system's: the first call in the program that leads to it, or the one that is
 * made again and again; NULL: it is not known, or the function is the program's. */
const struct row *computing_own_call(const struct computing *computing, uint32_t entity);
int computing_is_one_of(const struct entity *entity, const char *const *globs);

/* How one of the program's functions uses a group of functions. */
struct group_use {
	uint32_t entity;     /* that function */
	long double amount;  /* time, or samples, in the group */
	long double calls;   /* of those in the group that were asked for */
	int are_calls_least; /* there may be more */
	/* where it calls most of it; of what is counted, if it calls any of that */
	const struct row *edge;
	long double edge_amount;
	int is_edge_counted;
};

struct group_uses {
	struct group_use *list; /* most first */
	size_t n;
	long double amount; /* of all */
	uint64_t calls;
	uint32_t main; /* the function of the group that is called for longest from outside */
};

/* Names are those of the assembler. */
struct group {
	const char *const *globs;   /* the last one is NULL */
	const char *const *counted; /* of these functions calls are counted; NULL: of all */
	const char *module;	    /* a library whose functions are of the group, too; or NULL */
	int has_wrappers;	    /* functions of the program do little else than call one */
	const char *const *more;    /* globs, as well; or NULL */
};

/* Calls of functions of the group from outside of the group. A caller that is the system's, or a
 * wrapper, passes them on to its callers. */
void group_uses_make(struct group_uses *uses, const struct computing *computing, const struct group *group);
void group_uses_release(struct group_uses *uses);

#endif
