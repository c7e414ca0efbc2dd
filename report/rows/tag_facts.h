/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tag_facts.h - the values of a session's tags (file/tags.h), of all threads and processes. */
#ifndef REPORT_ROWS_TAG_FACTS_H
#define REPORT_ROWS_TAG_FACTS_H

#include "file/tags.h"
#include "names/names.h"

struct tag_fact {
	const char *name; /* kept */
	int is_others;	  /* 1: all values of the name that threads did not keep apart */
	int is_open;	  /* a period had not ended when the recording did */
	int64_t id;
	uint64_t times;
	long double ns, waiting_ns, longest_ns;
	/* of the longest period: */
	char *path;	       /* functions, outermost first, with ';' between; "": not known */
	uint32_t entity;       /* the function in which it began; NAMES_NONE: not known */
	const char *waited_in; /* the function of its longest wait; NULL: it did not wait */
};

struct tag_facts {
	struct names *names; /* of the last tag_facts_add(); borrowed */
	struct map keys;
	struct tag_fact *list;
	size_t n;
};

/* Adds the facts of a data file. Use the same `names` in all calls, and call names_next_process()
 * between processes. */
void tag_facts_add(struct tag_facts *facts, struct names *names, const struct data *data);
/* Sorts the facts by name, and those of a name by time; the others come last. */
void tag_facts_sort(struct tag_facts *facts);
/* Returns the number behind the last fact with the name of the fact `first`, after sorting. */
size_t tag_facts_end(const struct tag_facts *facts, size_t first);
void tag_facts_release(struct tag_facts *facts);

#endif
