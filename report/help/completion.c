/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * completion.c - completions for bash and zsh from the option tables (manual.h). Both scripts are
 * data: a case for each command with its options, and for each option with its words.
 */
#include <ctype.h>
#include <string.h>

#include "manual.h"

/* Without a value it is complete. */
static int needs_value(const struct option *option)
{
	return option->type != OPTION_FLAG && option->type != OPTION_MAYBE;
}

/* Does the argument list words, "a|b|c"? */
static int has_words(const struct option *option)
{
	const char *argument = option->argument;

	return option->type != OPTION_FLAG && argument && strchr(argument, '|') &&
	       !strpbrk(argument, "[ABCDEFGHIJKLMNOPQRSTUVWXYZ ");
}

static int is_file(const struct option *option)
{
	return option->type != OPTION_FLAG && option->argument &&
	       (strstr(option->argument, "FILE") || strstr(option->argument, "FOLDER") ||
		strstr(option->argument, "DIR"));
}

static void put_words(FILE *out, const char *argument)
{
	for (; *argument; argument++)
		fputc(*argument == '|' ? ' ' : *argument, out);
}

/* Does the option name a function? */
static int is_function(const struct option *option)
{
	return option->type != OPTION_FLAG && option->argument &&
	       (!strcmp(option->name, "function") || !strcmp(option->argument, "FUNCTION"));
}

/* Does the first operand? */
static int begins_with_function(const struct command *command)
{
	return !strncmp(command->operands, "FUNCTION", 8) || !strncmp(command->operands, "[FUNCTION", 9);
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_options(FILE *out, const struct command *command)
{
	fprintf(out, "\t%s) options='--help", command->name);
	for (size_t i = 0; i < command->n_options; i++)
		if (command->options[i].name)
			fprintf(out, " --%s%s", command->options[i].name,
				needs_value(&command->options[i]) ? "=" : "");
	fputs("' ;;\n", out);
}

static void bash_values(FILE *out, const struct command *command)
{
	for (size_t i = 0; i < command->n_options; i++) {
		const struct option *option = &command->options[i];

		if (!option->name)
			continue;
		if (is_function(option))
			fprintf(out, "\t%s:--%s) functions=1 ;;\n", command->name, option->name);
		if (!has_words(option))
			continue;
		fprintf(out, "\t%s:--%s) words='", command->name, option->name);
		put_words(out, option->argument);
		fputs("' ;;\n", out);
	}
}

void completion_bash(FILE *out, const struct command *const list[], size_t n)
{
	fputs("# bash completion for cinstr. Made by `cinstr help --completion=bash`.\n"
	      "_cinstr()\n{\n"
	      "\tlocal current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='' words='' "
	      "option='' functions=''\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	      out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s ", list[i]->name);
	fputs("--help --version --plugin-path --cflags' -- \"$current\")\n\t\treturn\n\tfi\n"
	      "\tif [ \"$command\" = help ] && [ \"$COMP_CWORD\" -eq 2 ] && [ \"${current:0:1}\" != - ]; "
	      "then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	      out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s ", list[i]->name);
	fputs("plugin' -- \"$current\")\n\t\treturn\n\tfi\n", out);
	/* readline takes `=` for the end of a word: --by=mod is three. */
	fputs("\tif [ \"$current\" = = ]; then\n"
	      "\t\toption=${COMP_WORDS[COMP_CWORD-1]} current=''\n"
	      "\telif [ \"${COMP_WORDS[COMP_CWORD-1]}\" = = ]; then\n"
	      "\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\telif [ \"${current:0:2}\" = -- ] && [ \"${current#*=}\" != \"$current\" ]; then\n"
	      "\t\toption=${current%%=*} current=${current#*=}\n"
	      "\tfi\n"
	      "\tcase $command:$option in\n",
	      out);
	for (size_t i = 0; i < n; i++)
		bash_values(out, list[i]);
	for (size_t i = 0; i < n; i++)
		if (begins_with_function(list[i]))
			fprintf(out, "\t%s:) [ \"${current:0:1}\" = - ] || functions=1 ;;\n", list[i]->name);
	fputs("\tesac\n"
	      /* readline takes `:` for the end of a word, too: of a::b it replaces b only. */
	      "\tif [ -n \"$functions\" ]; then\n"
	      "\t\tlocal i=$COMP_CWORD before=''\n"
	      "\t\twhile [ \"$i\" -gt 2 ] && { [[ ${COMP_WORDS[i-1]} == :* ]] || [[ ${COMP_WORDS[i]} == :* "
	      "]]; }; do\n"
	      "\t\t\ti=$((i - 1)) before=${COMP_WORDS[i]}$before\n"
	      "\t\tdone\n"
	      "\t\t[[ $current == :* ]] && before=$before$current current=''\n"
	      "\t\tmapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" help --functions=\"$before$current\" "
	      "2>/dev/null)\n"
	      "\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
	      "\t\t[ \"${#COMPREPLY[@]}\" -gt 0 ] && return\n\tfi\n"
	      "\tif [ -n \"$words\" ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n\t\treturn\n\tfi\n"
	      "\tif [ -n \"$option\" ] || [ \"${current:0:1}\" != - ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	      "\t\tcompopt -o filenames 2>/dev/null\n\t\treturn\n\tfi\n"
	      "\tcase $command in\n",
	      out);
	for (size_t i = 0; i < n; i++)
		bash_options(out, list[i]);
	fputs("\tesac\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
	      "\t[ \"${COMPREPLY[0]: -1}\" = = ] && compopt -o nospace 2>/dev/null\n"
	      "}\n"
	      "complete -F _cinstr cinstr\n",
	      out);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Within '...' of _arguments, where [ ] and : have a meaning. */
static void zsh_text(FILE *out, const char *text)
{
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (*text == '[' || *text == ']' || *text == ':')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void zsh_value(FILE *out, const struct option *option)
{
	fputs(":value:", out);
	if (has_words(option)) {
		fputc('(', out);
		put_words(out, option->argument);
		fputc(')', out);
	} else if (is_function(option)) {
		fputs("_cinstr_functions", out);
	} else if (is_file(option)) {
		fputs("_files", out);
	}
}

static void zsh_option(FILE *out, const struct option *option)
{
	fprintf(out, "\t\t\t'*--%s%s[", option->name, needs_value(option) ? "=" : "");
	zsh_text(out, option->help);
	fputc(']', out);
	if (needs_value(option))
		zsh_value(out, option);
	fputs("' \\\n", out);
}

void completion_zsh(FILE *out, const struct command *const list[], size_t n)
{
	fputs("#compdef cinstr\n# zsh completion for cinstr. Made by `cinstr help --completion=zsh`.\n"
	      "_cinstr_functions()\n{\n"
	      "\tlocal -a names\n\tnames=(${(f)\"$(_call_program functions cinstr help "
	      "--functions=${(q)PREFIX} "
	      "2>/dev/null)\"})\n"
	      "\tcompadd -a names\n}\n"
	      "_cinstr()\n{\n\tlocal -a commands\n\tcommands=(\n",
	      out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\t\t'%s:", list[i]->name);
		zsh_text(out, list[i]->summary);
		fputs("'\n", out);
	}
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n"
	      "\tcase $command in\n",
	      out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\t%s)\n\t\t_arguments \\\n", list[i]->name);
		for (size_t k = 0; k < list[i]->n_options; k++)
			if (list[i]->options[k].name)
				zsh_option(out, &list[i]->options[k]);
		fprintf(out, "\t\t\t'--help[print the options]' %s'*:operand:_files' ;;\n",
			begins_with_function(list[i]) ? "'1:function:_cinstr_functions' " : "");
	}
	fputs("\tesac\n}\n_cinstr \"$@\"\n", out);
}
