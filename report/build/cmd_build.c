/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_build.c - cinstr build: runs a build whose compilers get the plugin. To its caller it looks
 * like the build: signals, exit status. Shims (build_shims.c, wrapper/), first in PATH, replace the
 * compilers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "cinstr/plugin_options.h"
#include "lib/files.h"
#include "lib/options.h"
#include "lib/util.h"
#include "machine.h"
#include "record/program_check.h"
#include "record/record.h"
#include "wrapper/shims.h"

enum plugin_flag {
#define FLAG_ID(id, name, argument, help) FLAG_##id,
	CINSTR_PLUGIN_CHOICE_TABLE(FLAG_ID)
#undef FLAG_ID
		N_FLAGS
};

struct build_options {
	struct option_each args; /* of the plugin, those with a value */
	int flags[N_FLAGS];	 /* and those without */
	int records, keeps_variables;
	const char *shims, *instructions; /* the latter: "" without a value */
};

/* argument: "=X", or NULL. The value of --instructions may be missing: it has a line of its own. */
#define PLUGIN_OPTION(id, name, argument, help) \
	{ FLAG_##id == FLAG_INSTRUCTIONS ? NULL : (name), \
	  0, \
	  (argument) ? OPTION_EACH : OPTION_FLAG, \
	  (argument) ? (const char *)(argument) + 1 : NULL, \
	  (argument) ? offsetof(struct build_options, args) \
		     : offsetof(struct build_options, flags) + FLAG_##id * sizeof(int), \
	  help, \
	  NULL },

static const struct option build_options[] = {
	{ "record", 0, OPTION_FLAG, NULL, offsetof(struct build_options, records),
	  "record the programs that the build runs, such as tests; without it CINSTR=off is set", NULL },
	{ "keep-variables", 0, OPTION_FLAG, NULL, offsetof(struct build_options, keeps_variables),
	  "leave CC, CXX, FC, ... as they are; without it, those not set become gcc, g++, gfortran", NULL },
	{ "shims", 0, OPTION_TEXT, "FOLDER", offsetof(struct build_options, shims),
	  "where to put the links that stand in for the compilers; a build may keep their paths",
	  "below ~/.cache/cinstr" },
	{ "instructions", 0, OPTION_MAYBE, "calls", offsetof(struct build_options, instructions),
	  "count the machine instructions that are executed; calls: also those of each call", NULL },
	CINSTR_PLUGIN_CHOICE_TABLE(PLUGIN_OPTION)
};

static const char *const flag_names[] = {
#define FLAG_NAME(id, name, argument, help) name,
	CINSTR_PLUGIN_CHOICE_TABLE(FLAG_NAME)
#undef FLAG_NAME
};

/* ---- the plugin's arguments ------------------------------------------------------------------ */

static void args_add(struct option_each *args, const char *item)
{
	args->items = xrealloc(args->items, args->n + 1, sizeof(*args->items));
	args->items[args->n++] = xstrdup(item);
}

/* A build works in many folders. 0 or -1 after a message. */
static int filter_check(char **item)
{
	static const char start[] = "filter=";
	const char *path = *item + strlen(start);
	struct strbuf whole = { 0 };
	FREED char *found = NULL;

	if (strncmp(*item, start, strlen(start)))
		return 0;
	found = realpath(path, NULL);
	if (!found || access(found, R_OK))
		return error("build: --filter=%s: %s", path, strerror(errno));
	strbuf_printf(&whole, "%s%s", start, found);
	free(*item);
	*item = whole.text;
	return 0;
}

static int args_check(struct build_options *options)
{
	for (size_t i = 0; i < options->args.n; i++) {
		char **item = &options->args.items[i];

		if (filter_check(item))
			return -1;
		if (strchr(*item, '\n') || strchr(strchr(*item, '=') + 1, '='))
			return error("build: --%s: write '?' for the second '='", *item);
	}
	if (options->instructions && *options->instructions && strcmp(options->instructions, "calls") != 0)
		return error("build: --instructions does not take '%s'; it takes calls",
			     options->instructions);
	if (options->instructions)
		args_add(&options->args, *options->instructions ? "instructions=calls" : "instructions");
	for (size_t i = 0; i < N_FLAGS; i++)
		if (options->flags[i])
			args_add(&options->args, flag_names[i]);
	/* A rule is for the whole build: that it matches nothing in a single file need not be
	 * said. */
	if (options->args.n)
		args_add(&options->args, "quiet");
	return 0;
}

/* ---- the build ------------------------------------------------------------------------------- */

/* A build that is run by another one counts there; that one says it. */
static void log_pass_on(const char *log, const char *outer)
{
	char bytes[4096];
	int from = files_open(log, 0), to = files_open(outer, FILES_APPEND);
	ssize_t n;

	while (from >= 0 && to >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			break;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
}

static int build_run(const struct build_shims *shims, const struct build_options *options, char **argv)
{
	struct build_environment how = { NULL, options->keeps_variables, options->records };
	const char *outer = getenv(SHIMS_LOG);
	struct strbuf log = { 0 };
	pid_t child = -1;
	int status = 0, why, fd;

	strbuf_printf(&log, "%s/log.XXXXXX", shims->folder);
	fd = files_make_unique(log.text);
	if (fd >= 0)
		close(fd);
	how.log = log.text;
	outer = outer ? xstrdup(outer) : NULL;
	build_default_compiler_check();
	build_environment_set(shims, &how);
	build_arguments_set(shims, argv);
	why = record_run(argv, &child, &status);
	if (!why) {
		if (outer)
			log_pass_on(log.text, outer);
		else
			build_summary(log.text, argv, status != 0);
	}
	unlink(log.text);
	strbuf_release(&log);
	return why ? record_cannot_run(argv[0], why) : record_end_like(status);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct build_options options = { 0 };
	struct build_shims shims = { 0 };
	int n_operands, why;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (!n_operands)
		return error_usage("build: which command? For example: cinstr build -- make -j8");
	argv[n_operands + 1] = NULL;
	if (args_check(&options))
		return STATUS_USAGE;
	free(program_find(argv[1], &why));
	if (why)
		return record_cannot_run(argv[1], why);
	shims.args = options.args;
	why = build_shims_make(&shims, options.shims);
	return why ? why : build_run(&shims, &options, argv + 1);
}

const struct command command_build = {
	.name = "build",
	.operands = "[--] COMMAND [ARGUMENT...]",
	.summary = "Runs a build so that everything GCC compiles in it gets the plugin.",
	OPTIONS_OF(build_options),
	.stops_at_operand = 1,
	.notes = "Compilers are found by their names in PATH (gcc, g++-12, " MACHINE_TRIPLET "-gcc-11,\n"
		 "cc, c99, gfortran, gdc, ...) and by paths in CC, CXX, FC, ... and -DCMAKE_C_COMPILER.\n"
		 "The tests of a configure script get no plugin. Nor do clang, and a GCC without a\n"
		 "plugin for it: the last lines say so.\n"
		 "If the build was configured without cinstr, configure it again. If it is up to date,\n"
		 "clean it first. A build that stores the path of its compiler keeps the plugin.\n"
		 "cinstr-plugin(1) explains the options of the plugin; those with a value may be given\n"
		 "several times. The exit status is the command's.\n",
	.examples = "  cinstr build -- make -j8\n"
		    "  cinstr build -- sh -c './configure && make'\n"
		    "  cinstr build -- cmake -B build && cinstr build -- cmake --build build\n"
		    "  cinstr build --filter=app.filter --exclude='*_get' -- ninja -C build\n"
		    "  cinstr build --record -- make check\n",
	.run = run,
};
