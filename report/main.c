/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - the `cinstr` command: finds the verb; --help, --version. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

int main(int argc, char **argv)
{
	const struct command *command;

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
	command = command_find(argv[1]);
	return command ? command->run(command, argc - 1, argv + 1) : STATUS_USAGE;
}
