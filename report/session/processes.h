/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * processes.h - finds the running process that records into a data file, the data file of a running
 * process, and the control block in it (struct cinstr_control_block). Uses /proc; sends no signal,
 * traces nothing.
 */
#ifndef REPORT_PROCESSES_H
#define REPORT_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

/* Whether the header contains the process's end. An exit seen only as far as its handlers does not
 * count. */
int process_end_is_known(const struct cinstr_header *header);

/* Returns the process that records into this file now, by its number in this namespace; 0: it has
 * ended or become another program. */
uint32_t process_of(const char *path, const struct cinstr_header *header);

/* Reads the kernel's name of a thread of a running process. Returns 0, or -1 if it is not known. */
int process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size);

/* State of a process whose data file contains no end. */
enum process_fate {
	PROCESS_GONE,
	PROCESS_RECORDING, /* running, and recording into this file */
	/* Running, and recording into a file of this name: this one is a copy, or on an overlay. */
	PROCESS_COPIED,
	PROCESS_ANOTHER,   /* running as another program that is not recorded here */
	PROCESS_ELSEWHERE, /* not known: the file is a copy, or from another machine */
};
enum process_fate process_fate(const char *path, const struct cinstr_header *header, const char *boot_id);

/* Whether the file is a companion of a sampled process (CINSTR_SAMPLING_COMPANION). */
int process_is_companion(const struct cinstr_header *header);

enum process_found {
	PROCESS_FOUND,
	PROCESS_NONE,	       /* no such process */
	PROCESS_NOT_PERMITTED, /* this user may not look at it */
	PROCESS_NOT_RECORDING,
	PROCESS_FILE_GONE, /* its data file is deleted, or cannot be reached from here */
};
/* Finds the data file of a process, or the companion of a sampled one. Waits up to 3 s while it is
 * starting. The caller frees *path. */
enum process_found process_find(uint32_t pid, char **path);

/* Maps the control block of a data file or of a file `session`. Returns NULL and sets errno;
 * EINVAL: there is none. Change it with atomic operations, then call control_changed(). */
struct cinstr_control_block *control_map(const char *path, int writable);
void control_unmap(struct cinstr_control_block *block);
void control_changed(struct cinstr_control_block *block);

/* Adds a mark to the process's file (kind OUTSIDE). Returns 0 or an errno; ENOSPC: no room for
 * marks. */
int control_mark(const char *path, const char *text);
/* Adds a mark with a thread's state (kind STATE); does nothing if there is no room at once. */
void control_mark_state(const char *path, uint32_t tid, const char *text);

#endif
