/* SPDX-License-Identifier: MIT */
/*
 * session_job.h - finds the rank of a process in a parallel job, its job and host, from variables
 * set by launchers (doc/recording.md, "Ranks of a job"), and makes names of sessions from them.
 * Used by the runtime in constructors, and by the command. System calls only.
 */
#ifndef CINSTR_SESSION_JOB_H
#define CINSTR_SESSION_JOB_H

#include <stdint.h>

struct text;

#define JOB_NAME_MAX 96 /* bytes with NUL; longer names are cut off */

struct session_job {
	const char *launcher; /* "Open MPI" and so on; NULL: no rank is known */
	uint32_t rank, ranks; /* ranks: their number; 0: not known */
	/* A number shared by exactly those ranks that were started together; 0: not known. */
	uint64_t launch;
	char job[JOB_NAME_MAX];	 /* of the batch system, or of the launcher; "": none */
	char pod[JOB_NAME_MAX];	 /* of Kubernetes; "": none */
	char host[JOB_NAME_MAX]; /* the pod, or the host's name */
};

/* Returns the value of a variable, or NULL. */
typedef const char *job_lookup(const void *data, const char *variable);

/* Fills in `job` for the process `pid` with this environment. */
void job_find(struct session_job *job, job_lookup *lookup, const void *data, uint64_t pid);
/* Does the same for this process. variable: as secure_getenv(). */
void job_find_own(struct session_job *job, char *(*variable)(const char *name));

/* Calls `put` for each part of `job` that a data file keeps as a property. */
void job_each_property(const struct session_job *job,
		       void (*put)(void *data, const char *key, const char *value), void *data);

/*
 * Expands %h (host), %j (job), %r (rank), %p (process) and %% in a name. Returns 0; the letter
 * after a '%' if it is unknown ('%' at the end of the name); or -ENAMETOOLONG.
 */
int session_name_expand(const char *name, const struct session_job *job, struct text *expanded);

/* Makes the missing parent folders of the session. Returns 0 or -errno. */
int session_make_parents(const char *wanted);

/*
 * Does as session_create for a process that may be one of several ranks: the first one makes the
 * session, the others join it, even when some have ended already. Returns SESSION_JOINED if it
 * joined one.
 */
enum { SESSION_JOINED = 3 };
int session_create_ranks(const char *wanted, const struct session_job *job, char *path);

#endif
