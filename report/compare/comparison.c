/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparison.c - see comparison.h: each diff is made by a process of its own, and read as JSON. */
#include "comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/files.h"

#define DEPTH_MOST 16
#define OPTIONS_MOST 8

/* Prints a diff there; returns its exit status. */
static int run_diff(const struct comparison *c, const char *const *options, int out_fd, int is_silent)
{
	char **argv = xcalloc(OPTIONS_MOST + 2 * c->n_runs + 2, sizeof(*argv));
	int argc = 0, status = -1;
	pid_t child;

	argv[argc++] = xstrdup("diff");
	while (*options)
		argv[argc++] = xstrdup(*options++);
	for (size_t i = 0; i < 2 * c->n_runs; i++) {
		if (i == c->n_runs)
			argv[argc++] = xstrdup("--");
		argv[argc++] = xstrdup(c->sessions[i / c->n_runs][i % c->n_runs]);
	}
	fflush(NULL);
	child = fork();
	if (!child) {
		int nowhere = files_open("/dev/null", FILES_CHANGE | FILES_STREAM);

		dup2(out_fd, STDOUT_FILENO);
		if (is_silent)
			dup2(nowhere, STDERR_FILENO);
		status = command_diff.run(&command_diff, argc, argv);
		fflush(NULL);
		_exit(status);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	free(argv);
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_DATA;
}

static struct json_object *result_of(int fd)
{
	struct json_object *result = NULL;
	const char *why;
	struct stat st;
	char *text;

	if (fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	text = xcalloc((size_t)st.st_size + 1, 1);
	if (pread(fd, text, (size_t)st.st_size, 0) == st.st_size)
		result = json_read(text, (size_t)st.st_size, DEPTH_MOST, &why);
	free(text);
	return result;
}

/* By one measure; `gates`: with what --fail-over says. */
static int compare_by(struct comparison *c, enum measured by, int gates)
{
	static const char *const by_options[] = { [BY_CALLS] = "--column=calls",
						  [BY_INSTRUCTIONS] = "--measure=instructions",
						  [BY_TIME] = "--column=elapsed_exclusive" };
	struct strbuf fail_over = { 0 };
	const char *options[OPTIONS_MOST] = { "--format=json", by_options[by] };
	int fd = memfd_create("cinstr-diff", MFD_CLOEXEC), status;

	if (gates && c->fail_over) {
		strbuf_printf(&fail_over, "--fail-over=%s", c->fail_over);
		options[2] = fail_over.text;
	}
	if (gates && c->fail_over && by == BY_CALLS && c->n_runs == 1)
		options[3] = "--single=0";
	if (fd < 0) {
		error("compare: %s", strerror(errno));
		return STATUS_DATA;
	}
	status = run_diff(c, options, fd, !gates);
	json_object_put(c->results[by]);
	c->results[by] = result_of(fd);
	close(fd);
	strbuf_release(&fail_over);
	return status;
}

int comparison_make(struct comparison *c)
{
	for (int by = 0; by < N_MEASURED; by++)
		if (by != c->decides)
			compare_by(c, (enum measured)by, 0);
	if (c->decides == N_MEASURED)
		c->decides = c->results[BY_INSTRUCTIONS] ? BY_INSTRUCTIONS : BY_TIME;
	c->status = compare_by(c, (enum measured)c->decides, 1);
	return c->results[c->decides] ? 0 : -1;
}

void comparison_release(struct comparison *c)
{
	for (int by = 0; by < N_MEASURED; by++)
		json_object_put(c->results[by]);
	for (size_t i = 0; i < 2 * c->n_runs; i++)
		free(c->sessions[i / c->n_runs][i % c->n_runs]);
	free(c->sessions[0]);
	free(c->sessions[1]);
}
