/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - a command's options in one table, which parses them and prints --help.
 *
 * A table contains the offset of each option's value in the command's struct of values; the caller
 * fills that with defaults before.
 */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

enum option_type {
	OPTION_FLAG, /* int: 1 */
	/* const char *; the argument "a|b|c" restricts it to these words, N to a number, SIZE to a
	 * size */
	OPTION_TEXT,
	OPTION_MAYBE,	/* const char *; "" without =VALUE */
	OPTION_CHOICE,	/* int: index of the word in the argument "a|b|c" */
	OPTION_NUMBER,	/* uint64_t */
	OPTION_PERCENT, /* double, 0 to 100 */
	OPTION_EACH,	/* struct option_each; each occurrence adds "NAME=VALUE" */
};

/* Values of options that may be repeated, in order. Several options may share one list. */
struct option_each {
	char **items;
	size_t n;
};

struct option {
	const char *name; /* NULL: no option, skipped */
	char letter;	  /* 0: none */
	enum option_type type;
	const char *argument; /* as shown by --help */
	size_t offset;	      /* offset of the value in the command's struct */
	const char *help;
	const char *fallback; /* default as shown by --help; NULL or "": none */
};

/* Options that other commands have, and why this one does not have them. */
struct absent_options {
	const char *names; /* separated by spaces; letters: "-F" */
	const char *why;
};

/* Returns `why` of the first row that contains the name (of `length` bytes), or NULL. The last row
 * has no names. */
const char *options_why_absent(const struct absent_options *list, const char *name, size_t length);

/* Sets a list of options that no command has. A command's own list is searched first. */
void options_absent_everywhere(const struct absent_options *list);

struct command {
	const char *name, *operands, *summary;
	const char *program; /* name of the program; NULL: cinstr */
	const struct option *options;
	size_t n_options;
	int max_operands;
	int stops_at_operand; /* what follows the first operand is not parsed */
	const char *notes;    /* further text of --help; NULL: none */
	const char *examples;
	const struct absent_options *absent; /* the last row has no names; NULL: none */
	int (*run)(const struct command *command, int argc, char **argv);
};

/* The members of struct command for an array of options. */
#define OPTIONS_OF(array) .options = (array), .n_options = sizeof(array) / sizeof((array)[0])

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_WRONG };

/* Parses argv, where argv[0] is the command's name. Moves the operands to argv[1 .. *n_operands].
 * OPTIONS_HELP, OPTIONS_WRONG: help or error message has been printed. */
enum options_result options_parse(const struct command *command, int argc, char **argv, void *values,
				  int *n_operands);

void options_help(const struct command *command, FILE *out);

#endif
