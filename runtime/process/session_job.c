/* SPDX-License-Identifier: MIT */
/*
 * session_job.c - rank, job and host of a process by its environment (session_job.h). A launcher is
 * believed when its rank is a number. In constructors and in the command; system calls only.
 */
#include "session_job.h"

#include <sys/utsname.h>

#include "session.h"
#include "system/sys.h"
#include "system/text.h"

#define RANK_MAX 0x7fffffffu
/* Slurm's steps that are no srun: a batch script, salloc's shell, ... */
#define SLURM_STEP_SPECIAL 0xfffffff0u

/*
 * The innermost first: a rank of mpirun has the variables of the srun, too, by which mpirun has
 * started its daemons.
 */
static const struct launcher {
	const char *name, *rank, *ranks;
	const char *launch[2]; /* variables that name the start together */
	const char *needs;     /* a number; without it the others mean something else */
} launchers[] = {
	{ "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", { "PMIX_NAMESPACE" }, NULL },
	{ "MPICH", "PMI_RANK", "PMI_SIZE", { NULL }, NULL },
	{ "PMIx", "PMIX_RANK", NULL, { "PMIX_NAMESPACE" }, NULL },
	{ "Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", { "FLUX_JOB_ID" }, NULL },
	/* A batch script has the number of a task, too, but it is no step. */
	{ "Slurm", "SLURM_PROCID", "SLURM_NTASKS", { "SLURM_JOB_ID", "SLURM_STEP_ID" }, "SLURM_STEP_ID" },
	{ "Kubernetes", "JOB_COMPLETION_INDEX", NULL, { NULL }, NULL },
};

static const char *const jobs[] = { "SLURM_JOB_ID", "PBS_JOBID", "FLUX_JOB_ID", "LSB_JOBID" };

/* 1: it is a number up to `most`. */
static int read_number(const char *text, uint32_t most, uint32_t *number)
{
	uint64_t n = 0;
	const char *s = text;

	for (; s && *s >= '0' && *s <= '9' && n <= most; s++)
		n = n * 10 + (uint64_t)(*s - '0');
	*number = (uint32_t)n;
	return s && s != text && !*s && n <= most;
}

static void copy(char *to, const char *from)
{
	size_t n = text_cut(from, JOB_NAME_MAX - 1);

	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
	to[n] = '\0';
}

/* FNV-1a, the strings with their ends. */
static uint64_t mix(uint64_t hash, const char *string)
{
	hash = hash ? hash : 14695981039346656037ull;
	do
		hash = (hash ^ (unsigned char)*string) * 1099511628211ull;
	while (*string++);
	return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
	struct text digits = { .used = 0 };

	text_add_number(&digits, (int64_t)number);
	return mix(hash, digits.data);
}

/* Where no variable names the start: by the process that has started the ranks of this host. */
static uint64_t launch_of_process(const struct launcher *launcher, const char *rank, uint64_t pid)
{
	struct utsname names = { .sysname = "" };
	uint64_t start, by = session_find_launcher(pid, launcher->rank, rank, &start);

	SYS1(SYS_uname, &names);
	return by > 1 ? mix_number(mix_number(mix(mix(0, launcher->name), names.nodename), by), start) : 0;
}

static uint64_t launch_of(const struct launcher *launcher, job_lookup *lookup, const void *data, uint64_t pid)
{
	const char *again = lookup(data, "SLURM_RESTART_COUNT"); /* the same job once more */
	uint64_t hash = mix(0, launcher->name);
	int n = 0;

	for (; n < 2 && launcher->launch[n]; n++) {
		const char *value = lookup(data, launcher->launch[n]);

		if (!value || !*value)
			break;
		hash = mix(hash, value);
	}
	if (n == 0 || (n == 1 && launcher->launch[1]))
		return launch_of_process(launcher, lookup(data, launcher->rank), pid);
	return again ? mix(hash, again) : hash;
}

static int is_of(const struct launcher *launcher, job_lookup *lookup, const void *data, uint32_t *rank)
{
	uint32_t number;

	return read_number(lookup(data, launcher->rank), RANK_MAX, rank) &&
	       (!launcher->needs ||
		read_number(lookup(data, launcher->needs), SLURM_STEP_SPECIAL - 1, &number));
}

static void find_rank(struct session_job *job, job_lookup *lookup, const void *data, uint64_t pid)
{
	for (unsigned i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		const struct launcher *launcher = &launchers[i];

		if (!is_of(launcher, lookup, data, &job->rank))
			continue;
		job->launcher = launcher->name;
		if (launcher->ranks && !read_number(lookup(data, launcher->ranks), RANK_MAX, &job->ranks))
			job->ranks = 0;
		/* pods have nothing in common, not even a name of their job */
		if (!string_equal(launcher->name, "Kubernetes"))
			job->launch = launch_of(launcher, lookup, data, pid);
		return;
	}
	job->rank = 0;
}

static void find_job(struct session_job *job, job_lookup *lookup, const void *data)
{
	struct text text = { .used = 0 };
	const char *value = NULL;

	for (unsigned i = 0; i < sizeof(jobs) / sizeof(*jobs) && (!value || !*value); i++)
		value = lookup(data, jobs[i]);
	if ((!value || !*value) && job->launcher)
		value = lookup(data, "PMIX_NAMESPACE");
	if ((!value || !*value) && job->launch) {
		text_add_hex(&text, (uint32_t)(job->launch ^ job->launch >> 32));
		value = text.data;
	}
	if (value)
		copy(job->job, value);
}

/* A pod's name is its host's, unless it has the node's network; then it may be told by POD_NAME. */
static void find_host(struct session_job *job, job_lookup *lookup, const void *data)
{
	struct utsname names = { .sysname = "" };
	const char *pod = lookup(data, "POD_NAME");

	if ((!pod || !*pod) && lookup(data, "KUBERNETES_SERVICE_HOST"))
		pod = lookup(data, "HOSTNAME");
	SYS1(SYS_uname, &names);
	copy(job->pod, pod ? pod : "");
	copy(job->host, job->pod[0] ? job->pod : names.nodename);
}

void job_find(struct session_job *job, job_lookup *lookup, const void *data, uint64_t pid)
{
	*job = (struct session_job){ .launcher = NULL };
	find_rank(job, lookup, data, pid);
	find_job(job, lookup, data);
	find_host(job, lookup, data);
}

struct environment {
	char *(*variable)(const char *name);
};

static const char *own_variable(const void *data, const char *variable)
{
	return ((const struct environment *)data)->variable(variable);
}

void job_find_own(struct session_job *job, char *(*variable)(const char *name))
{
	struct environment own = { variable };

	job_find(job, own_variable, &own, (uint64_t)SYS0(SYS_getpid));
}

static void put_number(void (*put)(void *data, const char *key, const char *value), void *data,
		       const char *key, uint32_t number)
{
	struct text digits = { .used = 0 };

	text_add_number(&digits, number);
	put(data, key, digits.data);
}

void job_each_property(const struct session_job *job,
		       void (*put)(void *data, const char *key, const char *value), void *data)
{
	if (job->launcher) {
		put(data, "launcher", job->launcher);
		put_number(put, data, "rank", job->rank);
	}
	if (job->launcher && job->ranks)
		put_number(put, data, "ranks", job->ranks);
	if (job->job[0])
		put(data, "job", job->job);
	if (job->pod[0])
		put(data, "pod", job->pod);
}
