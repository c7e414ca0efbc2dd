/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_help.c - cinstr help: the options of a command; manual pages and completions from the same
 * tables. */
#include <string.h>

#include "cmd.h"
#include "manual.h"

struct help_options {
	int man;
	int completion; /* 0: none, 1 bash, 2 zsh */
	int list;
	const char *functions; /* NULL: not asked for */
};

static const struct option help_options[] = {
	{ "man", 0, OPTION_FLAG, NULL, offsetof(struct help_options, man),
	  "the manual page as source for man: of COMMAND, of `plugin`, `gcc`, or the overview", NULL },
	{ "completion", 0, OPTION_CHOICE, "none|bash|zsh", offsetof(struct help_options, completion),
	  "a script that completes commands and options in this shell", "none" },
	{ "functions", 0, OPTION_TEXT, "PREFIX", offsetof(struct help_options, functions),
	  "the functions of the session in this folder, or of the session that stands in place of COMMAND, "
	  "whose names begin so, one a line: for completions",
	  NULL },
	{ "list", 0, OPTION_FLAG, NULL, offsetof(struct help_options, list), "the commands, one a line",
	  NULL },
};

static void list(void)
{
	for (size_t i = 0; i < n_commands; i++)
		puts(commands[i]->name);
}

static int man(const char *name)
{
	const struct command *command;

	if (!name) {
		manual_overview(stdout, commands, n_commands);
		return STATUS_OK;
	}
	if (!strcmp(name, "plugin")) {
		manual_plugin(stdout);
		return STATUS_OK;
	}
	if (!strcmp(name, "gcc")) {
		manual_wrapper(stdout);
		return STATUS_OK;
	}
	command = command_find(name);
	if (!command)
		return STATUS_USAGE;
	manual_command(stdout, command);
	return STATUS_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct help_options options = { 0 };
	const struct command *command;
	int n_operands;
	enum options_result result = options_parse(self, argc, argv, &options, &n_operands);
	const char *name = n_operands ? argv[1] : NULL;

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.functions)
		completion_names(stdout, options.functions, name);
	else if (options.list)
		list();
	else if (options.completion)
		(options.completion == 1 ? completion_bash : completion_zsh)(stdout, commands, n_commands);
	else if (options.man)
		return man(name);
	else if (!name)
		commands_help(stdout);
	else if ((command = command_find(name)))
		options_help(command, stdout);
	else
		return STATUS_USAGE;
	return STATUS_OK;
}

const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "Shows the options of a command, its manual page, or a shell's completion.",
	OPTIONS_OF(help_options),
	.max_operands = 1,
	.examples = "  cinstr help report                      the same as cinstr report --help\n"
		    "  cinstr help --man tree | man -l -       the manual page\n"
		    "  . <(cinstr help --completion=bash)      completes in this bash\n"
		    "  cinstr help --completion=zsh > ~/.zfunc/_cinstr\n",
	.run = run,
};
