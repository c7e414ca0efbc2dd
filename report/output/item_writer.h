/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * item_writer.h - writes named items in groups and lists, in any format: how views produce data for
 * scripts. A format is a struct sheet_format; views depend on none of them. In a nested format one
 * group contains everything. A flat one may be given columns first; each group is then a row, and
 * its items come in the order of the columns.
 */
#ifndef REPORT_OUTPUT_ITEM_WRITER_H
#define REPORT_OUTPUT_ITEM_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

#define SHEET_DEPTH_MAX 12

struct item {
	enum { ITEM_NONE, ITEM_NUMBER, ITEM_FLAG, ITEM_TEXT, ITEM_SOURCE } type;
	const char *text; /* of a flag: "true" or "false" */
};

struct sheet;

/* Functions of a format. sheet_group() is the current group; in `open`, the one that contains the
 * new group. */
struct sheet_format {
	void (*columns)(struct sheet *sheet, const char *const *names, size_t n); /* NULL: nested */
	void (*open)(struct sheet *sheet, const char *name, char bracket);
	void (*close)(struct sheet *sheet);
	void (*put)(struct sheet *sheet, const char *name, const struct item *item);
};

/* Where a nested format breaks lines inside a group. */
enum sheet_layout {
	SHEET_LINES,  /* a line for each item; an empty group is one line */
	SHEET_BLOCK,  /* as SHEET_LINES; the closing bracket always has its own line */
	SHEET_HANG,   /* as SHEET_LINES; the closing bracket follows the last item */
	SHEET_INLINE, /* everything on one line */
	SHEET_PADDED, /* as SHEET_INLINE, with blanks inside the brackets */
};

struct sheet_group {
	char bracket; /* '{' or '['; 0: the outermost */
	enum sheet_layout layout;
	size_t n;	   /* number of items written */
	int indent;	   /* indentation of its items, in columns */
	size_t key_length; /* flat: length of the enclosing group's key */
};

struct sheet {
	FILE *out;
	const struct sheet_format *format;
	uint32_t pid; /* process of the next items; 0: of the session */
	int has_columns;
	const char *line_end;	    /* ends the lines of a flat format */
	struct strbuf key;	    /* flat: path of the current group: "modules.0." */
	const char *const *chosen;  /* items of rows to write, in this order; NULL: all */
	size_t n_chosen, row_depth; /* row_depth: depth of the current row; 0: none */
	struct kept_item *kept;	    /* [n_chosen] */
	size_t depth;
	struct sheet_group groups[SHEET_DEPTH_MAX];
};

void sheet_begin(struct sheet *sheet, FILE *out, const struct sheet_format *format);
void sheet_end(struct sheet *sheet);

static inline struct sheet_group *sheet_group(struct sheet *sheet)
{
	return &sheet->groups[sheet->depth];
}

/* Sets the columns of the rows. Only for flat formats. */
void sheet_columns(struct sheet *sheet, const char *const *names, size_t n);

/* Restricts rows to these items, in this order. To be called before anything is written. */
void sheet_choose(struct sheet *sheet, const char *const *names, size_t n);
/* Opens the group of a row, to which sheet_choose() applies. */
void sheet_row(struct sheet *sheet, enum sheet_layout layout);

/* Opens a group. name NULL: an element of a list, or the outermost group. */
void sheet_open(struct sheet *sheet, const char *name, char bracket, enum sheet_layout layout);
void sheet_close(struct sheet *sheet);

/* Begins a table: rows after items of the whole, which only nested formats have. Flat ones get the
 * columns. Returns 1 if the items are to be written now; sheet_table_rows() ends them. */
int sheet_table(struct sheet *sheet, FILE *out, const struct sheet_format *format, enum sheet_layout layout,
		const char *const *columns, size_t n);
/* Begins the rows, a list of this name. */
void sheet_table_rows(struct sheet *sheet, const char *name);
/* Ends the rows, the table and the sheet. */
void sheet_table_end(struct sheet *sheet);

/* Writes a text; NULL: no value. */
void sheet_text(struct sheet *sheet, const char *name, const char *text);
/* Writes a line of source, which keeps its tabs; NULL: no value. */
void sheet_source(struct sheet *sheet, const char *name, const char *text);
void sheet_none(struct sheet *sheet, const char *name);
void sheet_count(struct sheet *sheet, const char *name, uint64_t n);
/* Writes a number; 0: no value. */
void sheet_count_if(struct sheet *sheet, const char *name, uint64_t n);
void sheet_signed(struct sheet *sheet, const char *name, int64_t n);
void sheet_ns(struct sheet *sheet, const char *name, long double ns);
void sheet_decimal(struct sheet *sheet, const char *name, long double number, int decimals);
/* Writes a number with as many decimals as %g gives it. */
void sheet_short(struct sheet *sheet, const char *name, double number);
void sheet_flag(struct sheet *sheet, const char *name, int is_true);

#endif
