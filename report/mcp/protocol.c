/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol.h"

#include <string.h>

#include "cmd.h"
#include "tools.h"

#define META "io.modelcontextprotocol/"
#define LIST_TTL_MS 3600000

/* The newest first. The first one has no `initialize`. */
static const char *const versions[] = { "2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05" };
#define OLDER 1

static const char instructions[] =
	"cinstr measures where programs spend their time. Ask `summary` first, then what its `answer.next` "
	"has: calls to be sent as they are. `findings` and `explain` tell what could be saved and when that "
	"is a false alarm; `report`, `callers` and `annotate` lead from functions to lines; `waits` tells of "
	"locks; `diff` compares sessions. Times are nanoseconds (_ns). Names of functions that an answer has "
	"can be given to other tools as they are. What has source \"estimate\", or an uncertainty of more "
	"than half of it, is not to be relied on.";

/* The member of the request's _meta, or NULL. */
static struct json_object *meta_of(const struct message *message, const char *name, enum json_type type)
{
	struct json_object *meta =
		message->params ? json_member(message->params, "_meta", json_type_object) : NULL;

	return meta ? json_member(meta, name, type) : NULL;
}

/* Whether its version is said with the request. */
static int is_modern(const struct message *message)
{
	return meta_of(message, META "protocolVersion", json_type_string) != NULL;
}

static void put_server(struct json_object *object, const char *name)
{
	struct json_object *server = json_add_object(object, name);

	json_add_text(server, "name", "cinstr");
	json_add_text(server, "title", "cinstr, a profiler");
	json_add_text(server, "version", CINSTR_VERSION);
}

static void put_versions(struct json_object *object, const char *name)
{
	struct json_object *list = json_add_list(object, name);

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		json_append_text(list, versions[i]);
}

/* What every result has since results say who has made them. */
static void put_envelope(struct json_object *result)
{
	json_add_text(result, "resultType", "complete");
	put_server(json_add_object(result, "_meta"), META "serverInfo");
}

int protocol_answer(const struct message *message, struct json_object *result)
{
	if (is_modern(message))
		put_envelope(result);
	return message_answer(message->id, result);
}

/* The same of results that stay as they are. */
static int answer_lasting(const struct message *message, struct json_object *result)
{
	if (is_modern(message)) {
		json_add_count(result, "ttlMs", LIST_TTL_MS);
		json_add_text(result, "cacheScope", "private");
	}
	return protocol_answer(message, result);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void put_capabilities(struct json_object *result)
{
	json_add_object(json_add_object(result, "capabilities"), "tools");
}

static int initialize(struct protocol *protocol, const struct message *message)
{
	const char *asked = message->params ? json_member_text(message->params, "protocolVersion") : NULL;
	const char *version = versions[OLDER];
	struct json_object *result;

	if (!asked)
		return message_fail(message->id, RPC_WRONG_PARAMS, "initialize: there is no protocolVersion",
				    NULL);
	for (size_t i = OLDER; i < ARRAY_SIZE(versions); i++)
		if (!strcmp(versions[i], asked))
			version = versions[i];
	protocol->is_initialized = 1;
	result = json_object_new_object();
	json_add_text(result, "protocolVersion", version);
	put_capabilities(result);
	put_server(result, "serverInfo");
	json_add_text(result, "instructions", instructions);
	return message_answer(message->id, result);
}

static int discover(struct protocol *protocol, const struct message *message)
{
	struct json_object *result = json_object_new_object();

	(void)protocol;
	put_versions(result, "supportedVersions");
	put_capabilities(result);
	json_add_text(result, "instructions", instructions);
	return answer_lasting(message, result);
}

static int ping(struct protocol *protocol, const struct message *message)
{
	(void)protocol;
	return message_answer(message->id, json_object_new_object());
}

static int list_tools(struct protocol *protocol, const struct message *message)
{
	struct json_object *result, *list, *cursor;

	if (message->params && json_object_object_get_ex(message->params, "cursor", &cursor))
		return message_fail(message->id, RPC_WRONG_PARAMS,
				    "tools/list: there is no such cursor: one page has all", NULL);
	result = json_object_new_object();
	list = json_add_list(result, "tools");
	for (size_t i = 0; i < n_tools; i++)
		if (protocol->allows_programs || !tools[i].runs_programs)
			tool_describe(&tools[i], list);
	return answer_lasting(message, result);
}

/* Checks the request but for the tool's arguments; 0 or -1 when an error was answered: 1, when
 * that could not be. */
static enum protocol_next check_call(const struct message *message)
{
	const char *name = message->params ? json_member_text(message->params, "name") : NULL;
	struct json_object *arguments;
	STRBUF(why);
	int lost;

	if (!name)
		strbuf_puts(&why, "tools/call: there is no name of a tool");
	else if (!tool_find(name))
		strbuf_printf(&why, "there is no tool '%s'", name);
	else if (json_object_object_get_ex(message->params, "arguments", &arguments) && arguments &&
		 !json_object_is_type(arguments, json_type_object))
		strbuf_puts(&why, "tools/call: \"arguments\" is not an object");
	if (!why.length)
		return PROTOCOL_CALL;
	lost = message_fail(message->id, RPC_WRONG_PARAMS, why.text, NULL);
	return lost ? PROTOCOL_LOST : PROTOCOL_ANSWERED;
}

/* Of the version that is said with the request, or of older ones, or of all. */
enum since { MODERN_ONLY, OLDER_ONLY, ALL };

static const struct {
	const char *name;
	enum since since;
	int is_early; /* may come before initialize */
	int (*answer)(struct protocol *protocol, const struct message *message); /* NULL: a call */
} methods[] = {
	{ "initialize", OLDER_ONLY, 1, initialize },
	{ "ping", OLDER_ONLY, 1, ping },
	{ "server/discover", MODERN_ONLY, 0, discover },
	{ "tools/list", ALL, 0, list_tools },
	{ "tools/call", ALL, 0, NULL },
};

/* 0, or what message_fail() has said. *is_wrong: an error was answered. */
static int check_version(const struct message *message, int *is_wrong)
{
	struct json_object *version = meta_of(message, META "protocolVersion", json_type_string), *data;

	*is_wrong = 1;
	if (strcmp(json_object_get_string(version), versions[0]) != 0) {
		data = json_object_new_object();
		put_versions(data, "supported");
		json_object_object_add(data, "requested", json_object_get(version));
		return message_fail(message->id, RPC_OTHER_VERSION, "Unsupported protocol version", data);
	}
	if (!meta_of(message, META "clientCapabilities", json_type_object))
		return message_fail(message->id, RPC_WRONG_PARAMS, "_meta has no " META "clientCapabilities",
				    NULL);
	*is_wrong = 0;
	return 0;
}

static int fail_unknown(const struct message *message)
{
	STRBUF(why);

	strbuf_printf(&why, "there is no method '%s'", message->method);
	return message_fail(message->id, RPC_NO_METHOD, why.text, NULL);
}

static int fail_early(const struct message *message)
{
	return message_fail(message->id, RPC_WRONG_PARAMS,
			    "which version? Neither did initialize come before, nor does _meta have " META
			    "protocolVersion",
			    NULL);
}

enum protocol_next protocol_request(struct protocol *protocol, const struct message *message)
{
	int modern = is_modern(message), is_wrong = 0, lost = modern ? check_version(message, &is_wrong) : 0;
	size_t i = 0;

	while (i < ARRAY_SIZE(methods) && strcmp(methods[i].name, message->method) != 0)
		i++;
	if (is_wrong)
		return lost ? PROTOCOL_LOST : PROTOCOL_ANSWERED;
	if (i < ARRAY_SIZE(methods) && !modern && !methods[i].is_early && !protocol->is_initialized)
		lost = fail_early(message);
	else if (i == ARRAY_SIZE(methods) || methods[i].since == (modern ? OLDER_ONLY : MODERN_ONLY))
		lost = fail_unknown(message);
	else if (!methods[i].answer)
		return check_call(message);
	else
		lost = methods[i].answer(protocol, message);
	return lost ? PROTOCOL_LOST : PROTOCOL_ANSWERED;
}
