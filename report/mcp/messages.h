/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * messages.h - JSON-RPC 2.0, one message a line: lines of a client taken apart, answers put
 * together. Knows of the protocol's versions only what is around a result.
 */
#ifndef REPORT_MCP_MESSAGES_H
#define REPORT_MCP_MESSAGES_H

#include "json/json.h"
#include "lib/util.h"

#define MESSAGE_BYTES_MOST (1 << 20)

/* Errors of the protocol. */
enum {
	RPC_NOT_JSON = -32700,
	RPC_NOT_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_WRONG_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_OTHER_VERSION = -32022,
};

/* Lines of a descriptor. */
struct line_reader {
	int fd;
	int is_over;	 /* nothing comes any more */
	int is_too_long; /* the rest of the line is left out */
	struct strbuf buffer;
	size_t at; /* begin of the next line */
};

/* Reads once. */
void line_reader_fill(struct line_reader *reader);
/* Returns the next whole line of *n bytes, which lives until the next call; NULL: there is none. *n
 * 0: one that was too long. What is behind the last newline is no line. */
const char *line_reader_next(struct line_reader *reader, size_t *n);

enum message_kind { MESSAGE_REQUEST, MESSAGE_NOTICE, MESSAGE_IGNORED, MESSAGE_WRONG };

struct message {
	struct json_object *json;
	struct json_object *id; /* of a request; parts of json, as the others */
	const char *method;
	struct json_object *params; /* NULL: none */
};

/* Takes a line apart. MESSAGE_WRONG: *code and *why are what to answer to message->id, which may be
 * NULL. The message is to be released in all cases. */
enum message_kind message_read(struct message *message, const char *line, size_t n, int *code,
			       const char **why);
void message_release(struct message *message);

/* Writes the answer to a request, and puts `result`, or an error; `data` may be NULL. 0, or -1:
 * nobody reads any more. */
int message_answer(struct json_object *id, struct json_object *result);
int message_fail(struct json_object *id, int code, const char *why, struct json_object *data);

#endif
