/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - see schema.h. Objects are written below "$defs", and refer to one another. */
#include "schema.h"

#include <assert.h>
#include <string.h>

#include "documents.h"
#include "lib/util.h"
#include "output/item_writer.h"
#include "output/output.h"

#define MEMBERS_MAX 256
#define OBJECTS_MAX 160
#define NAME_MAX_LENGTH 64

static const struct schema_object *const tables[] = { schema_views, schema_comparisons, schema_processes,
						      schema_common };

struct writing {
	struct sheet sheet;
	const struct schema_object *objects[OBJECTS_MAX]; /* those needed, in order of their use */
	size_t n;
};

static const struct schema_object *find(const char *name)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct schema_object *object = tables[t]; object->name; object++)
			if (!strcmp(object->name, name))
				return object;
	return NULL;
}

int schema_has(const char *verb)
{
	const struct schema_object *object = find(verb);

	return object && object->is_verb;
}

void schema_each_verb(void (*visit)(void *arg, const char *verb), void *arg)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct schema_object *object = tables[t]; object->name; object++)
			if (object->is_verb)
				visit(arg, object->name);
}

/* ---- members of an object -------------------------------------------------------------------- */

struct member_list {
	struct schema_member list[MEMBERS_MAX];
	size_t n;
};

static const struct schema_column *column_of(const char *name)
{
	for (size_t i = 0; i < schema_n_columns; i++)
		if (!strcmp(schema_columns[i].name, name))
			return &schema_columns[i];
	return NULL;
}

/* Adds a member. One that is there stays, unless the object itself has this one. */
static void add(struct member_list *all, const struct schema_member *member, int is_own)
{
	size_t i = 0;

	while (i < all->n && strcmp(all->list[i].name, member->name) != 0)
		i++;
	if (i < all->n && !is_own)
		return;
	assert(i < MEMBERS_MAX);
	all->list[i] = *member;
	all->n += i == all->n;
}

static void add_columns(struct member_list *all)
{
	for (size_t i = 0; i < schema_n_columns; i++) {
		const struct schema_column *column = &schema_columns[i];

		add(all, &(struct schema_member){ column->name, column->type, column->meaning }, 0);
	}
}

static void add_members(struct member_list *all, const struct schema_object *object, int is_own)
{
	if (!object->members)
		add_columns(all);
	for (const struct schema_member *member = object->members; member && member->name; member++) {
		const struct schema_column *column = member->type ? NULL : column_of(member->name);

		if (!strcmp(member->name, "+"))
			add_members(all, find(member->type), 0);
		else if (column)
			add(all,
			    &(struct schema_member){ column->name, column->type + 1,
						     member->meaning ? member->meaning : column->meaning },
			    is_own);
		else
			add(all, member, is_own);
	}
}

static int is_required(const struct schema_object *object, const struct schema_member *member)
{
	return !object->is_chosen && *member->type != '~';
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Copies the next name of "{a|b}" and returns what is behind it, or NULL at the end. */
static const char *next_name(const char *names, char name[NAME_MAX_LENGTH])
{
	size_t n = strcspn(names, "|]}");

	assert(n < NAME_MAX_LENGTH);
	memcpy(name, names, n);
	name[n] = 0;
	return names[n] == '|' ? names + n + 1 : NULL;
}

static void need(struct writing *w, const struct schema_object *object);

static void need_type(struct writing *w, const char *type)
{
	char name[NAME_MAX_LENGTH];

	type += *type == '~';
	if (*type != '{' && *type != '[')
		return;
	for (type++; type;) {
		type = next_name(type, name);
		if (strcmp(name, "text") != 0)
			need(w, find(name));
	}
}

/* Adds an object, and all that it refers to. */
static void need(struct writing *w, const struct schema_object *object)
{
	struct member_list all = { .n = 0 };

	assert(object);
	for (size_t i = 0; i < w->n; i++)
		if (w->objects[i] == object)
			return;
	assert(w->n < OBJECTS_MAX);
	w->objects[w->n++] = object;
	if (object->type) {
		need_type(w, object->type);
		return;
	}
	add_members(&all, object, 1);
	for (size_t i = 0; i < all.n; i++)
		need_type(w, all.list[i].type);
}

static void put_reference(struct sheet *sheet, const char *name)
{
	STRBUF(text);

	strbuf_printf(&text, "#/$defs/%s", name);
	sheet_text(sheet, "$ref", text.text);
}

/* Writes what holds for one of the objects: "a|b}". */
static void put_objects(struct sheet *sheet, const char *names)
{
	char name[NAME_MAX_LENGTH];
	const char *rest = next_name(names, name);

	if (!rest) {
		put_reference(sheet, name);
		return;
	}
	sheet_open(sheet, "anyOf", '[', SHEET_LINES);
	while (names) {
		names = next_name(names, name);
		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		put_reference(sheet, name);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

static const char *value_type(const char *word)
{
	return !strncmp(word, "text", 4)   ? "string"
	       : !strncmp(word, "flag", 4) ? "boolean"
	       : *word == 'i'		   ? "integer"
					   : "number";
}

static void put_type(struct sheet *sheet, const char *type)
{
	type += *type == '~';
	if (*type == '{') {
		put_objects(sheet, type + 1);
	} else if (*type == '[') {
		sheet_text(sheet, "type", "array");
		sheet_open(sheet, "items", '{', SHEET_INLINE);
		if (!strcmp(type, "[text]"))
			sheet_text(sheet, "type", "string");
		else
			put_objects(sheet, type + 1);
		sheet_close(sheet);
	} else if (strchr(type, '?')) {
		sheet_open(sheet, "type", '[', SHEET_INLINE);
		sheet_text(sheet, NULL, value_type(type));
		sheet_text(sheet, NULL, "null");
		sheet_close(sheet);
	} else {
		sheet_text(sheet, "type", value_type(type));
	}
}

/* ---- objects --------------------------------------------------------------------------------- */

static void put_meaning(struct writing *w, const char *name, const char *meaning)
{
	STRBUF(text);

	if (!meaning)
		return;
	strbuf_printf(&text, "%s%s", meaning,
		      util_has_suffix(name, "_ns")	  ? "; nanoseconds"
		      : util_has_suffix(name, "_percent") ? "; percent"
							  : "");
	sheet_text(&w->sheet, "description", text.text);
}

static void put_members(struct writing *w, const struct schema_object *object)
{
	struct sheet *sheet = &w->sheet;
	struct member_list all = { .n = 0 };

	add_members(&all, object, 1);
	sheet_text(sheet, "type", "object");
	sheet_open(sheet, "properties", '{', SHEET_LINES);
	for (size_t i = 0; i < all.n; i++) {
		sheet_open(sheet, all.list[i].name, '{', SHEET_INLINE);
		put_type(sheet, all.list[i].type);
		put_meaning(w, all.list[i].name, all.list[i].meaning);
		sheet_close(sheet);
	}
	sheet_close(sheet);
	sheet_open(sheet, "required", '[', SHEET_INLINE);
	for (size_t i = 0; i < all.n; i++)
		if (is_required(object, &all.list[i]))
			sheet_text(sheet, NULL, all.list[i].name);
	sheet_close(sheet);
	sheet_flag(sheet, "additionalProperties", 0);
}

static void put_object(struct writing *w, const struct schema_object *object)
{
	sheet_open(&w->sheet, object->name, '{', SHEET_LINES);
	put_meaning(w, "", object->meaning);
	if (object->type)
		put_type(&w->sheet, object->type);
	else
		put_members(w, object);
	sheet_close(&w->sheet);
}

static void put_verb(void *arg, const char *verb)
{
	struct writing *w = arg;

	sheet_open(&w->sheet, NULL, '{', SHEET_INLINE);
	put_reference(&w->sheet, verb);
	sheet_close(&w->sheet);
}

static void need_verb(void *arg, const char *verb)
{
	need(arg, find(verb));
}

void schema_write(FILE *out, const char *verb)
{
	struct writing w = { .n = 0 };

	sheet_begin(&w.sheet, out, &output_json_items);
	sheet_open(&w.sheet, NULL, '{', SHEET_BLOCK);
	sheet_text(&w.sheet, "$schema", "https://json-schema.org/draft/2020-12/schema");
	if (verb) {
		need_verb(&w, verb);
		put_reference(&w.sheet, verb);
	} else {
		schema_each_verb(need_verb, &w);
		sheet_open(&w.sheet, "anyOf", '[', SHEET_LINES);
		schema_each_verb(put_verb, &w);
		sheet_close(&w.sheet);
	}
	sheet_open(&w.sheet, "$defs", '{', SHEET_LINES);
	for (size_t i = 0; i < w.n; i++)
		put_object(&w, w.objects[i]);
	sheet_close(&w.sheet);
	sheet_close(&w.sheet);
	sheet_end(&w.sheet);
}

void schema_write_outermost(FILE *out, const char *verb)
{
	const struct schema_object *object = find(verb);
	const char *names = object->type ? object->type + 1 : verb;
	struct member_list all = { .n = 0 };
	char name[NAME_MAX_LENGTH];
	struct sheet sheet;

	while (names) {
		names = next_name(names, name);
		add_members(&all, find(name), 1);
	}
	sheet_begin(&sheet, out, &output_json_items);
	sheet_open(&sheet, NULL, '{', SHEET_INLINE);
	for (size_t i = 0; i < all.n; i++) {
		char first = all.list[i].type[*all.list[i].type == '~'];

		sheet_open(&sheet, all.list[i].name, '{', SHEET_INLINE);
		sheet_text(&sheet, "type",
			   first == '{'	  ? "object"
			   : first == '[' ? "array"
					  : value_type(all.list[i].type + (*all.list[i].type == '~')));
		sheet_close(&sheet);
	}
	sheet_close(&sheet);
	sheet_end(&sheet);
}
