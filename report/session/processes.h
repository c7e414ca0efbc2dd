/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * processes.h - data files and the processes that record into them: which process of now a file
 * belongs to, which file a process has, and the control blocks in them (struct
 * cinstr_control_block). Goes by /proc; sends no signal, traces nobody.
 */
#ifndef REPORT_PROCESSES_H
#define REPORT_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

/* Returns whether the file tells the process's end: an exit as far as its handlers is not one. */
int process_end_is_known(const struct cinstr_header *header);

/* The process (as numbered here) that records into this file now; 0: none, it has ended or become
 * another program. */
uint32_t process_of(const char *path, const struct cinstr_header *header);

/* The name of a thread of a process that runs, as the kernel has it. 0, or -1: not known. */
int process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size);

/* What has become of the process of a data file in which no end is noted. */
enum process_fate {
	PROCESS_GONE,
	PROCESS_RECORDING, /* it runs */
	/* it runs, and records into a file of this name: this is a copy, or on an overlay */
	PROCESS_COPIED,
	PROCESS_ANOTHER,   /* it runs as another program, without being recorded here */
	PROCESS_ELSEWHERE, /* this is a copy, or of another machine: not known */
};
enum process_fate process_fate(const char *path, const struct cinstr_header *header, const char *boot_id);

/* Is it what a sampled process tells of itself (CINSTR_SAMPLING_COMPANION)? */
int process_is_companion(const struct cinstr_header *header);

enum process_found {
	PROCESS_FOUND,
	PROCESS_NONE,	       /* there is no such process */
	PROCESS_NOT_PERMITTED, /* it may not be looked at */
	PROCESS_NOT_RECORDING,
	PROCESS_FILE_GONE, /* its data file has been deleted, or cannot be reached from here */
};
/* The data file of a process, or the companion of one that is sampled; *path is the caller's to
 * free. */
enum process_found process_find(uint32_t pid, char **path);

/*
 * The control block in a data file or a file `session`, mapped; NULL, and errno: EINVAL: it has
 * none. Changed with atomic operations and then control_changed.
 */
struct cinstr_control_block *control_map(const char *path, int writable);
void control_unmap(struct cinstr_control_block *block);
void control_changed(struct cinstr_control_block *block);

/* Adds a mark to the process's file (kind OUTSIDE). 0 or an errno: ENOSPC: no room for marks. */
int control_mark(const char *path, const char *text);
/* One that tells of a thread's state (kind STATE); if there is room for it at once. */
void control_mark_state(const char *path, uint32_t tid, const char *text);

#endif
