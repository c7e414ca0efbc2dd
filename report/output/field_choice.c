/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "field_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

static size_t find(const struct field_list *fields, const char *name)
{
	for (size_t i = 0; i < fields->n; i++)
		if (column_names_equal(fields->names[i], name))
			return i;
	return NONE;
}

/* As people write it: without _ns. */
static char *short_name(const char *name)
{
	size_t n = strlen(name);

	return strndup(name, n > 3 && !strcmp(name + n - 3, "_ns") ? n - 3 : n);
}

static void say_unknown(const char *verb, const char *name, const struct field_list *fields)
{
	FREED char *shown = util_visible(name);
	char *names[FIELDS_MAX];
	STRBUF(all);
	const char *closest;

	for (size_t i = 0; i < fields->n; i++) {
		names[i] = short_name(fields->names[i]);
		strbuf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	closest = util_closest(name, (const char *const *)names, fields->n);
	if (closest)
		error("%s: there is no column '%s'; did you mean %s?", verb, shown, closest);
	else
		error("%s: there is no column '%s'; it has %s", verb, shown, all.text);
	for (size_t i = 0; i < fields->n; i++)
		free(names[i]);
}

static void take_out(struct field_choice *choice, size_t field)
{
	size_t n = 0;

	for (size_t i = 0; i < choice->n; i++)
		if (choice->list[i] != field)
			choice->list[n++] = choice->list[i];
	choice->n = n;
}

static void add(struct field_choice *choice, size_t field)
{
	for (size_t i = 0; i < choice->n; i++)
		if (choice->list[i] == field)
			return;
	choice->list[choice->n++] = field;
}

/* One item of the list. 0, or -1 after an error message. */
static int change(struct field_choice *choice, const char *verb, const char *name,
		  const struct field_list *fields, const struct field_choice *defaults)
{
	int sign = *name == '+' || *name == '-' ? *name++ : 0;
	size_t field = find(fields, name);

	if (!sign && (!strcmp(name, "all") || !strcmp(name, "default"))) {
		for (size_t i = 0; i < (*name == 'a' ? fields->n : defaults->n); i++)
			add(choice, *name == 'a' ? i : defaults->list[i]);
		return 0;
	}
	if (field == NONE) {
		say_unknown(verb, name, fields);
		return -1;
	}
	if (sign == '-')
		take_out(choice, field);
	else
		add(choice, field);
	return 0;
}

int field_choice_parse(struct field_choice *choice, const char *verb, const char *text,
		       const struct field_list *fields, const struct field_choice *defaults)
{
	int status = 0;

	*choice = (struct field_choice){ 0 };
	if (*text == '+' || *text == '-')
		*choice = *defaults;
	while (!status && *text) {
		size_t n = strcspn(text, ",");
		FREED char *name = strndup(text, n);

		status = change(choice, verb, name, fields, defaults);
		text += n + (text[n] == ',');
	}
	if (!status && !choice->n) {
		error("%s: --columns leaves no column", verb);
		status = -1;
	}
	return status;
}

int field_order_parse(struct field_order *order, const char *verb, const char *text,
		      const struct field_list *fields)
{
	static const struct {
		const char *name;
		enum direction direction;
	} directions[] = { { "", BY_NATURE }, { ":asc", ASCENDING }, { ":desc", DESCENDING } };
	size_t n = strcspn(text, ":");
	char *name = strndup(text, n);

	order->field = find(fields, name);
	if (order->field == NONE)
		say_unknown(verb, name, fields);
	free(name);
	if (order->field == NONE)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++)
		if (!strcmp(text + n, directions[i].name)) {
			order->direction = directions[i].direction;
			return 0;
		}
	return error("%s: --sort does not take '%s': a column can end in :asc or :desc", verb,
		     util_shown(text));
}

void field_list_help(FILE *out, const struct field_list *fields)
{
	fputs("Columns (for --sort and --columns; _ns may be left out):\n", out);
	for (size_t i = 0; i < fields->n; i++)
		fprintf(out, "  %s\n", fields->names[i]);
}

static int is_nothing(const struct field_value *value)
{
	return !value->text && isnan(value->number);
}

int field_compare(const struct field_value *a, const struct field_value *b, enum direction direction)
{
	int result;

	if (is_nothing(a) || is_nothing(b))
		return is_nothing(a) - is_nothing(b);
	if (a->text || b->text) {
		result = strcmp(a->text ? a->text : "", b->text ? b->text : "");
		return direction == DESCENDING ? -result : result;
	}
	result = a->number < b->number ? -1 : a->number > b->number;
	return direction == ASCENDING ? result : -result;
}
