/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * item_writer.h - items with names, in groups and lists, in whatever format: what views give to
 * scripts. A format is a struct sheet_format; views know none of them. A nested format gets one
 * group with everything. A flat one may be told columns first; then each group is a row, and its
 * items come in the order of the columns.
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

/* The group at hand is sheet_group(): in `open` the one that the new one is in. */
struct sheet_format {
	void (*columns)(struct sheet *sheet, const char *const *names, size_t n); /* NULL: nested */
	void (*open)(struct sheet *sheet, const char *name, char bracket);
	void (*close)(struct sheet *sheet);
	void (*put)(struct sheet *sheet, const char *name, const struct item *item);
};

/* Where a nested format breaks lines in a group. */
enum sheet_layout {
	SHEET_LINES,  /* a line for each item; what is empty is on one line */
	SHEET_BLOCK,  /* the same; the end has its own line in any case */
	SHEET_HANG,   /* the same; the end stands behind the last item */
	SHEET_INLINE, /* all on one line */
	SHEET_PADDED, /* the same, with blanks inside the brackets */
};

struct sheet_group {
	char bracket; /* '{' or '['; 0: around everything */
	enum sheet_layout layout;
	size_t n;	   /* items in it */
	int indent;	   /* of its items */
	size_t key_length; /* flat: of what is around it */
};

struct sheet {
	FILE *out;
	const struct sheet_format *format;
	uint32_t pid; /* of the items to come; 0: of the session */
	int has_columns;
	const char *line_end;	    /* of a flat format's lines */
	struct strbuf key;	    /* flat: the path to the group at hand: "modules.0." */
	const char *const *chosen;  /* of rows, in this order; NULL: all */
	size_t n_chosen, row_depth; /* the latter: of the row at hand; 0: none */
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

/* Only in flat formats. */
void sheet_columns(struct sheet *sheet, const char *const *names, size_t n);

/* Rows have these items only, in this order. Before anything is written. */
void sheet_choose(struct sheet *sheet, const char *const *names, size_t n);
/* A group with a row's items, of which some may be chosen. */
void sheet_row(struct sheet *sheet, enum sheet_layout layout);

/* name NULL: the next of a list, or what is around everything. */
void sheet_open(struct sheet *sheet, const char *name, char bracket, enum sheet_layout layout);
void sheet_close(struct sheet *sheet);

/* NULL: nothing. */
void sheet_text(struct sheet *sheet, const char *name, const char *text);
/* A line of source, which keeps its tabs. */
void sheet_source(struct sheet *sheet, const char *name, const char *text);
void sheet_none(struct sheet *sheet, const char *name);
void sheet_count(struct sheet *sheet, const char *name, uint64_t n);
/* Nothing if it is 0. */
void sheet_count_if(struct sheet *sheet, const char *name, uint64_t n);
void sheet_signed(struct sheet *sheet, const char *name, int64_t n);
void sheet_ns(struct sheet *sheet, const char *name, long double ns);
void sheet_decimal(struct sheet *sheet, const char *name, long double number, int decimals);
/* With as many decimals as it takes (%g). */
void sheet_short(struct sheet *sheet, const char *name, double number);
void sheet_flag(struct sheet *sheet, const char *name, int is_true);

#endif
