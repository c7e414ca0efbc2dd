/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#include <limits.h>
#include <string.h>

/* Slashes stay as they are: paths are to be read. */
#define HOW (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

struct json_object *json_read(const char *text, size_t n, int depth, const char **why)
{
	struct json_tokener *tokener = json_tokener_new_ex(depth);
	struct json_object *value = NULL;

	*why = "there is no memory for it";
	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	if (n < INT_MAX)
		value = json_tokener_parse_ex(tokener, text, (int)n);
	/* A number may go on: it has ended. */
	if (!value && n < INT_MAX && json_tokener_get_error(tokener) == json_tokener_continue)
		value = json_tokener_parse_ex(tokener, "", 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		*why = json_tokener_error_desc(json_tokener_get_error(tokener));
	else if (!value)
		*why = "it is null";
	json_tokener_free(tokener);
	return value;
}

const char *json_line(struct json_object *value)
{
	return json_object_to_json_string_ext(value, HOW);
}

struct json_object *json_member(struct json_object *object, const char *name, enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, name, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

const char *json_member_text(struct json_object *object, const char *name)
{
	struct json_object *value = json_member(object, name, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

void json_add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, text ? json_object_new_string(text) : NULL);
}

void json_add_count(struct json_object *object, const char *name, uint64_t n)
{
	json_object_object_add(object, name, json_object_new_int64((int64_t)n));
}

void json_add_flag(struct json_object *object, const char *name, int is_true)
{
	json_object_object_add(object, name, json_object_new_boolean(is_true));
}

struct json_object *json_add_object(struct json_object *object, const char *name)
{
	struct json_object *value = json_object_new_object();

	json_object_object_add(object, name, value);
	return value;
}

struct json_object *json_add_list(struct json_object *object, const char *name)
{
	struct json_object *value = json_object_new_array();

	json_object_object_add(object, name, value);
	return value;
}

struct json_object *json_append_object(struct json_object *list)
{
	struct json_object *value = json_object_new_object();

	json_object_array_add(list, value);
	return value;
}

void json_append_text(struct json_object *list, const char *text)
{
	json_object_array_add(list, json_object_new_string(text));
}
