/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_computing.h - the searches of the rules on computing: each fills in *found and returns
 * 1, or returns 0 if there is nothing. */
#ifndef REPORT_FINDINGS_FINDINGS_COMPUTING_H
#define REPORT_FINDINGS_FINDINGS_COMPUTING_H

#include "computing.h"
#include "hot_code.h"
#include "lib/util.h"

struct computing_found {
	uint32_t about; /* the function that it is about */
	int is_said_of; /* ... but the text is about said_of: see struct finding */
	uint32_t said_of;
	const struct row *edge;	 /* the call that it is about; NULL: no single one */
	const struct row *place; /* see struct finding */
	struct code_place code;	 /* where most of its time is; file NULL: not known */
	long double time;	 /* time that it is about, or samples, of all threads */
	struct strbuf text;
	const char *verb; /* the command that shows more ... */
	uint32_t look_at; /* ... and the function for it */
};

/* Whether the durations of a row's calls are spread evenly from about 0 to twice the mean, as those
 * of a search in a growing list. */
int computing_grows(const struct row *row);

/* The calls of a function that take at least ten times as long as half of its calls. */
struct slow_calls {
	uint64_t n;
	long double ns; /* their total, without `lost` */
	/* ns in which others had the processor, due to the machine, not to the program */
	long double lost;
	long double median; /* ns, of all calls */
};

/* Finds the slow calls of a function by the durations of all calls. Returns whether there are some,
 * and they are few among many. */
int computing_is_rarely_slow(const struct durations *durations, struct slow_calls *slow);

/* Whether a function takes a lock, gives it back, or waits for or tells a condition. */
int computing_is_locking(const struct computing *c, uint32_t entity);

/* Returns the functions that allocate and free memory. */
const struct group *computing_allocation_group(void);
/* Whether a function, by its assembler name, copies an object. Copies of strings are left to the
 * rule on strings. */
int computing_is_copy_of_object(const char *assembler);

/* Writes ": 24 % of the computing, with all others 30 % of the computing" of the function that uses
 * the group most, and makes the finding about that one. */
void computing_put_use(const struct computing *c, const struct group_uses *uses,
		       struct computing_found *found);

/* Whether the rule on objects tells of so much time and more. Memory for objects is in it. */
int computing_has_objects(const struct computing *c, long double time);

int computing_scan(const struct computing *c, struct computing_found *found);
int computing_search(const struct computing *c, struct computing_found *found);
int computing_recursion(const struct computing *c, struct computing_found *found);
int computing_short(const struct computing *c, struct computing_found *found);
int computing_indirect(const struct computing *c, struct computing_found *found);
int computing_allocation(const struct computing *c, struct computing_found *found);
int computing_copies(const struct computing *c, struct computing_found *found);
int computing_objects(const struct computing *c, struct computing_found *found);
int computing_strings(const struct computing *c, struct computing_found *found);
int computing_format(const struct computing *c, struct computing_found *found);
int computing_exceptions(const struct computing *c, struct computing_found *found);
int computing_locking(const struct computing *c, struct computing_found *found);
/* Returns the function with most time of its own of those that spend half of it and more at locked
 * instructions, in several threads. NULL: there is none. */
const struct row *computing_hottest_locked(const struct computing *c);
int computing_library_locks(const struct computing *c, struct computing_found *found);
int computing_strides(const struct computing *c, struct computing_found *found);
int computing_locked(const struct computing *c, struct computing_found *found);
int computing_sorting(const struct computing *c, struct computing_found *found);
int computing_moving(const struct computing *c, struct computing_found *found);
int computing_chase(const struct computing *c, struct computing_found *found);
int computing_slow(const struct computing *c, struct computing_found *found);
int computing_hot(const struct computing *c, struct computing_found *found);

#endif
