/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * completion.c - completions for bash and zsh from the option tables (manual.h). Both scripts are
 * data: a case for each command with its options, and for each option with its words.
 */
#include <ctype.h>
#include <string.h>

#include "lib/util.h"
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
	static const char *const names[] = { "function", "only", "not", "keep-slowest" };
	int is = option->argument && !strcmp(option->argument, "FUNCTION");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		is |= !strcmp(option->name, names[i]);
	return is && option->type != OPTION_FLAG;
}

/* Values that cinstr itself can list, for both shells: what it prints, one a line. */
static const char values_function[] =
	"_cinstr_values() # COMMAND OPTION\n"
	"{\n"
	"\tcase $1:$2 in\n"
	"\t*:--sort|*:--columns|diff:--column) cinstr \"$1\" --columns=help | sed -n "
	"'s/^  \\([a-z0-9_]*\\).*/\\1/p' ;;\n"
	"\tsummary:--explain) echo all; cinstr summary --explain=all | sed -n 's/^\\(CF[0-9]*\\).*/\\1/p' "
	";;\n"
	"\trecord:--event) cinstr record --list-events | sed -n '2,$s/ .*//p' ;;\n"
	"\tesac 2>/dev/null\n"
	"}\n";

static int is_listed(const struct option *option)
{
	static const char *const names[] = { "sort", "columns", "column", "explain", "event" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(option->name, names[i]))
			return option->type != OPTION_FLAG;
	return 0;
}

/* Prints the words that the operands of a command begin with or stand before: of "on|off [PID]" on
 * and off. Nothing if the first one is no such word. */
static void put_verbs(FILE *out, const struct command *command)
{
	const char *at = command->operands;

	while (islower((unsigned char)*command->operands) && *at) {
		size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");

		if (n && strncmp(at, "cinstr", n) && strncmp(at, command->name, n))
			fprintf(out, "%.*s ", (int)n, at);
		at += n ? n : 1;
	}
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
		if (is_listed(option))
			fprintf(out, "\t%s:--%s) words=$(_cinstr_values %s --%s) ;;\n", command->name,
				option->name, command->name, option->name);
		if (!has_words(option))
			continue;
		fprintf(out, "\t%s:--%s) words='", command->name, option->name);
		put_words(out, option->argument);
		fputs("' ;;\n", out);
	}
}

/* -f VALUE and --format VALUE are --format=VALUE. */
static void bash_letters(FILE *out, const struct command *command)
{
	for (size_t i = 0; i < command->n_options; i++) {
		const struct option *option = &command->options[i];

		if (!option->name || !needs_value(option))
			continue;
		fputs("\t\t", out);
		if (option->letter)
			fprintf(out, "%s:-%c|", command->name, option->letter);
		fprintf(out, "%s:--%s) option=--%s ;;\n", command->name, option->name, option->name);
	}
}

static void put_names(FILE *out, const struct command *const list[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s ", list[i]->name);
}

/* Prints the beginning of the function: the first word is a command. */
static void bash_commands(FILE *out, const struct command *const list[], size_t n)
{
	fputs("_cinstr()\n{\n"
	      "\tlocal current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='' words='' "
	      "option='' functions=''\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	      out);
	put_names(out, list, n);
	fputs("--help --version --plugin-path --cflags' -- \"$current\")\n\t\treturn\n\tfi\n"
	      "\tif [ \"$command\" = help ] && [ \"$COMP_CWORD\" -eq 2 ] && [ \"${current:0:1}\" != - ]; "
	      "then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	      out);
	put_names(out, list, n);
	fputs("plugin' -- \"$current\")\n\t\treturn\n\tfi\n", out);
}

/* Prints what sets `option` to that whose value is completed. */
static void bash_option(FILE *out, const struct command *const list[], size_t n)
{
	/* readline takes `=` for the end of a word: --by=mod is three. */
	fputs("\tif [ \"$current\" = = ]; then\n"
	      "\t\toption=${COMP_WORDS[COMP_CWORD-1]} current=''\n"
	      "\telif [ \"${COMP_WORDS[COMP_CWORD-1]}\" = = ]; then\n"
	      "\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\telif [ \"${current:0:2}\" = -- ] && [ \"${current#*=}\" != \"$current\" ]; then\n"
	      "\t\toption=${current%%=*} current=${current#*=}\n"
	      "\telif [ \"$COMP_CWORD\" -gt 2 ]; then\n"
	      "\t\tcase $command:${COMP_WORDS[COMP_CWORD-1]} in\n",
	      out);
	for (size_t i = 0; i < n; i++)
		bash_letters(out, list[i]);
	fputs("\t\tesac\n\tfi\n", out);
}

/* Prints what sets `words` and `functions`: the values of the option, or of the operand. */
static void bash_choices(FILE *out, const struct command *const list[], size_t n)
{
	fputs("\tcase $command:$option in\n", out);
	for (size_t i = 0; i < n; i++)
		bash_values(out, list[i]);
	for (size_t i = 0; i < n; i++)
		if (islower((unsigned char)*list[i]->operands)) {
			fprintf(out, "\t%s:) [ \"$COMP_CWORD\" -gt 2 ] || words='", list[i]->name);
			put_verbs(out, list[i]);
			fputs("' ;;\n", out);
		}
	for (size_t i = 0; i < n; i++)
		if (begins_with_function(list[i]))
			fprintf(out, "\t%s:) [ \"${current:0:1}\" = - ] || functions=1 ;;\n", list[i]->name);
	fputs("\tesac\n", out);
}

/* Completes a value or an operand. */
static const char bash_answer[] =
	/* readline takes `:` for the end of a word, too: of a::b it replaces b only. */
	"\tif [ -n \"$functions\" ]; then\n"
	"\t\tlocal i=$COMP_CWORD before=''\n"
	"\t\twhile [ \"$i\" -gt 2 ] && { [[ ${COMP_WORDS[i-1]} == :* ]] || [[ ${COMP_WORDS[i]} == :* ]]; }; "
	"do\n"
	"\t\t\ti=$((i - 1)) before=${COMP_WORDS[i]}$before\n"
	"\t\tdone\n"
	"\t\t[[ $current == :* ]] && before=$before$current current=''\n"
	"\t\tmapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" help --functions=\"$before$current\" "
	"2>/dev/null)\n"
	"\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
	"\t\t[ \"${#COMPREPLY[@]}\" -gt 0 ] && return\n\tfi\n"
	/* Of a list, a,b, the last one is completed; of +a, a. */
	"\tif [ -n \"$words\" ] && [ \"${current:0:1}\" != - ]; then\n"
	"\t\tlocal last=${current##*[,+]}\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -P \"${current%\"$last\"}\" -W \"$words\" -- \"$last\")\n"
	"\t\t[ \"${#COMPREPLY[@]}\" -gt 0 ] && return\n\tfi\n"
	"\tif [ -n \"$option\" ] || [ \"${current:0:1}\" != - ]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	"\t\tcompopt -o filenames 2>/dev/null\n\t\treturn\n\tfi\n";

void completion_bash(FILE *out, const struct command *const list[], size_t n)
{
	fprintf(out, "# bash completion for cinstr. Made by `cinstr help --completion=bash`.\n%s",
		values_function);
	bash_commands(out, list, n);
	bash_option(out, list, n);
	bash_choices(out, list, n);
	fprintf(out, "%s\tcase $command in\n", bash_answer);
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

static void zsh_value(FILE *out, const struct command *command, const struct option *option)
{
	fputs(":value:", out);
	if (has_words(option)) {
		fputc('(', out);
		put_words(out, option->argument);
		fputc(')', out);
	} else if (is_listed(option)) {
		fprintf(out, "{compset -P \"*[,+]\"; compadd -- $(_cinstr_values %s --%s)}", command->name,
			option->name);
	} else if (is_function(option)) {
		fputs("_cinstr_functions", out);
	} else if (is_file(option)) {
		fputs("_files", out);
	}
}

static void zsh_option(FILE *out, const struct command *command, const struct option *option)
{
	fprintf(out, "\t\t\t'*--%s%s[", option->name, needs_value(option) ? "=" : "");
	zsh_text(out, option->help);
	fputc(']', out);
	if (needs_value(option))
		zsh_value(out, command, option);
	fputs("' \\\n", out);
}

static void zsh_command(FILE *out, const struct command *command)
{
	fprintf(out, "\t%s)\n\t\t_arguments \\\n", command->name);
	for (size_t i = 0; i < command->n_options; i++)
		if (command->options[i].name)
			zsh_option(out, command, &command->options[i]);
	fputs("\t\t\t'--help[print the options]' ", out);
	if (begins_with_function(command))
		fputs("'1:function:_cinstr_functions' ", out);
	if (islower((unsigned char)*command->operands)) {
		fputs("'1:verb:(", out);
		put_verbs(out, command);
		fputs(")' ", out);
	}
	fputs("'*:operand:_files' ;;\n", out);
}

void completion_zsh(FILE *out, const struct command *const list[], size_t n)
{
	fprintf(out,
		"#compdef cinstr\n# zsh completion for cinstr. Made by `cinstr help --completion=zsh`.\n%s",
		values_function);
	fputs("_cinstr_functions()\n{\n"
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
	for (size_t i = 0; i < n; i++)
		zsh_command(out, list[i]);
	fputs("\tesac\n}\n_cinstr \"$@\"\n", out);
}
