/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.h - the columns of every view: names in csv and json, meanings and values. */
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
	FAMILY_TOTAL, /* this and the next five: of one of the four values */
	FAMILY_PERCENT,
	FAMILY_AVERAGE,
	FAMILY_SHORTEST,
	FAMILY_LONGEST,
	FAMILY_UNCERTAINTY,
	FAMILY_QUANTILE,
	FAMILY_OVERHEAD,
	FAMILY_OFF_CPU,
	FAMILY_CPU, /* elapsed time less off-CPU time, and its percentage */
	FAMILY_CPU_PERCENT,
	FAMILY_OS, /* events of the operating system */
	FAMILY_LIFE,
	FAMILY_SAMPLES, /* this and the next three: of sampled sessions */
	FAMILY_SHARE,
	FAMILY_SHARE_LOW, /* lower end of the confidence interval */
	FAMILY_SHARE_HIGH,
	FAMILY_MPI,
	FAMILY_SPREAD, /* statistics over processes */
	FAMILY_INSTRUCTIONS,
	FAMILY_INSTRUCTIONS_SHARE,
	FAMILY_INSTRUCTIONS_TIME,
	FAMILY_MOVED, /* bytes read and written */
	FAMILY_USER,  /* what the program counted */
	FAMILY_MEMORY,
};
#define FAMILIES (FAMILY_MEMORY + 1)

/* How a table writes a value. */
enum form {
	FORM_COUNT,
	FORM_ID,
	FORM_TIME,
	FORM_PERCENT,
	FORM_DURATION, /* each value has its own unit */
	FORM_DECIMAL,  /* two decimals */
	FORM_RELATION, /* this and the following: aligned left */
	FORM_NAME,
	FORM_MODULE,
	FORM_SOURCE,
	FORM_TEXT
};

struct heading {
	/* Line above the heading, shared by adjacent columns of the same group; NULL: none. */
	const char *group;
	const char *text;
	enum form form;
};

/* Which sessions have the column, by recording method, and whether views of executed instructions
 * have it. */
enum column_method {
	METHOD_BOTH, /* sessions of any method, and executed instructions */
	METHOD_PROBES,
	METHOD_SAMPLES,
	METHOD_MIXED, /* probes and samples at once */
	METHOD_CALLS, /* PROBES, and executed instructions */
	METHOD_INSTRUCTIONS,
	METHOD_COUNTER,
	METHOD_MOVED,  /* PROBES, in sessions with calls that read or wrote */
	METHOD_USER,   /* ... in which the program counted (cinstr_count) */
	METHOD_MEMORY, /* ... with calls that allocated */
	METHOD_HELD    /* ... of which it is known what is not freed (cinstr record --held) */
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

/* Whether rows of this profile can have the column. Columns that they cannot have are left out of
 * csv and json. */
int column_in_view(const struct profile *profile, enum column column);

/* ---- the two methods: columns_method.c ------------------------------------------------------- */

/* Whether sessions of this recording method have values for the column. */
int column_of_method(const struct profile *profile, enum column column);
/* Whether a session of this method may have values for the column, before anything of it is read:
 * of what calls read, write and allocate only the threads tell. */
int column_may_be(const struct profile *profile, enum column column);
/* Returns the column that replaces `column` in this session: samples or instructions in place of
 * elapsed times if the session was sampled or instructions are shown; else `column`. */
enum column column_for(const struct profile *profile, enum column column);
/* Reports that the session has no such column, and names its substitute. */
void column_say_other_method(const struct profile *profile, enum column column);
/* Checks that rows of this session can be sorted by the column. Returns 0, or -1 after an error
 * message. */
int column_check_sort(const struct profile *profile, enum column column);

/* ---- names: columns_choice.c ----------------------------------------------------------------- */

/* Returns the column of that name: as in csv, with or without the unit, with - or _, or a short
 * form. Returns -1 after an error message that suggests a name. */
int column_find(const char *name);

/* Columns in the order to show. */
struct column_list {
	enum column list[COLUMN_COUNT];
	/* By column: requested by --columns, so kept on the narrowest terminal. */
	int stays[COLUMN_COUNT];
	size_t n;
};

/* Parses the list of --columns: names and groups, separated by commas; +NAME and -NAME change
 * `defaults`. Returns 0, or -1 after an error message. */
int column_list_parse(struct column_list *columns, const char *text, const struct column_list *defaults,
		      const struct profile *profile);
void column_list_add(struct column_list *columns, enum column column);
int column_list_has(const struct column_list *columns, enum column column);
/* Prints names and meanings of all columns, the short forms and the groups. */
void column_list_help(FILE *out);

/* ---- defaults: columns_default.c ------------------------------------------------------------- */

/* of --view */
enum column_set {
	COLUMNS_CPU,
	COLUMNS_FULL,
	COLUMNS_OS,
	COLUMNS_IO,
	COLUMNS_MEMORY,
	COLUMNS_HELD,
	COLUMNS_COUNTS
};

/* Sets the default columns of a table `width` columns wide (0: unlimited). */
void column_list_default(struct column_list *columns, const struct profile *profile, enum column_set set,
			 unsigned width);
/* Priority for leaving out a default column on a narrow terminal: the highest is left out first; 0:
 * never. Those above COLUMN_DROP_SOON are left out before names are shortened. */
#define COLUMN_DROP_SOON 3
int column_drop(enum column column, enum column_set set, const struct profile *profile);

/* ---- order: columns_order.c ------------------------------------------------------------------ */

/* BY_NATURE: numbers descending, text ascending */
enum direction { BY_NATURE, ASCENDING, DESCENDING };

struct order {
	enum column column;
	enum direction direction;
};

/* Whether `name`, a user's word, is the column name `key`: - counts as _, and _ns may be left
 * out. */
int column_names_equal(const char *key, const char *name);

/* Parses COLUMN, COLUMN:asc or COLUMN:desc. Returns 0, or -1 after an error message. */
int order_parse(struct order *order, const char *text);
/* Sorts rows. Rows without a value come last; equal ones are ordered by name and place, so that the
 * order is reproducible. */
void order_rows(const struct profile *profile, const struct row **rows, size_t n, const struct order *order);
/* Sorts rows by a column in its natural direction. */
void column_sort(const struct profile *profile, const struct row **rows, size_t n, enum column column);

#endif
