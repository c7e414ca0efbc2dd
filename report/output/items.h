/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * items.h - writes named items in groups and lists, in any format: how views produce data for
 * scripts. A format is a struct items_format; views depend on none of them. In a nested format one
 * group contains everything. A flat one may be given columns first; each group is then a row, and
 * its items come in the order of the columns.
 */
#ifndef REPORT_OUTPUT_ITEMS_H
#define REPORT_OUTPUT_ITEMS_H

#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

#define ITEMS_DEPTH_MAX 12

struct item {
	enum { ITEM_NONE, ITEM_NUMBER, ITEM_FLAG, ITEM_TEXT, ITEM_SOURCE } type;
	const char *text; /* of a flag: "true" or "false" */
};

struct items;

/* Functions of a format. items_group() is the current group; in `open`, the one that contains the
 * new group. */
struct items_format {
	void (*columns)(struct items *items, const char *const *names, size_t n); /* NULL: nested */
	void (*open)(struct items *items, const char *name, char bracket);
	void (*close)(struct items *items);
	void (*put)(struct items *items, const char *name, const struct item *item);
};

/* Where a nested format breaks lines inside a group. */
enum items_layout {
	ITEMS_LINES,  /* a line for each item; an empty group is one line */
	ITEMS_BLOCK,  /* as ITEMS_LINES; the closing bracket always has its own line */
	ITEMS_HANG,   /* as ITEMS_LINES; the closing bracket follows the last item */
	ITEMS_INLINE, /* everything on one line */
	ITEMS_PADDED, /* as ITEMS_INLINE, with blanks inside the brackets */
};

struct items_group {
	char bracket; /* '{' or '['; 0: the outermost */
	enum items_layout layout;
	size_t n;	   /* number of items written */
	int indent;	   /* indentation of its items, in columns */
	size_t key_length; /* flat: length of the enclosing group's key */
};

struct items {
	FILE *out;
	const struct items_format *format;
	uint32_t pid; /* process of the next items; 0: of the session */
	int has_columns;
	const char *line_end;	    /* ends the lines of a flat format */
	struct strbuf key;	    /* flat: path of the current group: "modules.0." */
	const char *const *chosen;  /* items of rows to write, in this order; NULL: all */
	size_t n_chosen, row_depth; /* row_depth: depth of the current row; 0: none */
	struct kept_item *kept;	    /* [n_chosen] */
	size_t depth;
	struct items_group groups[ITEMS_DEPTH_MAX];
};

void items_begin(struct items *items, FILE *out, const struct items_format *format);
void items_end(struct items *items);

static inline struct items_group *items_group(struct items *items)
{
	return &items->groups[items->depth];
}

/* Sets the columns of the rows. Only for flat formats. */
void items_columns(struct items *items, const char *const *names, size_t n);

/* Restricts rows to these items, in this order. To be called before anything is written. */
void items_choose(struct items *items, const char *const *names, size_t n);
/* Opens the group of a row, to which items_choose() applies. */
void items_row(struct items *items, enum items_layout layout);

/* Opens a group. name NULL: an element of a list, or the outermost group. */
void items_open(struct items *items, const char *name, char bracket, enum items_layout layout);
void items_close(struct items *items);

/* Begins a table: rows after items of the whole, which only nested formats have. Flat ones get the
 * columns. Returns 1 if the items are to be written now; items_table_rows() ends them. */
int items_table(struct items *items, FILE *out, const struct items_format *format, enum items_layout layout,
		const char *const *columns, size_t n);
/* Begins the rows, a list of this name. */
void items_table_rows(struct items *items, const char *name);
/* Ends the rows and the table, and releases `items`. */
void items_table_end(struct items *items);

/* Writes a text; NULL: no value. */
void items_text(struct items *items, const char *name, const char *text);
/* Writes a line of source, which keeps its tabs; NULL: no value. */
void items_source(struct items *items, const char *name, const char *text);
void items_none(struct items *items, const char *name);
void items_count(struct items *items, const char *name, uint64_t n);
/* Writes a number; 0: no value. */
void items_count_if(struct items *items, const char *name, uint64_t n);
void items_signed(struct items *items, const char *name, int64_t n);
void items_ns(struct items *items, const char *name, long double ns);
void items_decimal(struct items *items, const char *name, long double number, int decimals);
/* Writes a number; NAN: no value. */
void items_decimal_if(struct items *items, const char *name, long double number, int decimals);
/* Writes a number with as many decimals as %g gives it. */
void items_short(struct items *items, const char *name, double number);
void items_flag(struct items *items, const char *name, int is_true);

#endif
