/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiler.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cache.h"
#include "lib/util.h"
#include "names.h"
#include "plugin_path.h"

#define KNOWN_SECONDS 3600
#define KNOWN_MISSING_SECONDS 10 /* not longer: the plugin may be installed at any time */

/* ---- in PATH --------------------------------------------------------------------------------- */

static int is_this_program(const struct stat *status)
{
	struct stat self;

	return !stat("/proc/self/exe", &self) && self.st_dev == status->st_dev &&
	       self.st_ino == status->st_ino;
}

int compiler_is_launcher(const char *path)
{
	char real[PATH_MAX];

	return realpath(path, real) && !name_of_compiler(util_basename(real));
}

static int is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK) &&
	       !is_this_program(&status);
}

char *compiler_find(const char *name, int past_launchers)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : "/usr/local/bin:/usr/bin:/bin"), *rest = copy, *folder;
	struct strbuf candidate = { 0 };

	while ((folder = strsep(&rest, ":"))) {
		strbuf_clear(&candidate);
		strbuf_printf(&candidate, "%s/%s", *folder ? folder : ".", name);
		if (is_program(candidate.text) && !(past_launchers && compiler_is_launcher(candidate.text)))
			break;
	}
	free(copy);
	if (folder)
		return candidate.text;
	strbuf_release(&candidate);
	return NULL;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* What `argv` writes to stdout, its first bytes. */
static void ask(char *const argv[], char *answer, size_t size)
{
	posix_spawn_file_actions_t actions;
	int channel[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t child;

	answer[0] = '\0';
	if (pipe2(channel, O_CLOEXEC))
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!posix_spawn(&child, argv[0], &actions, NULL, argv, environ)) {
		close(channel[1]);
		while (n + 1 < size && (got = read(channel[0], answer + n, size - 1 - n)) > 0)
			n += (size_t)got;
		waitpid(child, &status, 0);
	} else {
		close(channel[1]);
	}
	close(channel[0]);
	posix_spawn_file_actions_destroy(&actions);
	answer[n] = '\0';
}

static struct compiler compiler_ask(const char *path)
{
	struct compiler compiler = { .path = xstrdup(path) };
	char version[64], text[256];
	struct strbuf who = { 0 };

	ask((char *[]){ (char *)path, "-dumpfullversion", "-dumpversion", NULL }, version, sizeof(version));
	version[strcspn(version, "\n")] = '\0';
	ask((char *[]){ (char *)path, "--version", NULL }, text, sizeof(text));
	compiler.is_clang = strstr(text, "clang") != NULL;
	if (compiler.is_clang)
		compiler.why = xstrdup("takes no GCC plugins");
	else
		compiler.plugin = plugin_path(path, &compiler.why);
	strbuf_printf(&who, "%s %s", compiler.is_clang ? "clang" : "GCC", version);
	if (!*version) {
		strbuf_clear(&who);
		strbuf_visible(&who, util_basename(path));
	}
	compiler.who = who.text;
	return compiler;
}

/* ---- what is known --------------------------------------------------------------------------- */

/* Changes when the file does; "-": there is none. */
static void put_stamp(struct strbuf *to, const char *path)
{
	struct stat status;

	if (!path || stat(path, &status))
		strbuf_puts(to, "-\n");
	else
		strbuf_printf(to, "%ju %ju %jd %jd.%09ld\n", (uintmax_t)status.st_dev,
			      (uintmax_t)status.st_ino, (intmax_t)status.st_size,
			      (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/* Which file: by the compiler's path, and by the command's folder, since each installation has
 * plugins of its own. */
static char *known_file(const char *path)
{
	char *folder = cache_folder("compilers"), *home;
	struct strbuf file = { 0 };
	uint64_t hash;

	if (!folder)
		return NULL;
	home = plugin_path_folder();
	hash = cache_hash(cache_hash(CACHE_HASH_START, path), home);
	free(home);
	strbuf_printf(&file, "%s/%016jx", folder, (uintmax_t)hash);
	free(folder);
	return file.text;
}

static char *known_text(const struct compiler *compiler)
{
	struct strbuf text = { 0 };

	strbuf_printf(&text, "%s\n", compiler->path);
	put_stamp(&text, compiler->path);
	strbuf_printf(&text, "%s\n%d\n%s\n", compiler->who, compiler->is_clang,
		      compiler->plugin ? compiler->plugin : "");
	put_stamp(&text, compiler->plugin);
	strbuf_printf(&text, "%s\n", compiler->why ? compiler->why : "");
	return text.text;
}

static void compiler_release(struct compiler *compiler)
{
	free(compiler->path);
	free(compiler->who);
	free(compiler->plugin);
	free(compiler->why);
	memset(compiler, 0, sizeof(*compiler));
}

static int is_old(int fd, const struct compiler *compiler)
{
	time_t limit = compiler->plugin || compiler->is_clang ? KNOWN_SECONDS : KNOWN_MISSING_SECONDS;
	struct stat status;

	return fstat(fd, &status) || time(NULL) - status.st_mtime > limit || time(NULL) < status.st_mtime;
}

enum { LINE_PATH, LINE_STAMP, LINE_WHO, LINE_CLANG, LINE_PLUGIN, LINE_PLUGIN_STAMP, LINE_WHY, LINES };

/* The entry counts if writing it now would give the same. 0 or -1. */
static int known_read(FILE *file, const char *path, struct compiler *compiler)
{
	char *lines[LINES] = { 0 }, *now = NULL;
	STRBUF(text);
	size_t size, n = 0;

	for (; n < LINES; n++) {
		size = 0;
		if (getline(&lines[n], &size, file) <= 0)
			break;
		strbuf_puts(&text, lines[n]);
		lines[n][strcspn(lines[n], "\n")] = '\0';
	}
	if (n == LINES) {
		*compiler = (struct compiler){ .path = xstrdup(path),
					       .who = xstrdup(lines[LINE_WHO]),
					       .is_clang = lines[LINE_CLANG][0] == '1' };
		compiler->plugin = *lines[LINE_PLUGIN] ? xstrdup(lines[LINE_PLUGIN]) : NULL;
		compiler->why = *lines[LINE_WHY] ? xstrdup(lines[LINE_WHY]) : NULL;
		now = known_text(compiler);
		if (strcmp(now, text.text) || is_old(fileno(file), compiler))
			compiler_release(compiler);
	}
	for (size_t i = 0; i < LINES; i++)
		free(lines[i]);
	free(now);
	return compiler->path ? 0 : -1;
}

struct compiler compiler_know(const char *path, int anew)
{
	char *name = known_file(path), *text;
	FILE *file = name ? cache_open(name) : NULL;
	struct compiler compiler = { 0 };
	int known = file && !known_read(file, path, &compiler) && (compiler.plugin || !anew);

	if (file)
		fclose(file);
	if (!known) {
		compiler = compiler_ask(path);
		text = known_text(&compiler);
		/* Also if the text is the same it is written anew: the file's age counts. */
		if (name && (unlink(name), cache_write(name, text)))
			warning("%s cannot be written: each compilation takes a little longer", name);
		free(text);
	}
	free(name);
	return compiler;
}
