/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - the `cinstr` command: its table of commands, --help, --version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static const struct command *const commands[] = { &command_record, &command_report,  &command_tree,
						  &command_info,   &command_control, &command_refold };

/* Its length, without what ends it: the rest is told by the command's own help. */
static int first_line(const char *text)
{
	int n = (int)strcspn(text, "\n");

	return n && (text[n - 1] == '.' || text[n - 1] == ',') ? n - 1 : n;
}

static void help(FILE *out)
{
	fputs("Usage: cinstr COMMAND [OPTION...] [OPERAND...]\n"
	      "Profiles programs that were compiled with the GCC plugin cinstr.so.\n\nCommands:\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %.*s\n", commands[i]->name, first_line(commands[i]->summary),
			commands[i]->summary);
	fputs("  help     Shows the options of a command: cinstr help COMMAND\n\n"
	      "Options:\n  --help, --version\n\n"
	      "From source to numbers:\n"
	      "  gcc -O2 -g -fplugin=/path/to/cinstr.so app.c -o app\n"
	      "  ./app                    records into cinstr.data\n"
	      "  cinstr report            shows it\n\n"
	      "Exit status: 0 good, 1 something is wrong with the data, 2 wrong usage.\n",
	      out);
}

static const struct command *command_find(const char *name)
{
	const char *names[ARRAY_SIZE(commands) + 1], *closest;
	char *shown;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
		names[i] = commands[i]->name;
	}
	names[ARRAY_SIZE(commands)] = "help";
	closest = util_closest(name, names, ARRAY_SIZE(names));
	shown = util_visible(name);
	if (closest)
		error("there is no command '%s'; did you mean '%s'?", shown, closest);
	else
		error("there is no command '%s' (see cinstr --help)", shown);
	free(shown);
	return NULL;
}

static int run_help(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		help(stdout);
		return STATUS_OK;
	}
	command = command_find(argv[1]);
	if (!command)
		return STATUS_USAGE;
	options_help(command, stdout);
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		help(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return run_help(1, argv);
	if (!strcmp(argv[1], "--version")) {
		puts("cinstr " CINSTR_VERSION);
		return STATUS_OK;
	}
	if (!strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	command = command_find(argv[1]);
	return command ? command->run(command, argc - 1, argv + 1) : STATUS_USAGE;
}
