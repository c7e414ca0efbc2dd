/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * field_choice.h - --columns and --sort of views whose rows do not come from a profile: events of a
 * timeline, differences. Such a view has a list of names, as in csv; a field is an index into it.
 */
#ifndef REPORT_OUTPUT_FIELD_CHOICE_H
#define REPORT_OUTPUT_FIELD_CHOICE_H

#include "columns.h"

#define FIELDS_MAX 48

struct field_list {
	const char *const *names; /* at most FIELDS_MAX */
	size_t n;
};

struct field_choice {
	size_t list[FIELDS_MAX];
	size_t n;
};

struct field_order {
	size_t field;
	enum direction direction;
};

/* Parses the list of --columns: names in the order to show; +NAME and -NAME change the defaults;
 * "all", "default". `verb` is for messages. Returns 0, or -1 after an error message. */
int field_choice_parse(struct field_choice *choice, const char *verb, const char *text,
		       const struct field_list *fields, const struct field_choice *defaults);
/* Parses NAME, NAME:asc or NAME:desc. Returns 0, or -1 after an error message. */
int field_order_parse(struct field_order *order, const char *verb, const char *text,
		      const struct field_list *fields);
/* Prints the fields for --columns=help. */
void field_list_help(FILE *out, const struct field_list *fields);

/* A row's value: text, or a number if `text` is NULL; NAN: no value, sorted last. */
struct field_value {
	const char *text;
	long double number;
};
/* Returns < 0 if a comes first, > 0 if b does, 0 if they are equal. */
int field_compare(const struct field_value *a, const struct field_value *b, enum direction direction);

#endif
