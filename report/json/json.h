/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - values of JSON, by json-c: what cinstr needs of it beyond its own functions.
 * Who gets a value by json_..._add() gives it to the object or list.
 */
#ifndef REPORT_JSON_JSON_H
#define REPORT_JSON_JSON_H

#include <json-c/json.h>

/* Reads a text of n bytes that is one value and nothing behind it; lists and objects in one another
 * are at most `depth`. Returns it, or NULL with the reason in *why. */
struct json_object *json_read(const char *text, size_t n, int depth, const char **why);
/* Returns the text of a value in one line, which lives as long as the value is not changed. */
const char *json_line(struct json_object *value);

/* Returns the member of that name and type, or NULL. */
struct json_object *json_member(struct json_object *object, const char *name, enum json_type type);
/* Returns the text of such a member, or NULL. */
const char *json_member_text(struct json_object *object, const char *name);

void json_add_text(struct json_object *object, const char *name, const char *text);
void json_add_count(struct json_object *object, const char *name, uint64_t n);
void json_add_flag(struct json_object *object, const char *name, int is_true);
/* Adds a new object, or list, and returns it, which stays the outer one's. */
struct json_object *json_add_object(struct json_object *object, const char *name);
struct json_object *json_add_list(struct json_object *object, const char *name);
/* The same at the end of a list. */
struct json_object *json_append_object(struct json_object *list);
void json_append_text(struct json_object *list, const char *text);

#endif
