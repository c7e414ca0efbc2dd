/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.h - what `cinstr control` acts on: one process, or a session with all of its processes. */
#ifndef REPORT_TARGET_H
#define REPORT_TARGET_H

#include "lib/util.h"
#include "session/processes.h"
#include "session/session.h"

struct process {
	const char *path; /* data file; in the target's input */
	struct cinstr_header header;
	uint32_t pid;	    /* as numbered here, 0: it does not record any more */
	uint32_t shown_pid; /* as it is called: that, or what its file says */
	/* of a sampled process: the file of its own, whose control block counts; NULL: none */
	const char *companion;
	char name[32]; /* given by the program, or of the data file, up to the number */
};

struct target {
	int is_session;
	char *folder;
	char *session_file;
	struct input input;
	struct process *processes; /* of a session: those that have ended, too */
	size_t n, n_live;
};

/*
 * `operand`: a process's number or a session's folder; NULL: the session of this folder. Returns
 * STATUS_OK, or another status after an error message.
 */
int target_open(struct target *target, const char *operand);
void target_release(struct target *target);

/* Could this word be meant as an operand? */
int target_is(const char *word);

/* Returns whether no process records into the session, and none can begin to: it has ended. */
int target_has_ended(const struct target *target);
/* Says that no process records into the target, and who records elsewhere. Returns STATUS_DATA. */
int target_say_nobody(const struct target *target);

/* status.c: what is known of each process; items NULL: a table. Returns a status. */
struct sheet_format;
int status_show(struct target *target, const struct sheet_format *items);

/* "process 123 (app)" */
const char *process_name(const struct process *process, struct strbuf *buf);

/* Where the process's control block is. */
const char *process_control_path(const struct process *process);

/* The process's, or the session's, control block, to be written to; NULL after an error message. */
struct cinstr_control_block *target_block(const struct target *target, const struct process *process);

#endif
