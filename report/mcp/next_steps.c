/* SPDX-License-Identifier: GPL-3.0-or-later */
/* next_steps.c - suggests next calls after an answer, complete with arguments (answer.h). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"

#define FINDINGS_MOST 3

/* A step, with the session that it is of; its arguments can be added to. */
static struct json_object *step(struct json_object *next, const char *tool, const char *why,
				const char *session)
{
	struct json_object *object = json_append_object(next), *arguments;

	json_add_text(object, "tool", tool);
	arguments = json_add_object(object, "arguments");
	if (session)
		json_add_text(arguments, "session", session);
	json_add_text(object, "why", why);
	return arguments;
}

/* The session that the last part of the answer is of: of two the second. */
static const char *session_of(const struct call *call)
{
	return call->job.n_sessions ? call->job.sessions[call->job.n_sessions - 1] : NULL;
}

/* The i-th of a list's objects, or NULL. */
static struct json_object *nth(struct json_object *object, const char *list, size_t i)
{
	struct json_object *rows = json_member(object, list, json_type_array);

	return rows && i < json_object_array_length(rows) ? json_object_array_get_idx(rows, i) : NULL;
}

/* ---- commands that findings name ------------------------------------------------------------- */

/* The next word of a command line, without its quotes (strbuf_argument()); 0: there is none. */
static int next_word(const char **at, struct strbuf *word)
{
	int is_quoted = 0;

	strbuf_clear(word);
	*at += strspn(*at, " ");
	if (!**at)
		return 0;
	for (; **at && (is_quoted || **at != ' '); ++*at) {
		if (**at == '\'')
			is_quoted = !is_quoted;
		else if (!is_quoted && **at == '\\' && (*at)[1])
			strbuf_add(word, ++*at, 1);
		else
			strbuf_add(word, *at, 1);
	}
	return 1;
}

/* "cinstr callers --sites read": as a call of the tool of that name, if it has one. */
static void add_command(struct json_object *next, const char *command, const char *session)
{
	STRBUF(word);
	const struct tool *tool = NULL;
	struct json_object *arguments = NULL;

	if (next_word(&command, &word) && next_word(&command, &word))
		tool = tool_find(word.text);
	if (tool)
		arguments = step(next, tool->name, "shows where", session);
	while (tool && next_word(&command, &word)) {
		if (!strcmp(word.text, "--sites"))
			json_add_flag(arguments, "sites", 1);
		else if (!strncmp(word.text, "--by=", 5))
			json_add_text(arguments, "by", word.text + 5);
		else if ((tool->command == &command_callers || tool->command == &command_annotate) &&
			 !json_member(arguments, "function", json_type_string))
			json_add_text(arguments, "function", word.text);
	}
}

static void add_findings(struct json_object *next, struct json_object *result, const char *session)
{
	for (size_t i = 0; i < FINDINGS_MOST; i++) {
		struct json_object *finding = nth(result, "findings", i);
		const char *id = finding ? json_member_text(finding, "id") : NULL;

		if (!id)
			return;
		if (json_member_text(finding, "command"))
			add_command(next, json_member_text(finding, "command"), session);
		if (!i)
			json_add_text(step(next, "explain", "is it what it seems?", NULL), "id", id);
	}
}

/* ---- by tool --------------------------------------------------------------------------------- */

/* Whether the source of a row's function is here. */
static int has_source(struct json_object *row)
{
	const char *file = json_member_text(row, "file");

	return file && *file == '/' && !access(file, R_OK);
}

/* The function of a row. */
static void add_of_row(struct json_object *next, struct json_object *row, const char *tool, const char *why,
		       const char *session)
{
	const char *name = row ? json_member_text(row, "name") : NULL;

	if (name && (strcmp(tool, "annotate") != 0 || has_source(row)))
		json_add_text(step(next, tool, why, session), "function", name);
}

/* Whether rows are functions. */
static int is_by_function(const struct call *call)
{
	const char *by = call->arguments ? json_member_text(call->arguments, "by") : NULL;

	return !by || !strcmp(by, "function");
}

/* The row that is the function itself. */
static struct json_object *root_of(struct json_object *result)
{
	struct json_object *row;

	for (size_t i = 0; (row = nth(result, "rows", i)); i++) {
		const char *type = json_member_text(row, "type");

		if (type && !strcmp(type, "root"))
			return row;
	}
	return NULL;
}

static void add_waits(struct json_object *next, struct json_object *result, const char *session)
{
	struct json_object *wait = nth(result, "waits", 0);
	const char *waiter = wait ? json_member_text(wait, "waiter") : NULL;
	const char *holder = wait ? json_member_text(wait, "ended_by") : NULL;

	if (holder)
		json_add_text(step(next, "annotate", "what is done until the wait ends", session), "function",
			      holder);
	if (waiter && (!holder || strcmp(waiter, holder) != 0))
		json_add_text(step(next, "callers", "who gets to wait", session), "function", waiter);
}

void next_steps_add(struct json_object *next, const struct call *call, struct json_object *result)
{
	const char *name = call->tool->name, *session = session_of(call);
	struct json_object *row = nth(result, "rows", 0);

	if (!strcmp(name, "summary") || !strcmp(name, "findings")) {
		add_findings(next, result, session);
		if (!nth(result, "findings", 0))
			step(next, "report", "no finding: what computes most", session);
	} else if (!strcmp(name, "report") || !strcmp(name, "diff")) {
		if (is_by_function(call)) {
			add_of_row(next, row, "annotate",
				   "the lines of the first row, if its calls were recorded", session);
			add_of_row(next, row, "callers", "who calls the first row", session);
		}
	} else if (!strcmp(name, "callers")) {
		add_of_row(next, root_of(result), "annotate", "its lines, if its calls were recorded",
			   session);
	} else if (!strcmp(name, "waits")) {
		add_waits(next, result, session);
	} else if (!strcmp(name, "record")) {
		step(next, "summary", "what takes the time", session);
	}
}

void next_steps_page(struct json_object *next, const struct call *call, uint64_t offset)
{
	struct json_object *object = json_append_object(next), *arguments = json_object_new_object();

	json_add_text(object, "tool", call->tool->name);
	if (call->arguments) {
		json_object_object_foreach(call->arguments, name, value)
		{
			json_object_object_add(arguments, name, json_object_get(value));
		}
	}
	json_add_count(arguments, "offset", offset);
	json_object_object_add(object, "arguments", arguments);
	json_add_text(object, "why", "the rows behind these");
}
