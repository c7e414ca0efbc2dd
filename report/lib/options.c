/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

#define HELP_COLUMN 26
#define HELP_WIDTH 80
#define OPTIONS_MAX 64

static const char *program_of(const struct command *command)
{
	return command->program ? command->program : "cinstr";
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Index of `word` in "a|b|c"; -1. */
static int choice_index(const char *choices, const char *word)
{
	size_t n = strlen(word);

	for (int i = 0; *choices; i++) {
		size_t length = strcspn(choices, "|");

		if (n == length && !strncmp(choices, word, n))
			return i;
		choices += length + (choices[length] == '|');
	}
	return -1;
}

static int is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 20;
}

static int is_size(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (!strcmp(text, "unlimited"))
		return 1;
	return digits && digits < 19 &&
	       (!text[digits] || (strchr("KMGkmg", text[digits]) && !text[digits + 1]));
}

static int is_allowed(const struct option *option, const char *value)
{
	if (!strcmp(option->argument, "N"))
		return is_number(value);
	if (!strcmp(option->argument, "SIZE"))
		return is_size(value);
	if (strchr(option->argument, '|') && !strpbrk(option->argument, "[ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		return choice_index(option->argument, value) >= 0;
	return 1;
}

static int percent_parse(const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return end == text || *end || errno || !(*value >= 0 && *value <= 100) ? -1 : 0;
}

static void each_add(const struct option *option, const char *value, struct option_each *each)
{
	struct strbuf item = { 0 };

	strbuf_printf(&item, "%s=%s", option->name, value);
	each->items = xrealloc(each->items, each->n + 1, sizeof(*each->items));
	each->items[each->n++] = item.text;
}

static int value_set(const struct option *option, const char *value, void *values)
{
	void *at = (char *)values + option->offset;

	switch (option->type) {
	case OPTION_FLAG:
		*(int *)at = 1;
		return 0;
	case OPTION_TEXT:
		*(const char **)at = value;
		return is_allowed(option, value) ? 0 : -1;
	case OPTION_MAYBE:
		*(const char **)at = value;
		return 0;
	case OPTION_CHOICE:
		*(int *)at = choice_index(option->argument, value);
		return *(int *)at < 0 ? -1 : 0;
	case OPTION_NUMBER:
		*(uint64_t *)at = strtoull(value, NULL, 10);
		return is_number(value) ? 0 : -1;
	case OPTION_PERCENT:
		return percent_parse(value, at);
	case OPTION_EACH:
		if (!is_allowed(option, value))
			return -1;
		each_add(option, value, at);
		return 0;
	}
	return -1;
}

/* ---- finding options ------------------------------------------------------------------------- */

static const struct option *by_letter(const struct command *command, char letter)
{
	for (size_t i = 0; i < command->n_options; i++)
		if (command->options[i].name && command->options[i].letter == letter)
			return &command->options[i];
	return NULL;
}

/* Every command has it. */
static const struct option help_option = { "help", 'h', OPTION_FLAG, NULL, 0, "print this", NULL };

/* The option of this name, or the only one that begins so. NULL: none; `several` says which begin
 * so. */
static const struct option *by_name(const struct command *command, const char *name, size_t length,
				    struct strbuf *several)
{
	const struct option *found = NULL;
	size_t n_found = 0;

	for (size_t i = 0; i <= command->n_options; i++) {
		const struct option *option = i < command->n_options ? &command->options[i] : &help_option;

		if (!option->name || strncmp(option->name, name, length) != 0)
			continue;
		if (!option->name[length])
			return option;
		strbuf_printf(several, "%s--%s", n_found++ ? ", " : "", option->name);
		found = option;
	}
	if (n_found == 1 && length)
		return found;
	if (!length)
		strbuf_clear(several);
	return NULL;
}

static int is_among(const char *names, const char *name, size_t n)
{
	for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == n && !strncmp(at, name, n))
			return 1;
	return 0;
}

const char *options_why_absent(const struct absent_options *list, const char *name, size_t length)
{
	for (; list && list->names; list++)
		if (is_among(list->names, name, length))
			return list->why;
	return NULL;
}

static const struct absent_options *absent_everywhere;

void options_absent_everywhere(const struct absent_options *list)
{
	absent_everywhere = list;
}

/* argument: "--name=value", or "-Fvalue". */
static const char *why_absent(const struct command *command, const char *argument)
{
	int is_letter = argument[1] != '-';
	const char *name = is_letter ? argument : argument + 2, *why;
	size_t n = is_letter ? 2 : strcspn(name, "=");

	why = options_why_absent(command->absent, name, n);
	return why ? why : options_why_absent(absent_everywhere, name, n);
}

static void say_unknown(const struct command *command, const char *argument)
{
	const char *names[OPTIONS_MAX] = { "help" }, *closest, *why = why_absent(command, argument);
	size_t n = 1, length = strcspn(argument, "=");
	FREED char *word = xstrdup(argument);
	FREED char *shown = NULL;

	word[length] = '\0';
	shown = util_visible(word);
	for (size_t i = 0; i < command->n_options && n < OPTIONS_MAX; i++)
		if (command->options[i].name)
			names[n++] = command->options[i].name;
	closest = word[0] == '-' && word[1] == '-' ? util_closest(word + 2, names, n) : NULL;
	if (why)
		error("%s has no %.*s: %s", command->name, argument[1] == '-' ? (int)strlen(shown) : 2, shown,
		      why);
	else if (closest)
		error("%s: unknown option '%s'; did you mean --%s?", command->name, shown, closest);
	else
		error("%s: unknown option '%s' (see %s %s --help)", command->name, shown, program_of(command),
		      command->name);
}

static void say_bad_value(const struct command *command, const struct option *option, const char *value)
{
	error("%s: --%s does not take '%s'; it takes %s", command->name, option->name, util_shown(value),
	      option->argument);
}

/* ---- parsing --------------------------------------------------------------------------------- */

struct parse {
	const struct command *command;
	void *values;
	int argc, at; /* argv[at] is looked at */
	char **argv;
};

/*
 * Gives the option its value, from behind `=`, from the rest of a letter, or from the next
 * argument.
 */
static int option_take(struct parse *p, const struct option *option, const char *value)
{
	if (option->type == OPTION_FLAG && value)
		return error("%s: --%s takes no value", p->command->name, option->name);
	if (option->type == OPTION_MAYBE && !value)
		value = "";
	if (option->type != OPTION_FLAG && !value) {
		if (p->at + 1 >= p->argc)
			return error("%s: --%s needs a value: %s", p->command->name, option->name,
				     option->argument);
		value = p->argv[++p->at];
	}
	if (!value_set(option, value, p->values))
		return 0;
	say_bad_value(p->command, option, value);
	return -1;
}

/* Of an option that is none, or that may be several. */
static void say_no_option(const struct command *command, const char *argument, const struct strbuf *several)
{
	FREED char *shown = NULL;

	if (!several->length) {
		say_unknown(command, argument);
		return;
	}
	shown = util_visible(argument);
	shown[strcspn(shown, "=")] = '\0';
	error("%s: '%s' is not clear: it may be %s", command->name, shown, several->text);
}

static int long_parse(struct parse *p, const char *argument)
{
	const char *equals = strchr(argument, '=');
	STRBUF(several);
	size_t length = equals ? (size_t)(equals - argument - 2) : strlen(argument + 2);
	const struct option *option = by_name(p->command, argument + 2, length, &several);
	int status = -1;

	if (option == &help_option && !equals) {
		options_help(p->command, stdout);
		status = 1;
	} else if (option && option != &help_option) {
		status = option_take(p, option, equals ? equals + 1 : NULL);
	} else {
		say_no_option(p->command, argument, &several);
	}
	return status;
}

/* 0; 1: help was asked for, and printed; or -1 after an error message. */
static int argument_parse(struct parse *p)
{
	const char *argument = p->argv[p->at];
	const struct option *option;

	if (!strcmp(argument, "-h")) {
		options_help(p->command, stdout);
		return 1;
	}
	if (argument[1] != '-') {
		option = by_letter(p->command, argument[1]);
		if (option && (option->type != OPTION_FLAG || !argument[2]))
			return option_take(p, option, argument[2] ? argument + 2 : NULL);
		say_unknown(p->command, argument);
		return -1;
	}
	return long_parse(p, argument);
}

enum options_result options_parse(const struct command *command, int argc, char **argv, void *values,
				  int *n_operands)
{
	struct parse p = { command, values, argc, 1, argv };
	int only_operands = 0, status = 0;

	*n_operands = 0;
	for (; p.at < argc; p.at++) {
		char *argument = argv[p.at];

		if (!only_operands && !strcmp(argument, "--")) {
			only_operands = 1;
		} else if (only_operands || argument[0] != '-' || !argument[1]) {
			argv[++*n_operands] = argument;
			only_operands |= command->stops_at_operand;
		} else {
			status = argument_parse(&p);
		}
		if (status)
			return status > 0 ? OPTIONS_HELP : OPTIONS_WRONG;
	}
	if (command->stops_at_operand || *n_operands <= command->max_operands)
		return OPTIONS_OK;
	error("%s: one operand too many: '%s'", command->name, argv[command->max_operands + 1]);
	return OPTIONS_WRONG;
}

/* ---- help ------------------------------------------------------------------------------------ */

/* Prints text from HELP_COLUMN on, wrapped and indented to it. */
static void print_wrapped(FILE *out, const char *text)
{
	size_t at = HELP_COLUMN;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > HELP_COLUMN && at + 1 + n > HELP_WIDTH) {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		} else if (at > HELP_COLUMN) {
			fputc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", (int)n, text);
		at += n;
		text += n + strspn(text + n, " ");
	}
	fputc('\n', out);
}

/* The words of a choice go on in the next line where they have no room in one. */
static void print_option(FILE *out, const char *text)
{
	size_t n = strlen(text), fit = HELP_WIDTH;

	while (n > HELP_WIDTH && fit > 1 && text[fit - 1] != '|')
		fit--;
	if (n <= HELP_WIDTH || fit <= 1)
		fprintf(out, "%s\n", text);
	else
		fprintf(out, "%.*s\n%*s%s\n", (int)fit, text, 6, "", text + fit);
}

static void option_help(const struct option *option, FILE *out)
{
	STRBUF(left);
	STRBUF(right);

	if (option->letter)
		strbuf_printf(&left, "  -%c, --%s", option->letter, option->name);
	else
		strbuf_printf(&left, "  --%s", option->name);
	if (option->type == OPTION_MAYBE)
		strbuf_printf(&left, "[=%s]", option->argument);
	else if (option->type != OPTION_FLAG)
		strbuf_printf(&left, "=%s", option->argument);
	strbuf_puts(&right, option->help);
	if (option->fallback && *option->fallback)
		strbuf_printf(&right, " (default: %s)", option->fallback);
	if (left.length + 2 > HELP_COLUMN) {
		print_option(out, left.text);
		fprintf(out, "%*s", HELP_COLUMN, "");
	} else {
		fprintf(out, "%-*s", HELP_COLUMN, left.text);
	}
	print_wrapped(out, right.text);
}

/* A word, on a new line where there is no room on this one. Returns where it ends. */
static size_t print_word(FILE *out, const char *word, size_t n, size_t at)
{
	if (at && at + 1 + n > HELP_WIDTH) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%s%.*s", at ? " " : "", (int)n, word);
	return at + (at ? 1 : 0) + n;
}

/* Paragraphs, which are filled. Lines that begin with a blank stay as they are. */
static void print_paragraphs(FILE *out, const char *text)
{
	size_t at = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t n = strcspn(text, "\n");

		if (!n || *text == ' ') {
			fprintf(out, "%s%.*s\n", at ? "\n" : "", (int)n, text);
			at = 0;
			continue;
		}
		for (const char *word = text; word < text + n; word += strspn(word, " ")) {
			size_t length = strcspn(word, " \n");

			at = print_word(out, word, length, at);
			word += length;
		}
	}
	fputs(at ? "\n" : "", out);
}

void options_help(const struct command *command, FILE *out)
{
	fprintf(out, "Usage: %s %s [OPTION...] %s\n", program_of(command), command->name, command->operands);
	print_paragraphs(out, command->summary);
	fputs("\nOptions:\n", out);
	for (size_t i = 0; i < command->n_options; i++)
		if (command->options[i].name)
			option_help(&command->options[i], out);
	option_help(&help_option, out);
	if (command->notes) {
		fputc('\n', out);
		print_paragraphs(out, command->notes);
	}
	if (command->examples)
		fprintf(out, "\nExamples:\n%s", command->examples);
}
