/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.h - the target of `cinstr control`: one process, or a session with all of its
 * processes. */
#ifndef REPORT_TARGET_H
#define REPORT_TARGET_H

#include "lib/util.h"
#include "session/processes.h"
#include "session/session.h"

struct process {
	const char *path; /* data file; owned by the target's input */
	struct cinstr_header header;
	uint32_t pid;	    /* number in this namespace; 0: no longer recording */
	uint32_t shown_pid; /* number shown: pid, or the number in its file */
	/* The own file of a sampled process, whose control block is used; NULL: none. */
	const char *companion;
	char name[32]; /* name given by the program, or of the data file without the number */
};

struct target {
	int is_session;
	char *folder;
	char *session_file;
	struct session input;
	struct process *processes; /* of a session also those that have ended */
	size_t n, n_live;
};

/* Opens a target. `operand`: number of a process or folder of a session; NULL: the session of the
 * working folder. Returns STATUS_OK, or another status after an error message. */
int target_open(struct target *target, const char *operand);
void target_release(struct target *target);

/* Whether the word may be an operand. */
int target_is(const char *word);

/* Whether the session has ended: no process records into it, and none can begin to. */
int target_has_ended(const struct target *target);
/* Reports that no process records into the target, and which processes record elsewhere. Returns
 * STATUS_DATA. */
int target_say_nobody(const struct target *target);

/* status.c: prints the state of each process; format NULL: as a table. Returns an exit status. */
struct items_format;
int status_show(struct target *target, const struct items_format *format);

/* Sets `buf` to "process 123 (app)" and returns its text. */
const char *process_name(const struct process *process, struct strbuf *buf);

/* Returns the path of the file with the process's control block. */
const char *process_control_path(const struct process *process);

/* Maps the control block of the process, or of the session if `process` is NULL, for writing.
 * Returns NULL after an error message. */
struct cinstr_control_block *target_block(const struct target *target, const struct process *process);

#endif
