/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count_facts.h - what a session's program has counted (cinstr_count() of cinstr.h, semantics R19),
 * by name and call path, of all threads and processes. */
#ifndef REPORT_ROWS_COUNT_FACTS_H
#define REPORT_ROWS_COUNT_FACTS_H

#include "names/names.h"

struct count_fact {
	const char *name; /* kept */
	char *path;	  /* functions, outermost first, with ';' between; "": none */
	uint32_t entity;  /* the function that counted; NAMES_NONE: not known */
	uint64_t calls;	  /* of cinstr_count() */
	uint64_t sum;
};

struct count_facts {
	struct map keys;
	struct count_fact *list;
	size_t n;
};

/* Adds the facts of a data file. Use the same `names` in all calls, and call names_next_process()
 * between processes. */
void count_facts_add(struct count_facts *facts, struct names *names, const struct data *data);
/* Sorts the facts by name, and those of a name by what was counted, most first. */
void count_facts_sort(struct count_facts *facts);
/* Returns the number behind the last fact with the name of the fact `first`, after sorting. */
size_t count_facts_end(const struct count_facts *facts, size_t first);
void count_facts_release(struct count_facts *facts);

#endif
