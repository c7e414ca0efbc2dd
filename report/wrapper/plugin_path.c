/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugin_path.c - see plugin_path.h. The compiler is asked what it is, then tries each plugin that
 * may be for it. Where things are is found from the command's own file, so that an installed tree
 * may be moved.
 */
#include "plugin_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util.h"
#include "machine.h"

/* Those that plugin/gcc.h knows. */
#define GCC_FIRST 11
#define GCC_LAST 16
#define WORDS_MAX 64
#define ANSWER_MAX 4096

struct compiler {
	const char *name;	/* as given */
	char *words[WORDS_MAX]; /* the command; NULL ends it */
	size_t n_words;
	char *text;		/* that they point into */
	char version[64];	/* 12.2.0 */
	char plugins[PATH_MAX]; /* its folder of plugins */
	int release;		/* 12 */
};

extern char **environ;

/* ---- asking the compiler --------------------------------------------------------------------- */

/* A path with spaces is one word if it is there. */
static void split(struct compiler *compiler)
{
	char *word, *rest;

	compiler->text = xstrdup(compiler->name);
	if (!access(compiler->name, X_OK)) {
		compiler->words[compiler->n_words++] = compiler->text;
		return;
	}
	for (word = strtok_r(compiler->text, " \t\n", &rest); word && compiler->n_words < WORDS_MAX / 2;
	     word = strtok_r(NULL, " \t\n", &rest))
		compiler->words[compiler->n_words++] = word;
}

/* What is written behind the first `size` bytes is read, too: otherwise it would end by SIGPIPE. */
static void read_all(int fd, char *answer, size_t size)
{
	char rest[512];
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, n < size - 1 ? answer + n : rest,
			   n < size - 1 ? size - 1 - n : sizeof(rest)))) {
		if (got < 0 && errno != EINTR)
			break;
		if (got > 0 && n < size - 1)
			n += (size_t)got;
	}
	answer[n] = '\0';
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int spawn(pid_t *pid, char **argv, const int pipe_fds[2])
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Its exit status, and what it wrote to stdout; -1: it cannot be run, or did not end by itself. */
static int ask(struct compiler *compiler, char *const *arguments, char *answer, size_t size)
{
	size_t n = compiler->n_words;
	int pipe_fds[2], error;
	pid_t pid;

	answer[0] = '\0';
	for (size_t i = 0; arguments[i] && n + 1 < WORDS_MAX; i++)
		compiler->words[n++] = arguments[i];
	compiler->words[n] = NULL;
	if (pipe2(pipe_fds, O_CLOEXEC))
		return -1;
	error = spawn(&pid, compiler->words, pipe_fds);
	close(pipe_fds[1]);
	if (!error)
		read_all(pipe_fds[0], answer, size);
	close(pipe_fds[0]);
	return error ? -1 : wait_for(pid);
}

static int ask_line(struct compiler *compiler, char *const *arguments, char *answer, size_t size)
{
	int status = ask(compiler, arguments, answer, size);

	answer[strcspn(answer, "\n")] = '\0';
	return status;
}

static char *sentence(const char *format, ...) PRINTF_LIKE(1, 2);
static char *sentence(const char *format, ...)
{
	struct strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	return text.text;
}

/* NULL, or why it is not one that a plugin can be for. */
static char *not_gcc(struct compiler *compiler, const char *shown)
{
	char answer[ANSWER_MAX];
	int status = ask(compiler, (char *[]){ "--version", NULL }, answer, sizeof(answer));

	if (status == -1 || status == 127)
		return sentence("'%s': there is no such compiler; name another, as in --plugin-path gcc-12",
				shown);
	if (strcasestr(answer, "clang"))
		return sentence("'%s' is clang, and the plugin is one for GCC: name a gcc", shown);
	if (!strstr(answer, "Free Software Foundation"))
		return sentence("'%s' is not GCC, which the plugin is for: name a gcc", shown);
	return NULL;
}

static char *not_supported(const struct compiler *compiler, const char *shown, const char *machine)
{
	static const char *const targets[] = { MACHINE_TARGETS };
	int is_known = 0;

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		is_known |= !strncmp(machine, targets[i], strlen(targets[i]));
	if (!is_known)
		return sentence("'%s' compiles for %s: cinstr instruments code for " MACHINE_NAME " only",
				shown, machine);
	if (compiler->release < GCC_FIRST || compiler->release > GCC_LAST)
		return sentence("'%s' is GCC %s: cinstr is written for GCC %d to %d", shown,
				compiler->version, GCC_FIRST, GCC_LAST);
	return NULL;
}

/* NULL, or why there can be no plugin for it. */
static char *learn(struct compiler *compiler, const char *shown)
{
	char machine[128], *why = not_gcc(compiler, shown);

	if (why)
		return why;
	if (ask_line(compiler, (char *[]){ "-dumpfullversion", "-dumpversion", NULL }, compiler->version,
		     sizeof(compiler->version)) ||
	    ask_line(compiler, (char *[]){ "-print-file-name=plugin", NULL }, compiler->plugins,
		     sizeof(compiler->plugins)) ||
	    ask_line(compiler, (char *[]){ "-dumpmachine", NULL }, machine, sizeof(machine)))
		return sentence("'%s' does not tell its version", shown);
	compiler->release = atoi(compiler->version);
	return not_supported(compiler, shown, machine);
}

/* Does the plugin run in there? */
static int fits(struct compiler *compiler, const char *path)
{
	char *option = sentence("-fplugin=%s", path), answer[ANSWER_MAX];
	int status = ask(compiler, (char *[]){ option, "-fsyntax-only", "-x", "c", "/dev/null", NULL },
			 answer, sizeof(answer));

	free(option);
	return !status;
}

/* ---- where to look --------------------------------------------------------------------------- */

static const char *search_from;

void plugin_path_from(const char *folder)
{
	search_from = folder;
}

/* The folder of this command's file. */
char *plugin_path_folder(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (search_from)
		return xstrdup(search_from);
	path[n > 0 ? n : 0] = '\0';
	if (!strrchr(path, '/'))
		return xstrdup(".");
	*strrchr(path, '/') = '\0';
	return xstrdup(path);
}

struct search {
	struct compiler *compiler;
	char *misfit; /* the first that is there, but does not run in this compiler */
};

/* What is there for another release is passed over: the folder of a build may hold several. */
static char *try_file(struct search *search, const char *format, ...) PRINTF_LIKE(2, 3);
static char *try_file(struct search *search, const char *format, ...)
{
	STRBUF(name);
	char *path;
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&name, format, args);
	va_end(args);
	path = access(name.text, R_OK) ? NULL : realpath(name.text, NULL);
	if (!path || fits(search->compiler, path))
		return path;
	if (search->misfit)
		free(path);
	else
		search->misfit = path;
	return NULL;
}

/* Where `make install` and packages put it, and `make`. */
static char *find(struct search *search)
{
	static const char *const installed[] = { "lib", "lib/" MACHINE_TRIPLET, "lib64" };
	/* of build/gcc-11/cinstr: build/cinstr.so */
	static const char *const built[] = { "", "../" };
	int release = search->compiler->release;
	char *folder = plugin_path_folder(), *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(installed) && !found; i++)
		found = try_file(search, "%s/../%s/cinstr/gcc-%d/cinstr.so", folder, installed[i], release);
	for (size_t i = 0; i < ARRAY_SIZE(built) && !found; i++) {
		found = try_file(search, "%s/%scinstr.so", folder, built[i]);
		if (!found)
			found = try_file(search, "%s/%sgcc-%d/cinstr.so", folder, built[i], release);
	}
	if (!found && search->compiler->plugins[0] == '/')
		found = try_file(search, "%s/cinstr.so", search->compiler->plugins);
	free(folder);
	return found;
}

static char *none(const struct search *search, const char *shown)
{
	const struct compiler *compiler = search->compiler;
	int n = compiler->release;

	if (search->misfit && (strstr(search->misfit, "/cinstr/gcc-") || strstr(search->misfit, "/plugin/")))
		return sentence("%s was built for another GCC than '%s', which is %s: "
				"upgrade gcc-%d-plugin-cinstr, or make CC='%s' O=build/gcc-%d install",
				search->misfit, shown, compiler->version, n, shown, n);
	return sentence("no plugin for GCC %d ('%s' is %s): "
			"install gcc-%d-plugin-cinstr, or make CC='%s' O=build/gcc-%d install",
			n, shown, compiler->version, n, shown, n);
}

char *plugin_path(const char *name, char **why)
{
	struct compiler compiler = { .name = name };
	struct search search = { .compiler = &compiler };
	char *shown = util_visible(name), *found = NULL;

	split(&compiler);
	*why = compiler.n_words ? learn(&compiler, shown) : sentence("which compiler?");
	if (!*why) {
		found = find(&search);
		if (!found)
			*why = none(&search, shown);
	}
	free(search.misfit);
	free(compiler.text);
	free(shown);
	return found;
}

/* ---- for shells and makefiles ---------------------------------------------------------------- */

/* GNU make and pkg-config have spaces so, too. */
static void put_path(const char *option, const char *path)
{
	fputs(option, stdout);
	for (; *path; path++) {
		if (strchr(" \t\n\\'\"$`&;|<>()*?[]#~", *path))
			putchar('\\');
		putchar(*path);
	}
}

/* Where <cinstr.h> is, if compilers do not look there on their own. */
static char *include_folder(void)
{
	static const char *const places[] = { "../include", "../../include" };
	char *folder = plugin_path_folder(), *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(places) && !found; i++) {
		char *header = sentence("%s/%s/cinstr.h", folder, places[i]);

		found = realpath(header, NULL);
		free(header);
	}
	free(folder);
	if (!found)
		return NULL;
	*strrchr(found, '/') = '\0';
	if (strcmp(found, "/usr/include") && strcmp(found, "/usr/local/include"))
		return found;
	free(found);
	return NULL;
}

static char *path_for(const char *compiler)
{
	const char *cc = getenv("CC");
	char *why, *path = plugin_path(compiler ? compiler : cc && *cc ? cc : "gcc", &why);

	if (!path)
		error("%s", why);
	free(why);
	return path;
}

int plugin_print_path(const char *compiler)
{
	char *path = path_for(compiler);

	if (!path)
		return STATUS_DATA;
	puts(path);
	free(path);
	return STATUS_OK;
}

int plugin_print_flags(const char *compiler)
{
	char *path = path_for(compiler), *include;

	if (!path)
		return STATUS_DATA;
	put_path("-fplugin=", path);
	include = include_folder();
	if (include)
		put_path(" -I", include);
	putchar('\n');
	free(include);
	free(path);
	return STATUS_OK;
}
