/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.h - the columns of every view: their names in csv and json, what they mean, and their
 * values. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdio.h>

#include "column_table.h"
#include "rows/profile.h"

enum column {
#define COLUMN_ID(id, ...) COLUMN_##id,
	COLUMN_TABLE(COLUMN_ID)
#undef COLUMN_ID
		COLUMN_COUNT
};

enum column_family {
	FAMILY_TEXT,
	FAMILY_COUNT,
	FAMILY_TOTAL, /* of one of the four values, as the next five */
	FAMILY_PERCENT,
	FAMILY_AVERAGE,
	FAMILY_SHORTEST,
	FAMILY_LONGEST,
	FAMILY_UNCERTAINTY,
	FAMILY_QUANTILE,
	FAMILY_OVERHEAD,
	FAMILY_OFF_CPU,
	FAMILY_CPU, /* elapsed less off-CPU, and its share */
	FAMILY_CPU_PERCENT,
	FAMILY_OS, /* what the operating system did */
	FAMILY_LIFE,
	FAMILY_SAMPLES, /* of sampled sessions, as the next three */
	FAMILY_SHARE,
	FAMILY_SHARE_LOW, /* of its interval of confidence */
	FAMILY_SHARE_HIGH,
	FAMILY_MPI,
	FAMILY_SPREAD, /* over processes */
	FAMILY_INSTRUCTIONS,
	FAMILY_INSTRUCTIONS_SHARE,
	FAMILY_INSTRUCTIONS_TIME,
};
#define FAMILIES (FAMILY_INSTRUCTIONS_TIME + 1)

/* How a table writes it. */
enum form {
	FORM_COUNT,
	FORM_ID,
	FORM_TIME,
	FORM_PERCENT,
	FORM_DURATION, /* with a unit of its own */
	FORM_DECIMAL,  /* two decimals */
	FORM_RELATION, /* from here on: to the left */
	FORM_NAME,
	FORM_MODULE,
	FORM_SOURCE,
	FORM_TEXT
};

struct heading {
	/* the line above, which neighbours share if it is the same; NULL: none */
	const char *group;
	const char *text;
	enum form form;
};

/* Which sessions have it, by how they were recorded, and what is looked at. */
enum column_method {
	METHOD_BOTH, /* and of executed instructions */
	METHOD_PROBES,
	METHOD_SAMPLES,
	METHOD_MIXED, /* both at once */
	METHOD_CALLS, /* PROBES, and of executed instructions */
	METHOD_INSTRUCTIONS
};

enum value_type { VALUE_NONE, VALUE_TEXT, VALUE_COUNT, VALUE_NS, VALUE_PERCENT, VALUE_DECIMAL };

struct value {
	enum value_type type;
	const char *text;
	uint64_t count;
	long double number;
};

struct column_info {
	const char *key;
	enum column_family family;
	enum value_kind which;
	struct heading heading;
	unsigned views;
	enum column_method method;
	struct value (*get)(const struct profile *profile, const struct row *row);
	const char *meaning;
};
extern const struct column_info column_infos[COLUMN_COUNT];

struct value column_value(const struct profile *profile, const struct row *row, enum column column);

/* Whether rows of this profile can have the column; what has none is not in csv and json of all
 * columns. */
int column_in_view(const struct profile *profile, enum column column);

/* ---- the two methods: columns_method.c ------------------------------------------------------- */

/* Whether the session's method gives the column values. */
int column_of_method(const struct profile *profile, enum column column);
/* What stands for a column in this session: samples for elapsed times, if it was sampled. */
enum column column_for(const struct profile *profile, enum column column);
/* That there is none, and what there is instead. */
void column_say_other_method(const struct profile *profile, enum column column);
/* 0, or -1 after an error message: rows of this session cannot be put in the order of this
 * column. */
int column_check_sort(const struct profile *profile, enum column column);

/* ---- names: columns_choice.c ----------------------------------------------------------------- */

/*
 * The column of that name: as in csv, with or without the unit, with - or _, or a short form.
 * Suggests one and returns -1.
 */
int column_find(const char *name);

/* Columns in the order to show. */
struct column_list {
	enum column list[COLUMN_COUNT];
	/* by column: named by --columns, so it stays however narrow the terminal */
	int stays[COLUMN_COUNT];
	size_t n;
};

/*
 * What --columns says: names and groups, separated by commas; +NAME and -NAME change `defaults`. 0,
 * or -1 after an error message.
 */
int column_list_parse(struct column_list *columns, const char *text, const struct column_list *defaults,
		      const struct profile *profile);
void column_list_add(struct column_list *columns, enum column column);
int column_list_has(const struct column_list *columns, enum column column);
/* Prints names and meanings of all columns, and the groups. */
void column_list_help(FILE *out);

/* ---- defaults: columns_default.c ------------------------------------------------------------- */

enum column_set { COLUMNS_CPU, COLUMNS_FULL, COLUMNS_OS }; /* --view */

/* The columns of a table that is `width` wide (0: without limit). */
void column_list_default(struct column_list *columns, const struct profile *profile, enum column_set set,
			 unsigned width);
/* How soon one of the defaults goes where there is no room, the highest first; 0: it stays; above
 * this: before names are shortened. */
#define COLUMN_DROP_SOON 3
int column_drop(enum column column, enum column_set set, const struct profile *profile);

/* ---- order: columns_order.c ------------------------------------------------------------------ */

/* by nature: numbers from the highest, text from A */
enum direction { BY_NATURE, ASCENDING, DESCENDING };

struct order {
	enum column column;
	enum direction direction;
};

/* Whether a user's word is a column's name: - is as good as _, and _ns may be left out. */
int column_names_equal(const char *key, const char *name);

/* COLUMN, COLUMN:asc or COLUMN:desc: 0, or -1 after an error message. */
int order_parse(struct order *order, const char *text);
/* Sorts rows; what has no value comes last, what is equal by name and place, always in the same
 * way. */
void order_rows(const struct profile *profile, const struct row **rows, size_t n, const struct order *order);
/* The same by a column, by its nature. */
void column_sort(const struct profile *profile, const struct row **rows, size_t n, enum column column);

#endif
