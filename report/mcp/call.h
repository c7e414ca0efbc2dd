/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call.h - a call of a tool: its checked arguments, and the verb's command line made from them.
 */
#ifndef REPORT_MCP_CALL_H
#define REPORT_MCP_CALL_H

#include "tools.h"
#include "worker.h"

struct call {
	const struct tool *tool;
	struct json_object *arguments; /* owned by the client's message; NULL: none */
	struct job job;
	uint64_t numbers[N_NUMBERS];
	int has_columns;
};

/* Checks the arguments and makes the command line. Returns 0, or -1 with `why` naming the wrong
 * one. `arguments` stays the caller's and must outlive the call. */
int call_make(struct call *call, const struct tool *tool, const struct folders *folders,
	      struct json_object *arguments, struct strbuf *why);
void call_release(struct call *call);

#endif
