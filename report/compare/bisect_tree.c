/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bisect_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/util.h"

#define WORDS_MOST 10
#define HASH_DIGITS 40 /* at least: SHA-256 has more */

/* Holds the output and the exit status of a git command. */
struct git_output {
	char *text; /* without the last newline; the caller frees it */
	int status; /* 0: all is well */
};

static char *text_of(int fd)
{
	struct stat st = { .st_size = 0 };
	char *text;
	ssize_t n;

	fstat(fd, &st);
	text = xcalloc((size_t)st.st_size + 1, 1);
	n = pread(fd, text, (size_t)st.st_size, 0);
	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	return text;
}

/* Runs `git WORDS...` in a folder; NULL: in the current one. What git says on stderr is in the
 * text, too, with `with_errors`. */
static struct git_output run_git(const char *folder, int with_errors, const char *const *words)
{
	int fd = memfd_create("cinstr-git", MFD_CLOEXEC), status = -1;
	struct git_output output = { NULL, -1 };
	static char name[] = "git";
	char *argv[WORDS_MOST + 1] = { name };
	pid_t child;

	for (size_t i = 0; words[i] && i + 1 < WORDS_MOST; i++)
		argv[i + 1] = xstrdup(words[i]);
	fflush(NULL);
	child = fork();
	if (!child) {
		int nowhere = files_open("/dev/null", FILES_CHANGE | FILES_STREAM);

		dup2(nowhere, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		dup2(with_errors ? fd : nowhere, STDERR_FILENO);
		setenv("LC_ALL", "C", 1);
		if (!folder || !chdir(folder))
			execvp(name, argv);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	output.text = text_of(fd);
	output.status = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	close(fd);
	for (size_t i = 1; argv[i]; i++)
		free(argv[i]);
	return output;
}

#define GIT(folder, with_errors, ...) run_git(folder, with_errors, (const char *const[]){ __VA_ARGS__, NULL })

/* Prints what git has said. Always -1. */
static int say_failure(const char *what, struct git_output *output)
{
	char *shown = util_visible(output->text);

	if (output->status == 127 && !*shown)
		error("bisect: git is not installed");
	else
		error("bisect: %s: %s", what, *shown ? shown : "git has failed");
	free(shown);
	free(output->text);
	return -1;
}

int bisect_tree_make(struct bisect_tree *tree, const char *folder)
{
	struct git_output prefix = GIT(NULL, 1, "rev-parse", "--show-prefix"), output;
	struct strbuf here = { 0 };

	*tree = (struct bisect_tree){ NULL, NULL };
	if (prefix.status)
		return say_failure("the current folder", &prefix);
	output = GIT(NULL, 0, "worktree", "remove", "--force", folder);
	free(output.text);
	output = GIT(NULL, 1, "worktree", "add", "--quiet", "--detach", "--force", folder, "HEAD");
	if (output.status) {
		free(prefix.text);
		return say_failure(folder, &output);
	}
	free(output.text);
	strbuf_printf(&here, "%s/%s", folder, prefix.text);
	free(prefix.text);
	tree->top = xstrdup(folder);
	tree->here = here.text;
	return 0;
}

void bisect_tree_remove(struct bisect_tree *tree)
{
	if (tree->top)
		free(GIT(NULL, 0, "worktree", "remove", "--force", tree->top).text);
	free(tree->top);
	free(tree->here);
}

char *bisect_commit(const char *name)
{
	struct strbuf what = { 0 };
	struct git_output output;

	strbuf_printf(&what, "%s^{commit}", name);
	output = GIT(NULL, 0, "rev-parse", "--verify", "--quiet", "--end-of-options", what.text);
	strbuf_release(&what);
	if (!output.status && strlen(output.text) >= HASH_DIGITS)
		return output.text;
	free(output.text);
	/* says what is wrong, if it is not the name */
	output = GIT(NULL, 1, "rev-parse", "--git-dir");
	if (output.status) {
		say_failure("the current folder", &output);
		return NULL;
	}
	free(output.text);
	error("bisect: git knows no commit '%s' here", name);
	return NULL;
}

char *bisect_describe(const struct bisect_tree *tree, const char *commit, const char *format)
{
	STRBUF(pretty);
	struct git_output output;

	strbuf_printf(&pretty, "--format=%s", format);
	output = GIT(tree->top, 0, "log", "-1", "--date=short", pretty.text, commit);
	return output.text;
}

int bisect_check_out(const struct bisect_tree *tree, const char *commit)
{
	struct git_output output = GIT(tree->top, 1, "checkout", "--quiet", "--force", "--detach", commit);

	if (output.status)
		return say_failure(commit, &output);
	free(output.text);
	return 0;
}

/* Reads git's output for the end of the bisection, and frees that output. */
static enum bisect_end end_of(struct git_output *output, char **first)
{
	const char *found = strstr(output->text, " is the first bad commit");

	if (found) {
		const char *begin = found;

		while (begin > output->text && begin[-1] != '\n')
			begin--;
		*first = xcalloc((size_t)(found - begin) + 1, 1);
		memcpy(*first, begin, (size_t)(found - begin));
		free(output->text);
		return BISECT_FOUND;
	}
	if (!output->status) {
		free(output->text);
		return BISECT_GOES_ON;
	}
	say_failure("git bisect", output);
	return BISECT_LOST;
}

enum bisect_end bisect_start(const struct bisect_tree *tree, const char *good, const char *bad, char **first)
{
	struct git_output output = GIT(tree->top, 1, "bisect", "start", bad, good);

	return end_of(&output, first);
}

enum bisect_end bisect_mark(const struct bisect_tree *tree, const char *what, char **first)
{
	struct git_output output = GIT(tree->top, 1, "bisect", what);

	return end_of(&output, first);
}

char *bisect_current(const struct bisect_tree *tree)
{
	struct git_output output = GIT(tree->top, 0, "rev-parse", "HEAD");

	return output.text;
}
