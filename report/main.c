/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - the `cinstr` command: finds the verb; --help, --version, --plugin-path, --cflags. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lib/habits.h"
#include "lib/util.h"
#include "wrapper/plugin_path.h"

/* `--plugin-path`, `--plugin-path gcc-12` and `--plugin-path=gcc-12`: the compiler is NULL in the
 * first. */
static int takes_compiler(const char *option, int argc, char **argv, const char **compiler)
{
	size_t n = strlen(option);

	if (strncmp(argv[1], option, n) || (argv[1][n] && argv[1][n] != '='))
		return 0;
	*compiler = argv[1][n] ? argv[1] + n + 1 : argc > 2 ? argv[2] : NULL;
	return 1;
}

static int run(int argc, char **argv)
{
	const struct command *command;
	const char *compiler;

	if (argc < 2) {
		commands_help(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		commands_help(stdout);
		return STATUS_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("cinstr " CINSTR_VERSION);
		return STATUS_OK;
	}
	if (takes_compiler("--plugin-path", argc, argv, &compiler))
		return plugin_print_path(compiler);
	if (takes_compiler("--cflags", argc, argv, &compiler))
		return plugin_print_flags(compiler);
	options_absent_everywhere(habits_options);
	command = command_find(argv[1]);
	return command ? command->run(command, argc - 1, argv + 1) : STATUS_USAGE;
}

/* What could not be printed must not look like success. A reader that has seen enough (head) is no
 * failure. */
int main(int argc, char **argv)
{
	int status = run(argc, argv), why = util_why_unwritten(stdout);

	if (status != STATUS_OK || !why || why == EPIPE)
		return status;
	return error_data("stdout: cannot be written: %s", strerror(why));
}
