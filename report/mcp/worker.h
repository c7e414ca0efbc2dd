/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worker.h - the processes that answer calls, so that a session that cannot be read, or one that
 * takes too long, never ends the server.
 *
 * A worker is for one session, or for those that are compared. When it begins it reads them once,
 * for what takes longest: names of the program's code; and its lines, when nobody asks. Each call
 * is answered by a fork of it, which shares these, reads the session as it is at that moment,
 * prints into a file in memory, and ends. So a call finds everything as the first one did. One call
 * at a time; from the server's only thread.
 */
#ifndef REPORT_MCP_WORKER_H
#define REPORT_MCP_WORKER_H

#include <stddef.h>
#include <sys/types.h>

#include "cmd.h"
#include "folders.h"

/* What is to be run: a verb, as from the command line. */
struct job {
	const struct command *command;
	char **argv; /* [argc]; argv[0] is the verb's name */
	int argc;
	char **sessions; /* [n]: what the worker is for */
	size_t n_sessions;
};

struct worker;

/* Begins a worker for the job's sessions; NULL after an error message. */
struct worker *worker_begin(const struct folders *folders, const struct job *job);
/* Whether it is one for these sessions, and still there. */
int worker_is_for(const struct worker *worker, const struct job *job);
/* Ends it, and the call that it is at. */
void worker_end(struct worker *worker);

/* Gives it a call. 0, or -1: it is not there any more. */
int worker_ask(struct worker *worker, const struct job *job);
/* Whether this is its first call: then it has done nothing else before. */
int worker_is_new(const struct worker *worker);
/* A descriptor that can be read once the call has ended. */
int worker_fd(const struct worker *worker);
/* Reads how the call has ended: a status as of waitpid(), or -1: the worker itself has. */
int worker_status(struct worker *worker);
/* What the call printed to stdout, and to stderr: at most `most` bytes. The caller frees it; NULL:
 * it is more. */
char *worker_output(const struct worker *worker, size_t most, size_t *n);
char *worker_messages(const struct worker *worker, size_t most);

#endif
