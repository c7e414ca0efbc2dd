/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call.h"

#include <stdlib.h>
#include <string.h>

struct making {
	struct call *call;
	const struct folders *folders;
	struct strbuf *why;
};

static void put(struct call *call, const char *text)
{
	struct job *job = &call->job;

	job->argv = xrealloc(job->argv, (size_t)job->argc + 2, sizeof(*job->argv));
	job->argv[job->argc++] = xstrdup(text);
	job->argv[job->argc] = NULL;
}

static void put_option(struct call *call, const char *option, const char *value)
{
	STRBUF(text);

	strbuf_printf(&text, "%s=%s", option, value);
	put(call, text.text);
}

static void put_count(struct call *call, const char *option, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	put_option(call, option, text);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static const char *const type_words[] = {
	[ARGUMENT_SESSION] = "a text",	      [ARGUMENT_SESSIONS] = "a list of texts, one at least",
	[ARGUMENT_OPERAND] = "a text",	      [ARGUMENT_TEXT] = "a text",
	[ARGUMENT_WORD] = "a text",	      [ARGUMENT_FLAG] = "true or false",
	[ARGUMENT_NUMBER] = "a whole number", [ARGUMENT_TEXTS] = "a list of texts",
};

/* A text without a NUL in it; NULL: it is none. */
static const char *text_of(struct json_object *value)
{
	const char *text =
		json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;

	return text && strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

static int is_list(struct json_object *value)
{
	if (!json_object_is_type(value, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(value); i++)
		if (!text_of(json_object_array_get_idx(value, i)))
			return 0;
	return 1;
}

static int has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (*words) {
		size_t n = strcspn(words, "|");

		if (n == length && !strncmp(words, word, n))
			return 1;
		words += n + (words[n] == '|');
	}
	return 0;
}

static int is_of_type(const struct tool_argument *argument, struct json_object *value)
{
	switch (argument->type) {
	case ARGUMENT_FLAG:
		return json_object_is_type(value, json_type_boolean);
	case ARGUMENT_NUMBER:
		return json_object_is_type(value, json_type_int);
	case ARGUMENT_SESSIONS:
		return is_list(value) && json_object_array_length(value);
	case ARGUMENT_TEXTS:
		return is_list(value);
	default:
		return text_of(value) != NULL;
	}
}

/* 0, or -1 with the reason. */
static int check(const struct making *making, const struct tool_argument *argument, struct json_object *value)
{
	const struct tool_number_range *range = &tool_numbers[argument->number];
	struct strbuf *why = making->why;

	if (!is_of_type(argument, value)) {
		strbuf_printf(why, "%s is not %s", argument->name, type_words[argument->type]);
		return -1;
	}
	if (argument->words && !has_word(argument->words, text_of(value))) {
		strbuf_printf(why, "%s does not take '", argument->name);
		strbuf_visible(why, text_of(value));
		strbuf_printf(why, "'; it takes %s", argument->words);
		return -1;
	}
	if (argument->type == ARGUMENT_NUMBER && (json_object_get_int64(value) < (int64_t)range->least ||
						  json_object_get_int64(value) > (int64_t)range->most)) {
		strbuf_printf(why, "%s is not %llu to %llu", argument->name, (unsigned long long)range->least,
			      (unsigned long long)range->most);
		return -1;
	}
	return 0;
}

/* Whether all that was given is known. */
static int check_names(const struct making *making, struct json_object *arguments)
{
	const struct tool *tool = making->call->tool;

	json_object_object_foreach(arguments, name, value)
	{
		size_t i = 0;

		(void)value;
		while (i < tool->n_arguments && strcmp(tool->arguments[i].name, name) != 0)
			i++;
		if (i < tool->n_arguments)
			continue;
		strbuf_printf(making->why, "%s has no argument '", tool->name);
		strbuf_visible(making->why, name);
		strbuf_puts(making->why, "'; it takes");
		for (i = 0; i < tool->n_arguments; i++)
			strbuf_printf(making->why, "%s %s", i ? "," : "", tool->arguments[i].name);
		return -1;
	}
	return 0;
}

/* ---- command lines --------------------------------------------------------------------------- */

static int add_session(const struct making *making, const char *name)
{
	struct job *job = &making->call->job;
	char *path = making->call->tool->runs_programs ? folders_new(making->folders, name, making->why)
						       : folders_session(making->folders, name, making->why);

	if (!path)
		return -1;
	job->sessions = xrealloc(job->sessions, job->n_sessions + 1, sizeof(*job->sessions));
	job->sessions[job->n_sessions++] = path;
	return 0;
}

static int add_sessions(const struct making *making, struct json_object *list)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++)
		if (add_session(making, text_of(json_object_array_get_idx(list, i))))
			return -1;
	return 0;
}

static int add(const struct making *making, const struct tool_argument *argument, struct json_object *value)
{
	struct call *call = making->call;

	switch (argument->type) {
	case ARGUMENT_SESSION:
		return add_session(making, value ? text_of(value) : argument->fallback);
	case ARGUMENT_SESSIONS:
		return add_sessions(making, value);
	case ARGUMENT_TEXT:
	case ARGUMENT_WORD:
		if (value)
			put_option(call, argument->option, text_of(value));
		call->has_columns |= value && !strcmp(argument->name, "columns");
		break;
	case ARGUMENT_FLAG:
		if (value && json_object_get_boolean(value))
			put(call, argument->option);
		break;
	case ARGUMENT_NUMBER:
		if (value)
			call->numbers[argument->number] = (uint64_t)json_object_get_int64(value);
		break;
	case ARGUMENT_OPERAND:
	case ARGUMENT_TEXTS:
		break; /* behind all options */
	}
	return 0;
}

/* What stands behind the options: operands, sessions, of what is recorded the program. */
static void add_operands(struct call *call)
{
	const struct tool *tool = call->tool;
	size_t n_a = 0;

	for (size_t i = 0; i < tool->n_arguments; i++)
		if (tool->arguments[i].type == ARGUMENT_SESSIONS && !n_a)
			n_a = json_object_array_length(
				json_member(call->arguments, tool->arguments[i].name, json_type_array));
	if (!n_a)
		put(call, "--");
	for (size_t i = 0; i < tool->n_arguments; i++)
		if (tool->arguments[i].type == ARGUMENT_OPERAND)
			put(call, json_member_text(call->arguments, tool->arguments[i].name));
	for (size_t i = 0; i < call->job.n_sessions && !tool->runs_programs; i++) {
		if (n_a && i == n_a)
			put(call, "--");
		put(call, call->job.sessions[i]);
	}
	for (size_t i = 0; i < tool->n_arguments; i++) {
		struct json_object *list =
			json_member(call->arguments, tool->arguments[i].name, json_type_array);

		for (size_t k = 0;
		     tool->arguments[i].type == ARGUMENT_TEXTS && list && k < json_object_array_length(list);
		     k++)
			put(call, text_of(json_object_array_get_idx(list, k)));
	}
}

int call_make(struct call *call, const struct tool *tool, const struct folders *folders,
	      struct json_object *arguments, struct strbuf *why)
{
	struct making making = { call, folders, why };

	*call = (struct call){ .tool = tool, .arguments = arguments, .job.command = tool->command };
	for (size_t i = 0; i < N_NUMBERS; i++)
		call->numbers[i] = tool_numbers[i].fallback;
	if (arguments && check_names(&making, arguments))
		return -1;
	put(call, tool->command->name);
	for (size_t i = 0; tool->options[i]; i++)
		put(call, tool->options[i]);
	for (size_t i = 0; i < tool->n_arguments; i++) {
		const struct tool_argument *argument = &tool->arguments[i];
		struct json_object *value = NULL;

		if (!arguments || !json_object_object_get_ex(arguments, argument->name, &value) || !value) {
			if (argument->is_required) {
				strbuf_printf(why, "%s needs the argument %s: %s", tool->name, argument->name,
					      argument->help);
				return -1;
			}
		} else if (check(&making, argument, value)) {
			return -1;
		}
		if (add(&making, argument, value))
			return -1;
	}
	if (tool->takes_limit)
		put_count(call, "--limit", call->numbers[NUMBER_OFFSET] + call->numbers[NUMBER_LIMIT]);
	if (tool->runs_programs)
		put_option(call, "--output", call->job.sessions[0]);
	add_operands(call);
	return 0;
}

void call_release(struct call *call)
{
	for (int i = 0; i < call->job.argc; i++)
		free(call->job.argv[i]);
	for (size_t i = 0; i < call->job.n_sessions; i++)
		free(call->job.sessions[i]);
	free(call->job.argv);
	free(call->job.sessions);
	*call = (struct call){ 0 };
}
