/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - JSON values with json-c: helpers besides its own functions. json_..._add() passes
 * ownership of a value to the object or list.
 */
#ifndef REPORT_JSON_JSON_H
#define REPORT_JSON_JSON_H

#include <json-c/json.h>

/* Parses a text of n bytes that contains exactly one value, nested at most `depth` deep. Returns
 * the value, or NULL with *why set. */
struct json_object *json_read(const char *text, size_t n, int depth, const char **why);
/* Returns the text of a value in one line, valid until the value is changed. */
const char *json_line(struct json_object *value);

/* Returns the member of that name and type, or NULL. */
struct json_object *json_member(struct json_object *object, const char *name, enum json_type type);
/* Returns the text of the member of that name, or NULL if it is not a string. */
const char *json_member_text(struct json_object *object, const char *name);

void json_add_text(struct json_object *object, const char *name, const char *text);
void json_add_count(struct json_object *object, const char *name, uint64_t n);
void json_add_flag(struct json_object *object, const char *name, int is_true);
/* Add a new object or list and return it; the outer one owns it. */
struct json_object *json_add_object(struct json_object *object, const char *name);
struct json_object *json_add_list(struct json_object *object, const char *name);
/* Like json_add_object() and json_add_text(), at the end of a list. */
struct json_object *json_append_object(struct json_object *list);
void json_append_text(struct json_object *list, const char *text);

#endif
