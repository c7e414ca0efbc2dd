/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.c - the table of commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/habits.h"

#define HELP_WIDTH 80
#define NAME_COLUMNS 10

const struct command *const commands[] = {
	&command_record,   &command_summary, &command_ui,      &command_report,	  &command_tree,
	&command_callers,  &command_waits,   &command_files,   &command_annotate, &command_diff,
	&command_timeline, &command_export,  &command_html,    &command_serve,	  &command_info,
	&command_control,  &command_refold,  &command_suggest, &command_pack,	  &command_merge,
	&command_ranks,	   &command_history, &command_push,    &command_build,	  &command_compare,
	&command_bisect,   &command_mcp,     &command_schema,  &command_help,
};
const size_t n_commands = ARRAY_SIZE(commands);

/* The length of the summary's first sentence, without the full stop: the command's own help has the
 * rest. */
static int first_line(const char *text)
{
	int n = (int)strcspn(text, "\n");

	return n && (text[n - 1] == '.' || text[n - 1] == ',') ? n - 1 : n;
}

/* "  report   Shows calls and times ..." */
static void print_command(FILE *out, const struct command *command)
{
	size_t at = (size_t)fprintf(out, "  %-8s", command->name);
	FREED char *text = strndup(command->summary, (size_t)first_line(command->summary));
	char *rest = text;

	for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
		if (at + 1 + strlen(word) > HELP_WIDTH)
			at = (size_t)fprintf(out, "\n%*s", NAME_COLUMNS, "") - 1;
		at += (size_t)fprintf(out, " %s", word);
	}
	fputc('\n', out);
}

void commands_help(FILE *out)
{
	fputs("Usage: cinstr COMMAND [OPTION...] [OPERAND...]\n"
	      "A profiler: counts and times every call of programs that were built with its\n"
	      "GCC plugin, and samples any other program.\n\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		print_command(out, commands[i]);
	fputs("\nOptions:\n  --help, --version\n"
	      "  --plugin-path [COMPILER] where the plugin for this compiler is ($CC, or gcc)\n"
	      "  --cflags [COMPILER]      what to compile with: -fplugin=..., -I for cinstr.h\n\n"
	      "A program that you can build:\n"
	      "  gcc -O2 -g $(cinstr --cflags) app.c -o app\n"
	      "  cinstr build -- make     the same for all that make compiles\n"
	      "  ./app                    records into cinstr.data\n"
	      "  cinstr summary           what is wrong with it\n"
	      "  cinstr report            its functions\n\n"
	      "Any other program, and what to instrument of it:\n"
	      "  cinstr record --sample -- ./app\n"
	      "  cinstr summary\n"
	      "  cinstr suggest -o FILE   for -fplugin-arg-cinstr-filter=FILE\n\n"
	      "Exit status: 0 good, 1 something is wrong with the data, 2 wrong usage.\n",
	      out);
}

const struct command *command_find(const char *name)
{
	const char *names[ARRAY_SIZE(commands)], *closest;
	const struct command *found = NULL;
	STRBUF(several);
	size_t n_found = 0;
	const char *shown;

	if (habits_say_command(name))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		names[i] = commands[i]->name;
		if (strncmp(names[i], name, strlen(name)) != 0)
			continue;
		found = commands[i];
		strbuf_printf(&several, "%s%s", n_found++ ? ", " : "", names[i]);
		if (!strcmp(names[i], name)) {
			n_found = 1;
			break;
		}
	}
	if (n_found == 1 && *name)
		return found;
	closest = util_closest(name, names, ARRAY_SIZE(names));
	shown = util_shown(name);
	if (n_found > 1 && *name)
		error("'%s' is not clear: it may be %s", shown, several.text);
	else if (closest)
		error("there is no command '%s'; did you mean '%s'?", shown, closest);
	else
		error("there is no command '%s' (see cinstr --help)", shown);
	return NULL;
}
