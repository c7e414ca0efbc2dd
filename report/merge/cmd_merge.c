/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_merge.c - cinstr merge: joins sessions and merged files in one data file, which gets its name
 * when it is complete.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/options.h"
#include "lib/util.h"
#include "lib/workers.h"
#include "merging.h"

#define OPERANDS_MAX 1000000
/* Fewer files for each are merged sooner by one alone. */
#define FILES_EACH 4
#define WORKERS_MAX 64
#define NOT_THE_SAME 1

struct merge_options {
	const char *output;
	int verbose;
};

/* ---- several at once ------------------------------------------------------------------------- */

/* A process that merges a part of the inputs, into its file in memory. */
struct worker {
	pid_t pid;
	int fd;
};

/* What it tells at the end, in memory that is shared. */
struct told {
	uint64_t n_added, found;
	int status;
};

static void work(const struct worker *worker, struct told *told, uint32_t share, uint32_t n, int argc,
		 char **argv)
{
	struct merging m;
	FILE *out = fdopen(worker->fd, "w");
	int failed;

	merging_init(&m, share, n);
	merging_divide(&m, argc, argv);
	for (int i = 0; i < argc; i++)
		merging_add(&m, argv[i]);
	failed = !out || (m.u.n_contributors && union_write(&m.u, out)) || fflush(out);
	told->n_added = m.u.n_added;
	told->found = m.found;
	told->status = m.status;
	_exit(failed);
}

/* Takes what a worker has merged. 0, or -1 after an error message. */
static int take(struct merging *m, const struct worker *worker, const struct told *told)
{
	int status, failed;

	if (waitpid(worker->pid, &status, 0) != worker->pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
		error("merge: a process that merged a part was ended, or had no memory");
		return -1;
	}
	failed = merging_add_memory(m, worker->fd);
	m->u.n_added += told->n_added;
	m->status = told->status ? told->status : m->status;
	return failed;
}

/*
 * Returns 0, -1 after an error message, or NOT_THE_SAME: those who divide the files have not found
 * the same ones, as somebody is recording into the session, and one has to merge alone.
 */
static int merge_at_once(struct merging *m, uint32_t n, int argc, char **argv)
{
	struct told *told =
		mmap(NULL, n * sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct worker workers[WORKERS_MAX];
	uint32_t n_begun = 1;
	int failed = told == MAP_FAILED, are_same = 1;

	for (; !failed && n_begun < n; n_begun++) {
		struct worker *worker = &workers[n_begun];

		worker->fd = memfd_create("cinstr-merge", MFD_CLOEXEC);
		worker->pid = worker->fd < 0 ? -1 : fork();
		if (!worker->pid)
			work(worker, &told[n_begun], n_begun, n, argc, argv);
		if (worker->pid < 0) {
			error("merge: no memory for a process that merges a part");
			failed = 1;
			break;
		}
	}
	merging_divide(m, argc, argv);
	for (int i = 0; !failed && i < argc; i++)
		merging_add(m, argv[i]);
	for (uint32_t i = 1; i < n_begun; i++) {
		failed |= take(m, &workers[i], &told[i]) != 0;
		are_same &= told[i].found == m->found;
		close(workers[i].fd);
	}
	if (told != MAP_FAILED)
		munmap(told, n * sizeof(*told));
	return failed ? -1 : are_same ? 0 : NOT_THE_SAME;
}

static uint32_t workers_for(int argc, char **argv)
{
	size_t n = workers_threads() > WORKERS_MAX ? WORKERS_MAX : workers_threads();
	size_t most = merging_count(argc, argv, n * FILES_EACH) / FILES_EACH;

	return n > most ? (most ? (uint32_t)most : 1) : (uint32_t)n;
}

static void merge_distinct(struct merging *m, enum merging_pass first, int argc, char **argv)
{
	merging_release(m);
	merging_init(m, 0, 1);
	merging_add_distinct(m, argc, argv, first);
}

/* 0, or -1 after an error message. */
static int merge_all(struct merging *m, int argc, char **argv)
{
	uint32_t n = workers_for(argc, argv);
	int failed;

	merging_init(m, 0, n);
	m->is_distinct = merging_is_read_once(argc, argv);
	failed = merge_at_once(m, n, argc, argv);
	if (failed == NOT_THE_SAME) {
		merging_release(m);
		merging_init(m, 0, 1);
		failed = merge_at_once(m, 1, argc, argv);
	}
	if (failed || m->is_distinct || !merging_has_twice(m))
		return failed;
	merge_distinct(m, MERGING_PROCESSES, argc, argv);
	if (m->n_partial) /* processes that are in a merged file only */
		merge_distinct(m, MERGING_MERGED, argc, argv);
	return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(const struct command *command, int argc, char **argv)
{
	struct merge_options options = { 0 };
	struct merging m;
	uint64_t begin_ns = util_raw_ns();
	int n_operands, status;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (!merging_is_asked(options.output, n_operands, "cinstr merge -o all a b"))
		return STATUS_USAGE;
	status = merge_all(&m, n_operands, argv + 1)
			 ? STATUS_DATA
			 : merging_finish(&m, options.output, options.verbose ? begin_ns : 0);
	merging_release(&m);
	return status;
}

static const struct option merge_options[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct merge_options, output),
	  "the merged session, one file; -: stdout", NULL },
	{ "verbose", 'v', OPTION_FLAG, NULL, offsetof(struct merge_options, verbose),
	  "also say how long it took", NULL },
};

const struct command command_merge = {
	.name = "merge",
	.operands = "-o FILE SESSION...",
	.summary = "Makes one session of many, whose processes are added up.",
	.options = merge_options,
	.n_options = ARRAY_SIZE(merge_options),
	.max_operands = OPERANDS_MAX,
	.notes = "A SESSION is a folder, a data file, or what was merged before; -: one file through\n"
		 "stdin; @LIST: those that the file LIST names, one a line. Two paths are one if\n"
		 "their modules (by build-id, or by path and content), functions and call sites are the\n"
		 "same. The result is the same, to the byte, in whatever order and groups sessions are\n"
		 "merged. All commands read it as any other session. Files that are damaged or sampled\n"
		 "are named and left out; then the exit status is 1. A process that is in several inputs,\n"
		 "as in the merged file of the last time, is added once: the others are named.\n"
		 "\n"
		 "The ranks of a job of MPI divide this work among themselves by another program, which\n"
		 "is there if cinstr was built where mpicc is: mpirun -np 16 cinstr-mpi merge -o FILE\n"
		 "SESSION... The file is the same. cinstr-mpi --help tells its options.\n",
	.examples = "  cinstr merge -o all.cinstr rank*.data\n"
		    "  cinstr report all.cinstr\n"
		    "  mpirun -np 16 cinstr-mpi merge -o all.cinstr app.data\n"
		    "  ssh host cinstr merge -o - app.data | cinstr merge -o all.cinstr - here.data\n",
	.run = run,
};
