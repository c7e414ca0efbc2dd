/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol.h - the Model Context Protocol: its versions, and all its requests but the calls of
 * tools. Clients of 2026-07-28 say their version with each request and nothing is kept of them;
 * clients of older versions begin with `initialize`.
 */
#ifndef REPORT_MCP_PROTOCOL_H
#define REPORT_MCP_PROTOCOL_H

#include "messages.h"

struct protocol {
	int is_initialized; /* by a client of an older version */
	int allows_programs;
};

enum protocol_next { PROTOCOL_ANSWERED, PROTOCOL_CALL, PROTOCOL_LOST };

/* Answers a request, but for tools/call, of which all but the tool's arguments has been checked:
 * PROTOCOL_CALL. PROTOCOL_LOST: nobody reads the answers. */
enum protocol_next protocol_request(struct protocol *protocol, const struct message *message);
/* Answers a tools/call with a result as its client's version has it, which it puts. 0 or -1. */
int protocol_answer(const struct message *message, struct json_object *result);

#endif
