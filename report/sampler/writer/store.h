/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - writes the data file of a sampled process (cinstr/format.h): mapped shared, and
 * complete to the last sample at any moment, so that nothing is lost when the collector is killed.
 * Disk space is allocated before it is written to; when there is none, samples are counted as lost.
 */
#ifndef SAMPLER_STORE_H
#define SAMPLER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

/* What is known when a process's file is made. */
struct store_process {
	const char *session; /* absolute path of the folder */
	uint32_t pid, parent_pid;
	uint64_t process_start; /* clock ticks since boot; 0: not known */
	uint64_t begin_ticks;
	int forked;
	/* number of the program in its process, from 0, + 1 at each exec: file names are unique by
	 * it */
	uint32_t program;
	const char *exe, *host; /* NULL: not known */
	/* the arguments, each with its NUL, as /proc/PID/cmdline has them ... */
	const char *command_line;
	size_t command_line_bytes;     /* ... or 0: one string, arguments between blanks */
	const char *cwd;	       /* NULL: not known */
	const struct session_job *job; /* NULL: not known */
	const char *event;
	uint64_t asked;			 /* the interval that was asked for; 0: none */
	struct cinstr_sampling sampling; /* what is fixed; counts 0 */
};

/* NULL: *error = -errno */
struct store *store_new(const struct store_process *process, int *error);
/* Number of a module, whose place, flags and build-id are filled in, from 1; the same base and
 * path: the same one. 0: no room. */
uint32_t store_module(struct store *store, const char *path, const struct cinstr_module *module);
/* Number of the node; 0: no room. */
uint32_t store_node(struct store *store, uint32_t parent, uint32_t module, uint64_t address);
/* Number of a thread's task; a tid that has ended and comes again is another one. UINT32_MAX: no
 * room. */
uint32_t store_task(struct store *store, uint32_t tid, const char *name, uint64_t ticks);
void store_task_name(struct store *store, uint32_t task, const char *name);
void store_task_end(struct store *store, uint32_t task, uint64_t ticks);
/* Keeps a sample: counts it in the task and the header. No room: it is counted as lost. */
void store_sample(struct store *store, uint64_t ticks, uint32_t task, uint32_t stack, int truncated);
enum store_count { STORE_DISCARDED, STORE_PAUSED };
void store_count(struct store *store, uint32_t task, enum store_count what);
/* The header's sampling: for counts that are not of single tasks (lost, throttled, counted, silent,
 * flags). */
struct cinstr_sampling *store_sampling(struct store *store);
/* The control block and the last stamp known; `cinstr control` writes into the former. */
struct cinstr_control_block *store_control(struct store *store);
/* The program of a process that was made without. */
void store_program(struct store *store, const char *exe);
void store_clock(struct store *store, uint64_t ticks);
/* A mark of the collector's: recording went off or on. */
void store_mark(struct store *store, uint64_t ticks, uint32_t tid, enum cinstr_mark_kind kind,
		const char *text);

/* For the symbols at the end: every (module, address) that nodes have, in modules, sorted. The
 * caller frees it. */
struct store_address {
	uint32_t module;
	uint64_t address;
};
struct store_address *store_addresses(const struct store *store, size_t *n);
/* Writes the SYMBOLS segment. 0 or -errno. */
int store_symbols(struct store *store, const struct cinstr_symbols *head,
		  const struct cinstr_symbol_address *addresses, const struct cinstr_symbol_frame *frames,
		  const char *strings);
/* The process ended, or goes on (CINSTR_END_UNKNOWN). */
void store_end(struct store *store, enum cinstr_end end, int status, uint64_t ticks);
/* Unmaps; the file stays. */
void store_release(struct store *store);

#endif
