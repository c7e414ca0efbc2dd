/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_merge.c - cinstr merge: sessions, or what was merged before, as one data file. It gets its
 * name when it is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/options.h"
#include "lib/util.h"
#include "session/session.h"
#include "union.h"

#define STREAM "-"
#define OPERANDS_MAX 1000000

struct merge_options {
	const char *output;
	int verbose;
};

struct merging {
	struct union_tree u;
	size_t n_files, n_skipped;
	int status;
};

/* ---- inputs ---------------------------------------------------------------------------------- */

static void skip(struct merging *m, const char *path, const char *why)
{
	char *shown = util_visible(path);

	error("%s: skipped: %s", shown, why);
	free(shown);
	m->n_skipped++;
	m->status = STATUS_DATA;
}

/* A sum of which nobody knows what it is of is worth nothing: what is damaged is left out whole. */
static void visit(void *arg, struct data *data)
{
	struct merging *m = arg;
	const char *why = NULL;

	m->n_files++;
	if (data->n_problems)
		why = "it is damaged";
	else if (!data->merged && !data->n_threads && !data->sampled)
		why = "nothing was recorded in it";
	else
		why = union_add_data(&m->u, data);
	if (why)
		skip(m, data->path, why);
}

static void add_session(struct merging *m, const char *path)
{
	struct input input;

	if (input_open(&input, path)) {
		m->n_skipped++;
		m->status = STATUS_DATA;
	} else {
		if (input_each(&input, visit, m))
			m->status = STATUS_DATA;
		if (!input.n_usable && !m->status)
			skip(m, path, "it holds no data");
	}
	input_release(&input);
}

/* What comes through a pipe is one file, kept in memory. */
static void add_stream(struct merging *m)
{
	int fd = memfd_create("cinstr-merge", MFD_CLOEXEC);
	char path[32], buffer[1 << 16];
	ssize_t n = fd < 0 ? -1 : 0;

	while (fd >= 0 && (n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		if (write(fd, buffer, (size_t)n) != n) {
			n = -1;
			break;
		}
	if (n < 0) {
		skip(m, "stdin", strerror(errno));
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		add_session(m, path);
	}
	if (fd >= 0)
		close(fd);
}

static void add_list(struct merging *m, const char *path);

static void add_input(struct merging *m, const char *path)
{
	if (!strcmp(path, STREAM))
		add_stream(m);
	else if (*path == '@')
		add_list(m, path + 1);
	else
		add_session(m, path);
}

/* One path a line. */
static void add_list(struct merging *m, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (!file) {
		skip(m, path, strerror(errno));
		return;
	}
	while ((n = getline(&line, &size, file)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '@')
			skip(m, line, "a list in a list");
		else if (*line)
			add_input(m, line);
	}
	free(line);
	fclose(file);
}

/* ---- output ---------------------------------------------------------------------------------- */

/* A file without a name, where that can be had: whoever is killed leaves nothing. */
static int open_beside(const char *name, const char *temporary, int *is_named)
{
	const char *base = util_basename(name);
	char *folder = strndup(name, (size_t)(base - name));
	int fd = open(*folder ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	free(folder);
	*is_named = fd < 0;
	return fd >= 0 ? fd : open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int give_name(int fd, const char *name, const char *temporary, int is_named)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!is_named && linkat(AT_FDCWD, path, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW))
		return -1;
	if (!rename(temporary, name))
		return 0;
	unlink(temporary);
	return -1;
}

static int write_file(struct union_tree *u, const char *name)
{
	struct strbuf temporary = { 0 };
	FILE *out;
	int is_named, fd, failed, why;

	strbuf_printf(&temporary, "%s.merging.%ld", name, (long)getpid());
	fd = open_beside(name, temporary.text, &is_named);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	failed = !out || union_write(u, out) || fflush(out);
	why = errno;
	if (!failed && give_name(fd, name, temporary.text, is_named)) {
		failed = 1;
		why = errno;
	} else if (failed && is_named && fd >= 0) {
		unlink(temporary.text);
	}
	if (out)
		fclose(out);
	strbuf_release(&temporary);
	errno = why;
	return failed;
}

/* Into a device, a pipe, or what a link names. */
static int write_into(struct union_tree *u, const char *name)
{
	FILE *out = fopen(name, "we");
	int failed = !out || union_write(u, out), why = errno;

	if (out && fclose(out) && !failed) {
		failed = 1;
		why = errno;
	}
	errno = why;
	return failed;
}

static int write_output(struct union_tree *u, const char *name)
{
	int failed = !strcmp(name, STREAM)	 ? union_write(u, stdout) || fflush(stdout)
		     : util_is_replaceable(name) ? write_file(u, name)
						 : write_into(u, name);

	if (!failed)
		return STATUS_OK;
	if (strcmp(name, STREAM) || errno != EPIPE) {
		char *shown = util_visible(name);

		error("%s: cannot be written: %s", shown, strerror(errno));
		free(shown);
	}
	return STATUS_DATA;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void say(const struct merging *m, const struct merge_options *options, double seconds)
{
	struct strbuf line = { 0 };

	strbuf_thousands(&line, m->u.n_contributors);
	strbuf_printf(&line, " process%s, ", m->u.n_contributors == 1 ? "" : "es");
	strbuf_thousands(&line, m->u.n_nodes - 1);
	strbuf_printf(&line, " call path%s", m->u.n_nodes == 2 ? "" : "s");
	if (options->verbose && seconds > 0) {
		strbuf_puts(&line, ", ");
		strbuf_thousands(&line, (uint64_t)((double)m->u.n_added / seconds));
		strbuf_printf(&line, " nodes added a second for %.2f s", seconds);
	}
	fprintf(stderr, "cinstr: merged %s\n", line.text);
	strbuf_release(&line);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct merge_options options = { 0 };
	struct merging m = { .status = STATUS_OK };
	double begin = now();
	int n_operands, status;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (!options.output || !n_operands) {
		error("merge: %s", !options.output ? "where to? -o FILE, or -o - for stdout"
						   : "which sessions? For example: cinstr merge -o all a b");
		return STATUS_USAGE;
	}
	union_init(&m.u);
	for (int i = 1; i <= n_operands; i++)
		add_input(&m, argv[i]);
	if (!m.u.n_contributors) {
		error("merge: nothing is left to be merged");
		m.status = STATUS_DATA;
	} else {
		status = write_output(&m.u, options.output);
		if (!status)
			say(&m, &options, now() - begin);
		m.status = status ? status : m.status;
	}
	union_release(&m.u);
	return m.status;
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
		 "are named and left out; then the exit status is 1.\n",
	.examples = "  cinstr merge -o all.cinstr rank*.data\n"
		    "  cinstr report all.cinstr\n"
		    "  ssh host cinstr merge -o - app.data | cinstr merge -o all.cinstr - here.data\n",
	.run = run,
};
