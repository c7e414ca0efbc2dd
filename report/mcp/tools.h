/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tools.h - the tools as one table: what each is for, its arguments, which make both the schema
 * that clients read and the check of what they send, and the verb's options that they become.
 */
#ifndef REPORT_MCP_TOOLS_H
#define REPORT_MCP_TOOLS_H

#include "cmd.h"
#include "json/json.h"

enum argument_type {
	ARGUMENT_SESSION,  /* the verb's last operand; without it `fallback` */
	ARGUMENT_SESSIONS, /* a list of them, one at least */
	ARGUMENT_OPERAND,  /* a text before the session */
	ARGUMENT_TEXT,	   /* option=TEXT */
	ARGUMENT_WORD,	   /* option=WORD, of `words` */
	ARGUMENT_FLAG,	   /* option, if it is true */
	ARGUMENT_NUMBER,   /* of `number` */
	ARGUMENT_TEXTS,	   /* of what is recorded: the program's arguments */
};

/* Numbers of a call; each has its least and most value. */
enum tool_number { NUMBER_LIMIT, NUMBER_OFFSET, NUMBER_BYTES, NUMBER_SECONDS, N_NUMBERS };

struct tool_argument {
	const char *name;
	enum argument_type type;
	const char *help;
	const char *option;   /* "--by"; NULL: none */
	const char *words;    /* "function|line" */
	const char *fallback; /* of a session; NULL: none */
	int is_required;
	enum tool_number number;
};

struct tool {
	const char *name, *title, *description;
	const struct command *command;
	const char *const *options; /* of the verb, always; the last is NULL */
	const struct tool_argument *arguments;
	size_t n_arguments;
	/* what is paged: "rows", or lists in a list: "sources.lines"; NULL: nothing */
	const char *list;
	const char *hidden; /* of "session": how many rows the verb has left out; NULL: none */
	/* members that are kept, and those of "session"; the last is NULL; NULL: all */
	const char *const *keeps;
	const char *const *session_keeps;
	int takes_limit;   /* the verb has --limit, of rows */
	int is_plain_text; /* what the verb prints */
	int runs_programs;
};

extern const struct tool tools[];
extern const size_t n_tools;

/* NULL: there is none. */
const struct tool *tool_find(const char *name);
/* What the number is without an argument, and what it may be. */
struct tool_number_range {
	uint64_t fallback, least, most;
};
extern const struct tool_number_range tool_numbers[N_NUMBERS];

/* Adds what clients are told of the tool to a list. */
void tool_describe(const struct tool *tool, struct json_object *list);

#endif
