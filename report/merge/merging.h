/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merging.h - adds the inputs of a merge, as named by the user, to a union, and writes the union to
 * a file. If several processes merge a share each, the result is the same as if one had merged
 * everything.
 */
#ifndef REPORT_MERGE_MERGING_H
#define REPORT_MERGE_MERGING_H

#include "union.h"

struct merging {
	struct union_tree u;
	struct module_cache *tables; /* tables of all inputs' modules */
	size_t n_files, n_skipped;
	int status; /* exit status: STATUS_DATA if anything was left out */
	/* This process merges share `share` of n_shares: each n-th input ... */
	uint32_t share, n_shares;
	uint32_t n_seen;
	int divides_files; /* ... or each n-th file of all inputs */
	/* With divides_files: a hash of the names of all files found. If it differs between shares,
	 * files were left out, or would count twice. */
	uint64_t found;
	/* Processes in `seen` are not added again; their files are listed in `twice`. */
	int is_distinct;
	enum merging_pass { MERGING_ALL, MERGING_PROCESSES, MERGING_MERGED } pass;
	struct map seen;     /* processes already added */
	struct strbuf twice; /* lines about files left out */
	size_t n_twice;	     /* files left out without losing a process */
	/* merged files left out of which some processes are missing in the result */
	size_t n_partial;
};

void merging_init(struct merging *m, uint32_t share, uint32_t n_shares);
void merging_release(struct merging *m);
/* Whether some input can be read only once: -, a list through a pipe. */
int merging_is_read_once(int n_inputs, char **inputs);
/* Adds all inputs again without duplicates, after they were read and contained a process twice.
 * `first` says whether files of processes or merged files are added first. */
void merging_add_distinct(struct merging *m, int n_inputs, char **inputs, enum merging_pass first);
/* Returns the number of files to merge, in sessions and lists; prints nothing. Stops counting at
 * `most`. 0: some input can be read only once (-, a list through a pipe). */
size_t merging_count(int n_inputs, char **inputs, size_t most);
/* To be called before anything is added: divides files, not inputs, among shares if there are few
 * inputs. Only share 0 reports problems of an input as a whole. */
void merging_divide(struct merging *m, int n_inputs, char **inputs);
/* Adds a session, a data file, -: one file from stdin, or @LIST. Reports and leaves out what cannot
 * be merged. */
void merging_add(struct merging *m, const char *input);
/* Adds a union that was written to a file in memory; an empty file adds nothing. Returns 0, or -1
 * after an error message. */
int merging_add_memory(struct merging *m, int fd);
/* Whether some process is in the union twice. */
int merging_has_twice(const struct merging *m);
/* Writes the union. The file gets its name when it is complete; -: stdout. Reports on stderr how
 * much was merged, and the time since begin_ns (util_raw_ns()) if that is not 0. Returns an exit
 * status. */
int merging_finish(struct merging *m, const char *name, uint64_t begin_ns);
/* Whether a file and sessions are given. If not, prints an error message with an example. */
int merging_is_asked(const char *output, int n_inputs, const char *example);

#endif
