/* SPDX-License-Identifier: MIT */
/*
 * session_job.h - whose process this is: the rank in a parallel job, the job, the host, from the
 * environment that launchers give (doc/recording.md, "Ranks of a job"); and the names of sessions
 * that are made of them. Used by the runtime in constructors, and by the command. System calls
 * only.
 */
#ifndef CINSTR_SESSION_JOB_H
#define CINSTR_SESSION_JOB_H

#include <stdint.h>

struct text;

#define JOB_NAME_MAX 96 /* with its NUL; longer ones are cut off */

struct session_job {
	const char *launcher; /* "Open MPI"; NULL: no rank is known */
	uint32_t rank, ranks; /* ranks 0: their number is not known */
	/* The same in all ranks that were started together, and in nobody else's; 0: not known. */
	uint64_t launch;
	char job[JOB_NAME_MAX];	 /* of the batch system, or of the launcher; "": none */
	char pod[JOB_NAME_MAX];	 /* of Kubernetes; "": none */
	char host[JOB_NAME_MAX]; /* the pod, or the host's name */
};

/* The value of a variable; NULL: there is none. */
typedef const char *job_lookup(const void *data, const char *variable);

/* Of the process `pid` that has this environment. */
void job_find(struct session_job *job, job_lookup *lookup, const void *data, uint64_t pid);
/* Of this process. variable: as secure_getenv(). */
void job_find_own(struct session_job *job, char *(*variable)(const char *name));

/* What of it a data file keeps among its properties. */
void job_each_property(const struct session_job *job,
		       void (*put)(void *data, const char *key, const char *value), void *data);

/*
 * A name with %h (host), %j (job), %r (rank), %p (process) and %% in it. 0, or the letter behind a
 * '%' that means nothing ('%' itself at the end of the name); -ENAMETOOLONG.
 */
int session_name_expand(const char *name, const struct session_job *job, struct text *expanded);

/* Makes the folders that the session is to stand in, as far as there are none. 0 or -errno. */
int session_make_parents(const char *wanted);

/*
 * As session_create, for a process that may be one of several ranks: the first makes the session,
 * and the others join it, also when some have ended already. SESSION_JOINED: it has joined one.
 */
enum { SESSION_JOINED = 3 };
int session_create_ranks(const char *wanted, const struct session_job *job, char *path);

#endif
