/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - see schema.h. Objects are written below "$defs", and refer to one another. */
#include "schema.h"

#include <assert.h>
#include <string.h>

#include "documents.h"
#include "lib/util.h"
#include "output/items.h"
#include "output/output.h"

#define MEMBERS_MAX 256
#define OBJECTS_MAX 160
#define NAME_MAX_LENGTH 64

static const struct schema_object *const tables[] = { schema_views, schema_comparisons, schema_processes,
						      schema_common };

struct writing {
	struct items items;
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

static void put_reference(struct items *items, const char *name)
{
	STRBUF(text);

	strbuf_printf(&text, "#/$defs/%s", name);
	items_text(items, "$ref", text.text);
}

/* Writes what holds for one of the objects: "a|b}". */
static void put_objects(struct items *items, const char *names)
{
	char name[NAME_MAX_LENGTH];
	const char *rest = next_name(names, name);

	if (!rest) {
		put_reference(items, name);
		return;
	}
	items_open(items, "anyOf", '[', ITEMS_LINES);
	while (names) {
		names = next_name(names, name);
		items_open(items, NULL, '{', ITEMS_INLINE);
		put_reference(items, name);
		items_close(items);
	}
	items_close(items);
}

static const char *value_type(const char *word)
{
	return !strncmp(word, "text", 4)   ? "string"
	       : !strncmp(word, "flag", 4) ? "boolean"
	       : *word == 'i'		   ? "integer"
					   : "number";
}

static void put_type(struct items *items, const char *type)
{
	type += *type == '~';
	if (*type == '{') {
		put_objects(items, type + 1);
	} else if (*type == '[') {
		items_text(items, "type", "array");
		items_open(items, "items", '{', ITEMS_INLINE);
		if (!strcmp(type, "[text]"))
			items_text(items, "type", "string");
		else
			put_objects(items, type + 1);
		items_close(items);
	} else if (strchr(type, '?')) {
		items_open(items, "type", '[', ITEMS_INLINE);
		items_text(items, NULL, value_type(type));
		items_text(items, NULL, "null");
		items_close(items);
	} else {
		items_text(items, "type", value_type(type));
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
	items_text(&w->items, "description", text.text);
}

static void put_members(struct writing *w, const struct schema_object *object)
{
	struct items *items = &w->items;
	struct member_list all = { .n = 0 };

	add_members(&all, object, 1);
	items_text(items, "type", "object");
	items_open(items, "properties", '{', ITEMS_LINES);
	for (size_t i = 0; i < all.n; i++) {
		items_open(items, all.list[i].name, '{', ITEMS_INLINE);
		put_type(items, all.list[i].type);
		put_meaning(w, all.list[i].name, all.list[i].meaning);
		items_close(items);
	}
	items_close(items);
	items_open(items, "required", '[', ITEMS_INLINE);
	for (size_t i = 0; i < all.n; i++)
		if (is_required(object, &all.list[i]))
			items_text(items, NULL, all.list[i].name);
	items_close(items);
	items_flag(items, "additionalProperties", 0);
}

static void put_object(struct writing *w, const struct schema_object *object)
{
	items_open(&w->items, object->name, '{', ITEMS_LINES);
	put_meaning(w, "", object->meaning);
	if (object->type)
		put_type(&w->items, object->type);
	else
		put_members(w, object);
	items_close(&w->items);
}

static void put_verb(void *arg, const char *verb)
{
	struct writing *w = arg;

	items_open(&w->items, NULL, '{', ITEMS_INLINE);
	put_reference(&w->items, verb);
	items_close(&w->items);
}

static void need_verb(void *arg, const char *verb)
{
	need(arg, find(verb));
}

void schema_write(FILE *out, const char *verb)
{
	struct writing w = { .n = 0 };

	items_begin(&w.items, out, &output_json_items);
	items_open(&w.items, NULL, '{', ITEMS_BLOCK);
	items_text(&w.items, "$schema", "https://json-schema.org/draft/2020-12/schema");
	if (verb) {
		need_verb(&w, verb);
		put_reference(&w.items, verb);
	} else {
		schema_each_verb(need_verb, &w);
		items_open(&w.items, "anyOf", '[', ITEMS_LINES);
		schema_each_verb(put_verb, &w);
		items_close(&w.items);
	}
	items_open(&w.items, "$defs", '{', ITEMS_LINES);
	for (size_t i = 0; i < w.n; i++)
		put_object(&w, w.objects[i]);
	items_close(&w.items);
	items_close(&w.items);
	items_end(&w.items);
}

void schema_write_outermost(FILE *out, const char *verb)
{
	const struct schema_object *object = find(verb);
	const char *names = object->type ? object->type + 1 : verb;
	struct member_list all = { .n = 0 };
	char name[NAME_MAX_LENGTH];
	struct items items;

	while (names) {
		names = next_name(names, name);
		add_members(&all, find(name), 1);
	}
	items_begin(&items, out, &output_json_items);
	items_open(&items, NULL, '{', ITEMS_INLINE);
	for (size_t i = 0; i < all.n; i++) {
		char first = all.list[i].type[*all.list[i].type == '~'];

		items_open(&items, all.list[i].name, '{', ITEMS_INLINE);
		items_text(&items, "type",
			   first == '{'	  ? "object"
			   : first == '[' ? "array"
					  : value_type(all.list[i].type + (*all.list[i].type == '~')));
		items_close(&items);
	}
	items_close(&items);
	items_end(&items);
}
