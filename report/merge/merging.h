/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merging.h - inputs of a merge, as users name them, into a union; the union into a file. What is
 * divided among several who merge is the same, put together, as if one had merged all.
 */
#ifndef REPORT_MERGE_MERGING_H
#define REPORT_MERGE_MERGING_H

#include "union.h"

struct merging {
	struct union_tree u;
	struct tables *tables; /* of all inputs' modules */
	size_t n_files, n_skipped;
	int status; /* exit status: STATUS_DATA if anything was left out */
	/* of n_shares the one that is merged: each n-th input that is named ... */
	uint32_t share, n_shares;
	uint32_t n_seen;
	int divides_files; /* ... or each n-th of their files */
	/* With divides_files: a hash of the names of all that was found. Shares of which it is not
	 * the same do not fit together: files were left out, or would count twice. */
	uint64_t found;
	/* Nothing is added twice: what `seen` has is named, and left out. */
	int is_distinct;
	enum merging_pass { MERGING_ALL, MERGING_PROCESSES, MERGING_MERGED } pass;
	struct map seen;     /* processes */
	struct strbuf twice; /* lines: what was left out */
	size_t n_twice;	     /* files none of whose processes is lost */
	size_t n_partial;    /* merged files of which only some processes are there */
};

void merging_init(struct merging *m, uint32_t share, uint32_t n_shares);
void merging_release(struct merging *m);
/* Whether an input can be read only once: -, a list through a pipe. */
int merging_is_read_once(int n_inputs, char **inputs);
/*
 * Adds all inputs, which were read before and had a process twice, once more, without that: first
 * files of processes, or first those that were merged before.
 */
void merging_add_distinct(struct merging *m, int n_inputs, char **inputs, enum merging_pass first);
/* How many files there are to merge, of sessions and of lists; says nothing. `most`: as many are
 * enough to know. 0: some input can be read only once (-, a list through a pipe). */
size_t merging_count(int n_inputs, char **inputs, size_t most);
/* Before anything is added: for shares by files if the inputs are few. Share 0 tells what is wrong
 * with an input as a whole. */
void merging_divide(struct merging *m, int n_inputs, char **inputs);
/* A session, a data file; -: one file through stdin; @LIST. What cannot be merged is named, and
 * left out. */
void merging_add(struct merging *m, const char *input);
/* A union that was written to a file in memory; empty: nothing. 0, or -1 after an error message. */
int merging_add_memory(struct merging *m, int fd);
/* Whether some process is in the union twice. */
int merging_has_twice(const struct merging *m);
/* The file gets its name when it is complete; -: stdout. How much was merged is told on stderr,
 * with the time since begin_ns (util_raw_ns()), if that is not 0. An exit status. */
int merging_finish(struct merging *m, const char *name, uint64_t begin_ns);
/* Are a file and sessions named? Else 0, after an error message with an example. */
int merging_is_asked(const char *output, int n_inputs, const char *example);

#endif
