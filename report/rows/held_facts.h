/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_facts.h - the blocks that processes had not freed at the end (cinstr/held.h): where they
 * were allocated, and when. */
#ifndef REPORT_ROWS_HELD_FACTS_H
#define REPORT_ROWS_HELD_FACTS_H

#include "wait_places.h"

#define HELD_PARTS 8 /* of the time from a process's begin to its end */

/* The blocks of one call in one process, for one caller of its function. */
struct held_fact {
	struct wait_place place; /* the call: that of the program, where headers allocate for it */
	const char *caller;	 /* the function that called the place's; NULL: none */
	uint64_t blocks, bytes;
	uint64_t of_part[HELD_PARTS]; /* blocks that were allocated in this part of the time */
};

struct held_facts {
	struct names *names; /* of the last held_facts_add(); borrowed */
	struct map keys;
	struct held_fact *list;
	size_t n;
	uint64_t bytes; /* of all blocks */
	/* of so many addresses one is kept, in at least one process: all numbers are estimates */
	uint64_t one_in;
};

/* Adds the facts of a data file. Use the same `names` in all calls, and call names_next_process()
 * between processes. */
void held_facts_add(struct held_facts *facts, struct names *names, const struct data *data);
void held_facts_release(struct held_facts *facts);

#endif
