/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tools.h - the table of tools: purpose, arguments and the verb's options that they become. The
 * schema for clients and the check of their calls are made from it.
 */
#ifndef REPORT_MCP_TOOLS_H
#define REPORT_MCP_TOOLS_H

#include "cmd.h"
#include "json/json.h"

enum argument_type {
	ARGUMENT_SESSION,  /* the verb's last operand; without it `fallback` */
	ARGUMENT_SESSIONS, /* a list of at least one */
	ARGUMENT_OPERAND,  /* a text in front of the session */
	ARGUMENT_TEXT,	   /* option=TEXT */
	ARGUMENT_WORD,	   /* option=WORD, of `words` */
	ARGUMENT_FLAG,	   /* option, if true */
	ARGUMENT_NUMBER,   /* sets `number` */
	ARGUMENT_TEXTS,	   /* arguments of the program to record */
};

/* Numbers of a call; each has a range. */
enum tool_number { NUMBER_LIMIT, NUMBER_OFFSET, NUMBER_BYTES, NUMBER_SECONDS, N_NUMBERS };

struct tool_argument {
	const char *name;
	enum argument_type type;
	const char *help;
	const char *option;   /* "--by"; NULL: none */
	const char *words;    /* "function|line" */
	const char *fallback; /* default session; NULL: none */
	int is_required;
	enum tool_number number;
};

struct tool {
	const char *name, *title, *description;
	const struct command *command;
	const char *const *options; /* of the verb, always passed; terminated by NULL */
	const struct tool_argument *arguments;
	size_t n_arguments;
	/* The list that is paged: "rows", or a list in each element of a list: "sources.lines";
	 * NULL: none. */
	const char *list;
	/* member of "session" with the number of rows left out by the verb; NULL: none */
	const char *hidden;
	/* Members that are kept, and those of "session", terminated by NULL; NULL: all. */
	const char *const *keeps;
	const char *const *session_keeps;
	int takes_limit;   /* the verb has --limit for rows */
	int is_plain_text; /* the verb prints plain text */
	int runs_programs;
};

extern const struct tool tools[];
extern const size_t n_tools;

/* Returns the tool with that name, or NULL. */
const struct tool *tool_find(const char *name);
/* Default and range of a number. */
struct tool_number_range {
	uint64_t fallback, least, most;
};
extern const struct tool_number_range tool_numbers[N_NUMBERS];

/* Adds the description for clients to a list. */
void tool_describe(const struct tool *tool, struct json_object *list);

#endif
