/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call.h - a call of a tool: its arguments, checked, and the verb's command line that is made of
 * them.
 */
#ifndef REPORT_MCP_CALL_H
#define REPORT_MCP_CALL_H

#include "tools.h"
#include "worker.h"

struct call {
	const struct tool *tool;
	struct json_object *arguments; /* the client's; NULL: none */
	struct job job;
	uint64_t numbers[N_NUMBERS];
	int has_columns;
};

/* Checks arguments, and makes a command line of them. 0, or -1: `why` says which one is wrong.
 * `arguments` stays the caller's, and has to stay there. */
int call_make(struct call *call, const struct tool *tool, const struct folders *folders,
	      struct json_object *arguments, struct strbuf *why);
void call_release(struct call *call);

#endif
