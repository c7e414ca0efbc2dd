/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "messages.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MOST 32

void line_reader_fill(struct line_reader *reader)
{
	char bytes[65536];
	ssize_t n = read(reader->fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		reader->is_over = 1;
		return;
	}
	if (reader->at) {
		memmove(reader->buffer.text, reader->buffer.text + reader->at,
			reader->buffer.length - reader->at);
		reader->buffer.length -= reader->at;
		reader->at = 0;
	}
	strbuf_add(&reader->buffer, bytes, (size_t)n);
}

/* Whether nothing is in the line, which has a newline behind it. */
static int is_blank(const char *line, size_t n)
{
	return strspn(line, " \t\r\n") > n;
}

const char *line_reader_next(struct line_reader *reader, size_t *n)
{
	const char *begin, *end;

	do {
		size_t left = reader->buffer.length - reader->at;

		begin = left ? reader->buffer.text + reader->at : NULL;
		end = left ? memchr(begin, '\n', left) : NULL;
		if (!end) {
			if (left > MESSAGE_BYTES_MOST) {
				reader->is_too_long = 1;
				reader->at = reader->buffer.length;
			}
			return NULL;
		}
		*n = (size_t)(end - begin);
		reader->at += *n + 1;
	} while (!reader->is_too_long && is_blank(begin, *n));
	if (reader->is_too_long || *n > MESSAGE_BYTES_MOST)
		*n = 0;
	reader->is_too_long = 0;
	return begin;
}

static int is_id(struct json_object *id)
{
	return json_object_is_type(id, json_type_string) || json_object_is_type(id, json_type_int);
}

enum message_kind message_read(struct message *message, const char *line, size_t n, int *code,
			       const char **why)
{
	struct json_object *id, *params;
	int has_id;

	*message = (struct message){ .json = NULL };
	*code = RPC_NOT_JSON;
	*why = "the message is too long";
	message->json = n ? json_read(line, n, DEPTH_MOST, why) : NULL;
	if (!message->json)
		return MESSAGE_WRONG;
	*code = RPC_NOT_REQUEST;
	*why = "not an object: one request or notification a line";
	if (!json_object_is_type(message->json, json_type_object))
		return MESSAGE_WRONG;
	has_id = json_object_object_get_ex(message->json, "id", &id);
	message->id = has_id && is_id(id) ? id : NULL;
	message->method = json_member_text(message->json, "method");
	if (!message->method && (json_object_object_get_ex(message->json, "result", NULL) ||
				 json_object_object_get_ex(message->json, "error", NULL)))
		return MESSAGE_IGNORED; /* an answer: nothing was asked */
	*why = "\"jsonrpc\" is not \"2.0\"";
	if (!json_member_text(message->json, "jsonrpc") ||
	    strcmp(json_member_text(message->json, "jsonrpc"), "2.0") != 0)
		return MESSAGE_WRONG;
	*why = "there is no \"method\"";
	if (!message->method)
		return MESSAGE_WRONG;
	*why = "the \"id\" is neither a text nor a whole number";
	if (has_id && !message->id)
		return MESSAGE_WRONG;
	if (json_object_object_get_ex(message->json, "params", &params) && params) {
		if (!json_object_is_type(params, json_type_object)) {
			*code = RPC_WRONG_PARAMS;
			*why = "\"params\" is not an object";
			return has_id ? MESSAGE_WRONG : MESSAGE_IGNORED;
		}
		message->params = params;
	}
	return has_id ? MESSAGE_REQUEST : MESSAGE_NOTICE;
}

void message_release(struct message *message)
{
	json_object_put(message->json);
	*message = (struct message){ .json = NULL };
}

static int write_line(struct json_object *message)
{
	STRBUF(line);
	size_t done = 0;

	strbuf_puts(&line, json_line(message));
	strbuf_puts(&line, "\n");
	json_object_put(message);
	while (done < line.length) {
		ssize_t n = write(STDOUT_FILENO, line.text + done, line.length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done < line.length)
		done = 0;
	return done ? 0 : -1;
}

static struct json_object *answer_to(struct json_object *id)
{
	struct json_object *answer = json_object_new_object();

	json_add_text(answer, "jsonrpc", "2.0");
	json_object_object_add(answer, "id", json_object_get(id));
	return answer;
}

int message_answer(struct json_object *id, struct json_object *result)
{
	struct json_object *answer = answer_to(id);

	json_object_object_add(answer, "result", result);
	return write_line(answer);
}

int message_fail(struct json_object *id, int code, const char *why, struct json_object *data)
{
	struct json_object *answer = answer_to(id), *problem = json_add_object(answer, "error");
	STRBUF(text);

	strbuf_visible(&text, why);
	json_object_object_add(problem, "code", json_object_new_int(code));
	json_add_text(problem, "message", text.text);
	if (data)
		json_object_object_add(problem, "data", data);
	return write_line(answer);
}
