/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_environment.c - sets the environment in which a build finds the shims (build.h): PATH, CC
 * etc. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build.h"
#include "lib/files.h"
#include "lib/order.h"
#include "lib/util.h"
#include "wrapper/cache.h"
#include "wrapper/compiler.h"
#include "wrapper/shims.h"

/* Variables that name compilers, and what they are set to if they are not and there is one of that
 * name. */
static const struct {
	const char *name;
	const char *fallbacks[2];
} variables[] = {
	{ "CC", { "gcc", "cc" } },
	{ "CXX", { "g++", "c++" } },
	{ "FC", { "gfortran", NULL } },
	{ "F77", { NULL, NULL } },
	{ "F90", { NULL, NULL } },
	{ "F95", { NULL, NULL } },
	{ "OBJC", { NULL, NULL } },
	{ "OBJCXX", { NULL, NULL } },
	{ "GDC", { NULL, NULL } },
	{ "DC", { NULL, NULL } },
	{ "HOSTCC", { NULL, NULL } },
	{ "HOSTCXX", { NULL, NULL } },
	{ "BUILD_CC", { NULL, NULL } },
	{ "CC_FOR_BUILD", { NULL, NULL } },
	{ "CXX_FOR_BUILD", { NULL, NULL } },
	{ "-DCMAKE_C_COMPILER", { NULL, NULL } },
	{ "-DCMAKE_CXX_COMPILER", { NULL, NULL } },
	{ "-DCMAKE_Fortran_COMPILER", { NULL, NULL } },
	{ "-DCMAKE_C_COMPILER:FILEPATH", { NULL, NULL } },
	{ "-DCMAKE_CXX_COMPILER:FILEPATH", { NULL, NULL } },
	{ "-DCMAKE_Fortran_COMPILER:FILEPATH", { NULL, NULL } },
};

/*
 * The value with each compiler that it names by its absolute path replaced by a shim, as in "ccache
 * /usr/bin/gcc-11 -m64": those without a path are found in PATH. Words are taken as the shell has
 * them without quotes. NULL: nothing to replace.
 */
static char *value_wrapped(const struct build_shims *shims, const char *value)
{
	struct strbuf wrapped = { 0 };
	int replaced = 0;

	while (*value) {
		size_t n = strcspn(value, " \t");
		FREED char *word = strndup(value, n);
		char *shim = build_shims_for(shims, word);

		strbuf_puts(&wrapped, shim ? shim : word);
		replaced |= shim != NULL;
		free(shim);
		value += n;
		n = strspn(value, " \t");
		strbuf_add(&wrapped, value, n);
		value += n;
	}
	if (replaced)
		return wrapped.text;
	strbuf_release(&wrapped);
	return NULL;
}

static void variable_set(const struct build_shims *shims, const char *name, const char *const fallbacks[2])
{
	const char *value = getenv(name);
	FREED char *found = value && *value ? value_wrapped(shims, value) : NULL;

	if (found)
		setenv(name, found, 1);
	for (int i = 0; !(value && *value) && i < 2 && fallbacks[i] && !found; i++) {
		found = compiler_find(fallbacks[i], 0);
		if (found)
			setenv(name, fallbacks[i], 1);
	}
}

void build_arguments_set(const struct build_shims *shims, char **argv)
{
	for (; *argv; argv++) {
		size_t n = strcspn(*argv, "=");

		for (size_t i = 0; (*argv)[n] && i < ARRAY_SIZE(variables); i++) {
			struct strbuf whole = { 0 };
			FREED char *wrapped = NULL;

			if (strlen(variables[i].name) != n || strncmp(*argv, variables[i].name, n))
				continue;
			wrapped = value_wrapped(shims, *argv + n + 1);
			if (wrapped) {
				strbuf_printf(&whole, "%s=%s", variables[i].name, wrapped);
				*argv = whole.text;
			}
			break;
		}
	}
}

/* ---- ccache ---------------------------------------------------------------------------------- */

static uint64_t hash_file(uint64_t hash, const char *path)
{
	FILE *file = files_read(path, 0);
	FREED char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		hash = cache_hash(hash, line);
	if (file)
		fclose(file);
	return hash;
}

/* The plugins of all compilers that may be called: those in PATH, by their names without a
 * triplet. */
static void put_plugins(struct strbuf *text, const struct build_shims *shims)
{
	struct map seen = { 0 };
	DIR *folder = files_list(shims->folder, 0);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *path, real[PATH_MAX];
		struct compiler compiler;
		struct stat status;
		int is_new = 0;

		if (strncmp(entry->d_name, "gcc", 3) || !(path = compiler_find(entry->d_name, 1)))
			continue;
		if (realpath(path, real))
			map_add(&seen, real, strlen(real), &is_new);
		compiler = is_new ? compiler_know(path, 0) : (struct compiler){ 0 };
		if (compiler.plugin && !stat(compiler.plugin, &status))
			strbuf_printf(text, "%s %jd %jd.%09ld\n", compiler.plugin, (intmax_t)status.st_size,
				      (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
		free(path);
	}
	if (folder)
		closedir(folder);
	map_release(&seen);
}

ORDER_ITEMS(compare_lines, char *const, strcmp(*x, *y))

/* Folders have no order. */
static void sort_lines(struct strbuf *text)
{
	char *rest = xstrdup(text->text ? text->text : ""), *copy = rest, *line, **lines = NULL;
	size_t n = 0;

	while ((line = strsep(&rest, "\n")))
		if (*line) {
			lines = xrealloc(lines, n + 1, sizeof(*lines));
			lines[n++] = line;
		}
	util_sort(lines, n, sizeof(*lines), compare_lines, NULL);
	strbuf_clear(text);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(text, "%s\n", lines[i]);
	free(lines);
	free(copy);
}

/*
 * Where ccache takes a shim for the compiler (it was called by its path), it does not see the
 * plugin. So it gets a file that changes with the plugins, their options, and what is in their
 * filter.
 */
static void tell_ccache(const struct build_shims *shims)
{
	static const char filter[] = "filter=";
	const char *before = getenv("CCACHE_EXTRAFILES");
	FREED char *ccache = compiler_find("ccache", 0);
	STRBUF(file);
	STRBUF(text);

	if (!ccache)
		return;
	put_plugins(&text, shims);
	sort_lines(&text);
	for (size_t i = 0; i < shims->args.n; i++) {
		const char *item = shims->args.items[i];

		strbuf_printf(&text, "%s\n", item);
		if (!strncmp(item, filter, strlen(filter)))
			strbuf_printf(&text, "%016jx\n",
				      (uintmax_t)hash_file(CACHE_HASH_START, item + strlen(filter)));
	}
	strbuf_printf(&file, "%s/identity", shims->folder);
	if (!cache_write(file.text, text.text ? text.text : "")) {
		strbuf_printf(&file, "%s%s", before && *before ? ":" : "", before ? before : "");
		setenv("CCACHE_EXTRAFILES", file.text, 1);
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

void build_environment_set(const struct build_shims *shims, const struct build_environment *how)
{
	const char *path = getenv("PATH");
	STRBUF(first);

	for (size_t i = 0; !how->keeps_variables && i < ARRAY_SIZE(variables); i++)
		variable_set(shims, variables[i].name, variables[i].fallbacks);
	tell_ccache(shims);
	setenv(SHIMS_LOG, how->log, 1);
	/* No recording of what a configure script compiles and runs, or of code generators; who
	 * records the build itself chooses otherwise. */
	if (!how->records && !getenv("CINSTR") && !getenv("CINSTR_SESSION"))
		setenv("CINSTR", "off", 1);
	strbuf_printf(&first, "%s:%s", shims->folder, path ? path : "/usr/local/bin:/usr/bin:/bin");
	setenv("PATH", first.text, 1);
}

void build_default_compiler_check(void)
{
	const char *name = getenv("CC");
	FREED char *path = compiler_find(name && *name && !strpbrk(name, " /") ? name : "gcc", 1);
	struct strbuf head = { 0 };
	struct compiler compiler;

	if (!path)
		return;
	compiler = compiler_know(path, 1);
	if (!compiler.plugin && !compiler.is_clang) {
		strbuf_printf(&head, "warning: %s compiles without probes here", compiler.who);
		build_say(head.text, compiler.why);
		strbuf_release(&head);
	}
}
