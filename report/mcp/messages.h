/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * messages.h - JSON-RPC 2.0 with one message per line: parses lines of a client, writes answers. It
 * does not look into parameters and results, which depend on the protocol's version (protocol.h).
 */
#ifndef REPORT_MCP_MESSAGES_H
#define REPORT_MCP_MESSAGES_H

#include "json/json.h"
#include "lib/util.h"

#define MESSAGE_BYTES_MOST (1 << 20)

/* Error codes of the protocol. */
enum {
	RPC_NOT_JSON = -32700,
	RPC_NOT_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_WRONG_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_OTHER_VERSION = -32022,
};

/* Reads lines from a descriptor. */
struct line_reader {
	int fd;
	int is_over;	 /* end of the input */
	int is_too_long; /* skips the rest of the line */
	struct strbuf buffer;
	size_t at; /* begin of the next line */
};

/* Reads once from the descriptor. */
void line_reader_fill(struct line_reader *reader);
/* Returns the next complete line, of *n bytes, valid until the next call; NULL: there is none. *n
 * 0: the line was too long. Text after the last newline is not a line. */
const char *line_reader_next(struct line_reader *reader, size_t *n);

enum message_kind { MESSAGE_REQUEST, MESSAGE_NOTICE, MESSAGE_IGNORED, MESSAGE_WRONG };

struct message {
	struct json_object *json;
	struct json_object *id; /* of a request; part of `json`, as the others */
	const char *method;
	struct json_object *params; /* NULL: none */
};

/* Parses a line. MESSAGE_WRONG: *code and *why are the error for message->id, which may be NULL.
 * Release the message in all cases. */
enum message_kind message_read(struct message *message, const char *line, size_t n, int *code,
			       const char **why);
void message_release(struct message *message);

/* Write the result of a request, or an error with `data` or NULL, and release that. Return 0, or -1
 * if the client does not read any more. */
int message_answer(struct json_object *id, struct json_object *result);
int message_fail(struct json_object *id, int code, const char *why, struct json_object *data);

#endif
