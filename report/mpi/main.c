/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - the program cinstr-mpi: cinstr merge by the ranks of a job. Each merges its share of the
 * files with the code of report/merge; rank 0 gets everything and is the only one that writes. The
 * file equals that of cinstr merge to the byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/options.h"
#include "lib/util.h"
#include "merge/merging.h"
#include "messages.h"
#include "runtime/process/session_job.h"
#include "tree.h"

#define OPERANDS_MAX 1000000

static struct session_job own; /* by the environment */

struct mpi_options {
	const char *output;
	int verbose;
	int local;
	uint64_t message_kb;
};

/* When what was done, by util_raw_ns() of this process. */
struct times {
	uint64_t begin, shared, collected, written;
};

static double seconds(uint64_t from, uint64_t to)
{
	return (double)(to - from) / 1e9;
}

static void say_figures(uint32_t n, const struct times *t, const struct tree_figures *figures)
{
	STRBUF(line);

	strbuf_printf(&line, "%u rank%s: %.2f s for rank 0's share", n, n == 1 ? "" : "s",
		      seconds(t->begin, t->shared));
	if (n > 1) {
		strbuf_printf(&line, ", %.2f s for %u steps of ", seconds(t->shared, t->collected),
			      figures->n_steps);
		strbuf_thousands(&line, figures->n_messages);
		strbuf_puts(&line, " unions of ");
		strbuf_size(&line, figures->bytes);
		strbuf_puts(&line, ", the largest ");
		strbuf_size(&line, figures->most_bytes);
	}
	strbuf_printf(&line, ", %.2f s to write", seconds(t->collected, t->written));
	fprintf(stderr, "cinstr: %s\n", line.text);
}

/* Whether all have divided the same files. Rank 0, or the first of a host, says if not. */
static int is_same(const struct merging *m, const struct mpi_options *options)
{
	if (messages_are_equal(m->found, options->local))
		return 1;
	if (!m->share)
		error("merge: ranks have found different files: a folder is not the same on all hosts "
		      "(--local), or is still being recorded into");
	return 0;
}

/* The threads that open files ahead, as many as there are processors for each rank of the host. */
static void threads_set(uint32_t ranks_here)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN) / (long)ranks_here;
	char digits[24];

	snprintf(digits, sizeof(digits), "%ld", n > 1 ? n : 1);
	setenv("CINSTR_REPORT_THREADS", digits, 0);
}

/* Files of one name are others on each host: messages say whose. */
static void host_say(const struct messages_place *host, const struct messages_place *job)
{
	if (host->n < job->n)
		messages_are_of(own.host);
}

static int merge(const struct mpi_options *options, int n_inputs, char **inputs)
{
	struct messages_place job = messages_of_job(), host = messages_of_host();
	struct messages_place place = options->local ? host : job;
	struct times t = { .begin = util_raw_ns() };
	struct tree_figures figures;
	struct merging m;
	int status = STATUS_DATA;

	threads_set(host.n);
	if (options->local)
		host_say(&host, &job);
	merging_init(&m, place.rank, place.n);
	merging_divide(&m, n_inputs, inputs);
	for (int i = 0; i < n_inputs; i++)
		merging_add(&m, inputs[i]);
	t.shared = util_raw_ns();
	if (is_same(&m, options)) {
		figures = tree_collect(&m, job.rank, job.n);
		t.collected = util_raw_ns();
		if (!job.rank && merging_has_twice(&m)) {
			error("merge: some process is in several inputs; cinstr merge leaves out what is "
			      "there twice");
			m.u.n_contributors = 0;
		}
		status = job.rank ? STATUS_OK
				  : merging_finish(&m, options->output, options->verbose ? t.begin : 0);
		t.written = util_raw_ns();
		if (!job.rank && options->verbose)
			say_figures(job.n, &t, &figures);
	}
	messages_meet();
	merging_release(&m);
	return job.rank ? STATUS_OK : status;
}

/* The launcher of another MPI than that of the program starts ranks that do not know one another:
 * each would do all the work. */
static int is_alone(void)
{
	return own.launcher && own.ranks > 1 && messages_of_job().n == 1;
}

static int refuse(void)
{
	messages_silence(own.rank != 0);
	error("merge: %s has started %u ranks that do not know one another: %s", own.launcher, own.ranks,
	      strcmp(own.launcher, "Slurm")
		      ? "this cinstr-mpi was built for another MPI, with another mpicc than that launcher's"
		      : "srun needs another --mpi (pmix, pmi2), or cinstr-mpi was built for another MPI");
	return own.rank ? STATUS_OK : STATUS_DATA;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct mpi_options options = { .message_kb = 16384 };
	int n_operands, status;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (!merging_is_asked(options.output, n_operands, "cinstr-mpi merge -o all out"))
		return STATUS_USAGE;
	messages_silence(0);
	messages_begin();
	messages_set_size(options.message_kb ? options.message_kb << 10 : 1024);
	status = is_alone() ? refuse() : merge(&options, n_operands, argv + 1);
	messages_end();
	return status;
}

static const struct option mpi_options[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct mpi_options, output),
	  "the merged session, one file, which rank 0 writes; -: its stdout", NULL },
	{ "local", 0, OPTION_FLAG, NULL, offsetof(struct mpi_options, local),
	  "each host has files of its own by these names, and its ranks divide them", NULL },
	{ "message-kb", 0, OPTION_NUMBER, "N", offsetof(struct mpi_options, message_kb),
	  "messages have at most so many KB", "16384" },
	{ "verbose", 'v', OPTION_FLAG, NULL, offsetof(struct mpi_options, verbose),
	  "also say how long it took, and how much was sent", NULL },
};

static const struct command command_merge = {
	.name = "merge",
	.program = "cinstr-mpi",
	.operands = "-o FILE SESSION...",
	.summary = "Makes one session of many, as cinstr merge does, by the ranks of a job of MPI.",
	OPTIONS_OF(mpi_options),
	.max_operands = OPERANDS_MAX,
	.notes = "SESSIONs are those of cinstr merge: folders, data files, merged ones, @LIST; -: one\n"
		 "file through rank 0's stdin. The ranks divide the files, which all of them must be able\n"
		 "to read, and bring together what they have merged in a tree of messages. The result is,\n"
		 "to the byte, that of cinstr merge. If a rank dies the job ends, and nothing is written.\n"
		 "Files that are damaged are named and left out; then the exit status is 1.\n",
	.examples = "  mpirun -np 16 cinstr-mpi merge -o all.cinstr app.data\n"
		    "  srun cinstr-mpi merge --local -o all.cinstr /local/app.data\n"
		    "  cinstr report --by=rank all.cinstr\n",
	.run = run,
};

static int is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

static int run_verb(int argc, char **argv, int is_one)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "--version")) {
		printf("%s", is_one ? "cinstr-mpi " CINSTR_VERSION "\n" : "");
		return STATUS_OK;
	}
	if (strcmp(verb, command_merge.name) || (argc > 2 && is_help(argv[2]))) {
		int is_asked = is_help(verb) || !strcmp(verb, command_merge.name);

		if (is_one)
			options_help(&command_merge, is_asked ? stdout : stderr);
		return is_asked ? STATUS_OK : STATUS_USAGE;
	}
	return run(&command_merge, argc - 1, argv + 1);
}

/* What is asked, or wrong, is so in all ranks of a job, and told by one: who it is, is known from
 * the environment before MPI begins. The others end without an error: launchers kill the whole job
 * at the first, and that one might not have told it yet. */
int main(int argc, char **argv)
{
	int is_one, status;

	job_find_own(&own, secure_getenv);
	is_one = !own.launcher || !own.rank;
	messages_silence(!is_one);
	status = run_verb(argc, argv, is_one);
	return status == STATUS_USAGE && !is_one ? STATUS_OK : status;
}
