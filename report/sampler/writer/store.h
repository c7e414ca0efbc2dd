/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - writes the data file of a sampled process (cinstr/format.h): mapped shared, and
 * complete to the last sample at any time, so that nothing is lost if the collector is killed. Disk
 * space is allocated before it is written; without space, samples are counted as lost.
 */
#ifndef SAMPLER_STORE_H
#define SAMPLER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

/* Facts about a process that are known when its file is created. */
struct store_process {
	const char *session; /* absolute path of the folder */
	uint32_t pid, parent_pid;
	uint64_t process_start; /* clock ticks since boot; 0: not known */
	uint64_t begin_ticks;
	int forked;
	/* Number of the program in its process, from 0, + 1 at each exec; makes file names
	 * unique. */
	uint32_t program;
	const char *exe, *host; /* NULL: not known */
	/* Arguments, each with its NUL, as in /proc/PID/cmdline. If command_line_bytes is 0: one
	 * string, with arguments separated by blanks. */
	const char *command_line;
	size_t command_line_bytes;
	const char *cwd;	       /* NULL: not known */
	const struct session_job *job; /* NULL: not known */
	const char *event;
	uint64_t asked;			 /* the interval that the user gave; 0: none */
	struct cinstr_sampling sampling; /* the constant members; counts are 0 */
};

/* Creates the file. Returns NULL and sets *error to -errno on errors. */
struct store *store_new(const struct store_process *process, int *error);
/* Returns the number of a module, from 1; place, flags and build-id are set by the caller. The same
 * base and path have the same number. 0: no room. */
uint32_t store_module(struct store *store, const char *path, const struct cinstr_module *module);
/* Returns the number of the node, adding it if needed; 0: no room. */
uint32_t store_node(struct store *store, uint32_t parent, uint32_t module, uint64_t address);
/* Returns the number of a thread's task. A tid that is used again after its thread ended gets
 * another one. UINT32_MAX: no room. */
uint32_t store_task(struct store *store, uint32_t tid, const char *name, uint64_t ticks);
void store_task_name(struct store *store, uint32_t task, const char *name);
void store_task_end(struct store *store, uint32_t task, uint64_t ticks);
/* Adds a sample and counts it in the task and the header. Without room it is counted as lost. */
void store_sample(struct store *store, uint64_t ticks, uint32_t task, uint32_t stack, int truncated);
enum store_count { STORE_DISCARDED, STORE_PAUSED };
void store_count(struct store *store, uint32_t task, enum store_count what);
/* Returns the header's part for sampling, to set counts that are not of single tasks (lost,
 * throttled, counted, silent, flags). */
struct cinstr_sampling *store_sampling(struct store *store);
/* Returns the control block, which `cinstr control` writes to. */
struct cinstr_control_block *store_control(struct store *store);
/* Sets the program of a process that was created without. */
void store_program(struct store *store, const char *exe);
/* Sets the last time known. */
void store_clock(struct store *store, uint64_t ticks);
/* Adds a mark of the collector: recording was switched off or on. */
void store_mark(struct store *store, uint64_t ticks, uint32_t tid, enum cinstr_mark_kind kind,
		const char *text);

/* Every (module, address) of nodes in modules, sorted, to look up symbols at the end. The caller
 * frees the list. */
struct store_address {
	uint32_t module;
	uint64_t address;
};
struct store_address *store_addresses(const struct store *store, size_t *n);
/* Writes the SYMBOLS segment. Returns 0 or -errno. */
int store_symbols(struct store *store, const struct cinstr_symbols *head,
		  const struct cinstr_symbol_address *addresses, const struct cinstr_symbol_frame *frames,
		  const char *strings);
/* Stores the end of the process; CINSTR_END_UNKNOWN: it goes on. */
void store_end(struct store *store, enum cinstr_end end, int status, uint64_t ticks);
/* Returns the file's absolute path. */
const char *store_path(const struct store *store);
/* Unmaps the file, which remains. */
void store_release(struct store *store);

#endif
