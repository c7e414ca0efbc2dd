/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worker.h - processes that answer calls, so that a session that cannot be read or takes too long
 * does not end the server.
 *
 * A worker serves one session, or those that are compared. At its start it reads what takes
 * longest: names of the program's code, and when idle its lines. Each call is answered by a fork of
 * the worker, which shares these, reads the session as it is then, prints to a file in memory, and
 * ends. Each call thus starts from the same state. One call at a time; from the server's only
 * thread.
 */
#ifndef REPORT_MCP_WORKER_H
#define REPORT_MCP_WORKER_H

#include <stddef.h>

#include "cmd.h"
#include "folders.h"

/* A verb to be run, as from the command line. */
struct job {
	const struct command *command;
	char **argv; /* [argc]; argv[0] is the verb's name */
	int argc;
	char **sessions; /* [n_sessions]: sessions that the worker serves */
	size_t n_sessions;
};

struct worker;

/* Starts a worker for the job's sessions. Returns NULL after an error message. */
struct worker *worker_begin(const struct folders *folders, const struct job *job);
/* Whether the worker serves these sessions. */
int worker_is_for(const struct worker *worker, const struct job *job);
/* Ends the worker and its current call; NULL: does nothing. */
void worker_end(struct worker *worker);

/* Starts a call. Returns 0, or -1 if the worker has ended. */
int worker_ask(struct worker *worker, const struct job *job);
/* Whether this is its first call: it has done nothing before. */
int worker_is_new(const struct worker *worker);
/* Returns a descriptor that becomes readable when the call has ended. */
int worker_fd(const struct worker *worker);
/* Returns the status of a finished call as from waitpid(), or -1 if the worker itself has ended. */
int worker_status(struct worker *worker);
/* Return the call's output to stdout and to stderr, which the caller frees; NULL: more than `most`
 * bytes. */
char *worker_output(const struct worker *worker, size_t most, size_t *n);
char *worker_messages(const struct worker *worker, size_t most);

#endif
