/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol.h - the Model Context Protocol: its versions, and all requests except for calls of
 * tools. Clients of version 2026-07-28 send their version with each request, without a state in the
 * server; clients of older versions begin with `initialize`.
 */
#ifndef REPORT_MCP_PROTOCOL_H
#define REPORT_MCP_PROTOCOL_H

#include "messages.h"

struct protocol {
	int is_initialized; /* by a client of an older version */
	int allows_programs;
};

enum protocol_next { PROTOCOL_ANSWERED, PROTOCOL_CALL, PROTOCOL_LOST };

/* Answers a request. Returns PROTOCOL_CALL for tools/call, checked except for the tool's arguments,
 * which the caller answers; PROTOCOL_LOST if nobody reads the answers. */
enum protocol_next protocol_request(struct protocol *protocol, const struct message *message);
/* Answers a tools/call with a result in the form of the client's version, and puts the result.
 * Returns 0, or -1 if nobody reads any more. */
int protocol_answer(const struct message *message, struct json_object *result);

#endif
