/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - cinstr-gcc, cinstr-g++, cinstr-gfortran: run the compiler named after the hyphen with
 * its plugin. In a folder of shims made by `cinstr build`, the same program has the compilers' own
 * names: it then runs the next compiler of that name in PATH, without a plugin if there is none for
 * it. It becomes the compiler by exec, so that exit status, signals and open files are the
 * compiler's.
 */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "command_line.h"
#include "compiler.h"
#include "lib/files.h"
#include "lib/util.h"
#include "machine.h"
#include "names.h"
#include "plugin_path.h"
#include "shims.h"

#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND 127

struct wrapper {
	const char *called; /* its path */
	const char *name;
	int is_shim;
	struct shims shims;
};

/* Where it was called: argv[0] may be anything, and /proc/self/exe is where links lead to. */
static void wrapper_read(struct wrapper *wrapper, const char *called)
{
	const char *slash = strrchr(called, '/');
	char *folder = xstrdup(slash ? called : ".");

	if (slash)
		folder[slash - called] = '\0';
	wrapper->called = called;
	wrapper->name = util_basename(called);
	wrapper->is_shim = shims_here(*folder ? folder : "/") && !shims_read(folder, &wrapper->shims);
	free(folder);
	if (wrapper->shims.home)
		plugin_path_from(wrapper->shims.home);
}

/* The compiler's name. */
static const char *wanted(const struct wrapper *wrapper)
{
	static const char prefix[] = "cinstr-";

	return strncmp(wrapper->name, prefix, strlen(prefix)) ? wrapper->name
							      : wrapper->name + strlen(prefix);
}

static int cannot_run(const char *path, int why)
{
	error("cannot run '%s': %s", path, strerror(why));
	return why == ENOENT || why == ENOTDIR ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

static int become(char **argv)
{
	execv(argv[0], argv);
	return cannot_run(argv[0], errno);
}

/* ccache does not look into filters that the plugin reads. */
static void tell_ccache(const char *filter)
{
	const char *before = getenv("CCACHE_EXTRAFILES");
	STRBUF(files);

	if (before && *before && !strstr(before, filter))
		strbuf_printf(&files, "%s:%s", before, filter);
	else if (!before || !*before)
		strbuf_puts(&files, filter);
	if (files.text)
		setenv("CCACHE_EXTRAFILES", files.text, 1);
}

/* ---- the arguments --------------------------------------------------------------------------- */

static const char *filter_of(const struct wrapper *wrapper, const struct invocation *invocation)
{
	static const char start[] = "-fplugin-arg-cinstr-filter=";
	const char *filter = invocation->filter;

	for (size_t i = 0; i < wrapper->shims.n_args; i++)
		if (!strncmp(wrapper->shims.args[i], start, strlen(start)))
			filter = wrapper->shims.args[i] + strlen(start);
	return filter;
}

/* Where libcinstr.a is: beside the plugin as built, or in the installed tree of this program. The
 * caller frees it; NULL. */
static char *static_runtime(const char *plugin)
{
	char *home = plugin_path_folder(), *found = NULL;
	struct strbuf patterns[4] = { 0 };
	glob_t matches;

	strbuf_printf(&patterns[0], "%.*slibcinstr.a", (int)(util_basename(plugin) - plugin), plugin);
	strbuf_printf(&patterns[1], "%s/../lib/libcinstr.a", home);
	strbuf_printf(&patterns[2], "%s/../lib64/libcinstr.a", home);
	strbuf_printf(&patterns[3], "%s/../lib/*/libcinstr.a", home);
	free(home);
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (!found && !glob(patterns[i].text, 0, NULL, &matches)) {
			found = xstrdup(matches.gl_pathv[0]);
			found[util_basename(found) - found - 1] = '\0';
			globfree(&matches);
		}
		strbuf_release(&patterns[i]);
	}
	return found;
}

/*
 * The plugin first: GCC wants it to be known before its arguments, which may be among the caller's.
 * A static program cannot load the runtime, so that is linked in.
 */
static char **with_plugin(const struct wrapper *wrapper, const struct invocation *invocation,
			  const char *plugin, char **argv, int argc)
{
	char **all = xcalloc((size_t)argc + wrapper->shims.n_args + 4, sizeof(*all));
	char *runtime = invocation->is_static ? static_runtime(plugin) : NULL;
	struct strbuf load = { 0 }, library = { 0 };
	size_t n = 0;

	strbuf_printf(&load, "-fplugin=%s", plugin);
	all[n++] = argv[0];
	all[n++] = load.text;
	for (size_t i = 0; i < wrapper->shims.n_args; i++)
		all[n++] = wrapper->shims.args[i];
	for (int i = 1; i < argc; i++)
		all[n++] = argv[i];
	if (runtime) {
		strbuf_printf(&library, "-L%s", runtime);
		all[n++] = library.text;
		all[n++] = "-lcinstr";
	}
	return all;
}

/* Whether it has code to make for the plugin; tells the log of what has not. */
static int wants_plugin(const struct invocation *invocation)
{
	switch (invocation->kind) {
	case INVOCATION_COMPILE:
	case INVOCATION_LINK:
		return 1;
	case INVOCATION_PROBE:
		shims_log(SHIMS_PROBE, 1, NULL, NULL);
		return 0;
	case INVOCATION_ABI:
		shims_log(SHIMS_LEFT, invocation->sources, invocation->abi,
			  strstr(invocation->abi, "model") ? "probes need a smaller code model"
							   : "probes are for " MACHINE_NAME " code");
		return 0;
	default:
		shims_log(SHIMS_OTHER, 1, NULL, NULL);
		return 0;
	}
}

static void note(const struct invocation *invocation, const struct compiler *compiler)
{
	if (invocation->kind != INVOCATION_COMPILE)
		shims_log(SHIMS_OTHER, 1, NULL, NULL);
	else if (compiler->plugin || invocation->has_plugin)
		shims_log(SHIMS_COMPILED, invocation->sources, compiler->who, NULL);
	else
		shims_log(SHIMS_LEFT, invocation->sources, compiler->who, compiler->why);
}

/*
 * argv[0] is what is executed: the compiler, or what stands for it. path: the compiler itself.
 * Returns the arguments to execute it with; NULL after an error message.
 */
static char **arguments(const struct wrapper *wrapper, const char *path, char **argv, int argc)
{
	char folder[PATH_MAX];
	struct invocation invocation =
		command_line_read(argc, argv, getcwd(folder, sizeof(folder)) ? folder : "");
	const char *filter = filter_of(wrapper, &invocation);
	struct compiler compiler;

	if (filter)
		tell_ccache(filter);
	if (!wants_plugin(&invocation))
		return argv;
	compiler = compiler_know(path, 0);
	note(&invocation, &compiler);
	if (invocation.has_plugin || (!compiler.plugin && wrapper->is_shim))
		return argv;
	if (compiler.plugin)
		return with_plugin(wrapper, &invocation, compiler.plugin, argv, argc);
	error("%s: %s: %s", wrapper->name, compiler.who, compiler.why ? compiler.why : "there is no plugin");
	return NULL;
}

/* ---- what it stands for ---------------------------------------------------------------------- */

static int not_found(const struct wrapper *wrapper, const char *name)
{
	error("%s: there is no '%s' in PATH", wrapper->name, name);
	return STATUS_NOT_FOUND;
}

static int run_compiler(const struct wrapper *wrapper, int argc, char **argv)
{
	const char *name = wanted(wrapper);
	char *path = wrapper->shims.real ? wrapper->shims.real : compiler_find(name, 0), *behind = path;
	char **all;

	if (!path)
		return not_found(wrapper, name);
	if (compiler_is_launcher(path))
		behind = compiler_find(name, 1);
	argv[0] = files_absolute(path);
	all = arguments(wrapper, files_absolute(behind ? behind : path), argv, argc);
	return all ? become(all) : STATUS_DATA;
}

/* The compiler that a launcher was given: by name, by its path, or a shim. NULL: there is none. */
static char *launched(const char *word)
{
	const char *slash = strrchr(word, '/');
	struct shims shims = { 0 };
	char *folder;
	int is_shim;

	if (!slash)
		return compiler_find(word, 1);
	folder = xstrdup(word);
	folder[slash - word] = '\0';
	is_shim = shims_here(folder) && !shims_read(folder, &shims);
	free(folder);
	if (!is_shim)
		return files_absolute(word);
	return shims.real ? shims.real : compiler_find(slash + 1, 1);
}

/* ccache [NAME=VALUE...] COMPILER ARGUMENT...: the compiler gets the plugin, so that ccache sees
 * it. */
static int run_launcher(const struct wrapper *wrapper, int argc, char **argv)
{
	char *launcher = compiler_find(wrapper->name, 0), *path = NULL, **all;
	int at = 1, n;

	if (!launcher)
		return not_found(wrapper, wrapper->name);
	argv[0] = launcher;
	while (at < argc && strchr(argv[at], '=') && argv[at][0] != '-')
		at++;
	if (at < argc && name_of_compiler(util_basename(argv[at])))
		path = launched(argv[at]);
	if (!path)
		return become(argv);
	argv[at] = path;
	all = arguments(wrapper, path, argv + at, argc - at);
	if (!all || all == argv + at)
		return become(argv);
	for (n = 0; all[n]; n++)
		;
	all = xrealloc(all, (size_t)(at + n + 1), sizeof(*all));
	memmove(all + at, all, (size_t)(n + 1) * sizeof(*all));
	memcpy(all, argv, (size_t)at * sizeof(*all));
	return become(all);
}

/* The shim for the compiler of a gnatmake, beside `called`, if there is one:
 * x86_64-linux-gnu-gcc-12 for x86_64-linux-gnu-gnatmake-12. To be freed; NULL. */
static char *compiler_of_gnatmake(const char *called, const char *gnatmake)
{
	const char *name = util_basename(gnatmake), *word = name_of_gnatmake(name);
	struct strbuf path = { 0 };

	if (!word)
		return NULL;
	strbuf_printf(&path, "%.*s%.*sgcc%s", (int)(util_basename(called) - called), called,
		      (int)(word - name), name, word + strlen("gnatmake"));
	if (!access(path.text, X_OK))
		return path.text;
	free(path.text);
	return NULL;
}

/* The compiler that it is to call: the shim of the one that it would, whatever "gcc" is here,
 * unless the caller names another. */
static int run_gnatmake(const struct wrapper *wrapper, int argc, char **argv)
{
	char *real = compiler_find(wrapper->name, 0), *called = files_absolute(wrapper->called), *own,
	     *compiler;
	char **all = xcalloc((size_t)argc + 2, sizeof(*all));
	struct strbuf option = { 0 };
	size_t n = 0;

	if (!real)
		return not_found(wrapper, wrapper->name);
	own = realpath(real, NULL);
	compiler = own ? compiler_of_gnatmake(called, own) : NULL;
	if (!compiler)
		compiler = compiler_of_gnatmake(called, wrapper->name);
	all[n++] = real;
	if (compiler) {
		strbuf_printf(&option, "--GCC=%s", compiler);
		all[n++] = option.text;
	}
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--GCC=", strlen("--GCC="))) {
			argv[0] = real;
			return become(argv);
		}
		all[n++] = argv[i];
	}
	return become(all);
}

int main(int argc, char **argv)
{
	const char *called = (const char *)getauxval(AT_EXECFN), *path = getenv("PATH");
	struct wrapper wrapper = { 0 };

	if (argc < 1)
		return STATUS_USAGE;
	wrapper_read(&wrapper, called ? called : argv[0]);
	/* What the compiler runs is found without us: scripts and caches that run compilers
	 * themselves. */
	if (path)
		setenv("PATH", shims_path_without(path), 1);
	if (wrapper.is_shim && name_of_launcher(wrapper.name))
		return run_launcher(&wrapper, argc, argv);
	if (wrapper.is_shim && name_of_gnatmake(wrapper.name))
		return run_gnatmake(&wrapper, argc, argv);
	return run_compiler(&wrapper, argc, argv);
}
