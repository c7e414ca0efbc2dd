/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * documents.h - the objects that JSON of the verbs is made of: which members they have, and what
 * these mean. A member that is written (items.h) and is not here is found by
 * testsuite/e2e/views/schema.py.
 */
#ifndef REPORT_SCHEMA_DOCUMENTS_H
#define REPORT_SCHEMA_DOCUMENTS_H

#include <stddef.h>

/*
 * A type is a word:
 *
 *  integer, number, text, flag   a value
 *  {a|b}, [a|b]                  one of these objects; a list of any of them
 *  [text]                        a list of texts
 *
 * `~` in front of it: the member may be missing. `?` behind it: the value may be null.
 */
struct schema_member {
	const char *name; /* "+": all members of the object `type`; NULL: ends the list */
	const char *type; /* NULL: type and meaning are those of the column of that name */
	const char *meaning;
};

struct schema_object {
	const char *name;
	const char *meaning;
	int is_verb;
	/* Type of what a verb prints, if that is one of several objects, or a list. NULL: an object
	 * with these `members`. */
	const char *type;
	const struct schema_member *members; /* NULL: the columns of rows */
	int is_chosen;			     /* --columns may leave out any member */
};

#define MEMBERS(...) \
	.members = (const struct schema_member[]) \
	{ \
		__VA_ARGS__, \
		{ \
			NULL, NULL, NULL \
		} \
	}

/* documents_*.c; each ends with an object without a name. */
extern const struct schema_object schema_common[], schema_views[], schema_comparisons[], schema_processes[];

/* A column of rows (column_table.h); the type begins with `~`. */
struct schema_column {
	const char *name, *type, *meaning;
};
extern const struct schema_column schema_columns[];
extern const size_t schema_n_columns;

#endif
