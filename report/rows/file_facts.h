/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file_facts.h - the files and peers that a session's threads have read, written and opened by
 * calls of known functions (file/moved.h), and the call paths of these calls.
 */
#ifndef REPORT_ROWS_FILE_FACTS_H
#define REPORT_ROWS_FILE_FACTS_H

#include "file/moved.h"
#include "wait_places.h"

/* The calls of one kind and call path for one file, in all threads and processes. */
struct file_fact {
	uint32_t file; /* number in struct file_facts */
	enum cinstr_amount_kind kind;
	struct wait_place place; /* of the call */
	const char *callee;	 /* the called function; kept */
	char *path;		 /* functions, outermost first, with ';' between; "": not known */
	struct moved_sums sums;	 /* ticks: nanoseconds */
};

struct file_sums {
	const char *name; /* kept; NULL: streams and unknown files */
	int is_others;	  /* 1: all files that there was no room for */
	struct moved_sums of[CINSTR_AMOUNT_KINDS];
};

struct file_facts {
	struct names *names; /* of the last file_facts_add(); borrowed */
	struct map keys, fact_keys;
	struct file_sums *files;
	size_t n_files;
	struct file_fact *list;
	size_t n;
	size_t n_timed; /* data files that tell what was read and written */
};

/* Adds the facts of a data file. Use the same `names` in all calls, and call names_next_process()
 * between processes. */
void file_facts_add(struct file_facts *facts, struct names *names, const struct data *data);
/* Sorts the facts: the files with most time first, and the facts of a file by their time. */
void file_facts_sort(struct file_facts *facts);
void file_facts_release(struct file_facts *facts);

#endif
