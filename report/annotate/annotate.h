/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * annotate.h - the content of `cinstr annotate`: parts of source files with the values of their
 * lines (a profile BY_LINE) and their callees (a profile BY_SITE). cmd_annotate.c chooses the
 * parts, annotate_table.c and annotate_data.c write them.
 */
#ifndef REPORT_ANNOTATE_H
#define REPORT_ANNOTATE_H

#include "lib/ink.h"
#include "names/source_text.h"
#include "output/output.h"

enum { ANNOTATE_LINES, ANNOTATE_SITES, ANNOTATE_FUNCTIONS, ANNOTATE_PROFILES };

/* A line with values or callees. */
struct annotated_line {
	uint32_t number;
	const struct row *row;		  /* NULL: no values of its own */
	const struct row *const *callees; /* most time first */
	size_t n_callees;
	const struct inlined_line *inlined; /* code of other lines that was inlined here */
	size_t n_inlined;
};

/* A line outside of the part that was inlined into one of its lines. */
struct inlined_line {
	uint32_t at; /* the line that it was inlined into */
	const struct row *row;
};

/* Time that belongs to one of these lines; which one is not known. */
struct annotated_range {
	uint32_t from, to;
	const struct row *row;
	unsigned lane; /* column of its bracket; ANNOTATE_LANES: no room */
};
#define ANNOTATE_LANES 3

/* Lines `from` to `to` of a file of a module. */
struct annotated {
	const char *file, *module;
	const char *function; /* NULL: the whole file */
	uint32_t from, to;
	uint32_t end;		      /* last line that may be shown after `to`, without values */
	struct annotated_line *lines; /* sorted by number */
	size_t n;
	struct annotated_range *ranges; /* sorted by `from`, longer ones first */
	size_t n_ranges;
	struct inlined_line *inlined;
	size_t n_inlined;
	char *path;		 /* present path of the file; NULL: not found */
	struct source_text text; /* owned by annotation.texts */
	int has_text;
	char *note; /* why there is no text; NULL: there is */
	/* The source was changed after this, "module" or "recording"; NULL: no, or not known. */
	const char *newer_than;
};

/* Rows of a profile, grouped by part. */
struct annotated_rows {
	const struct row **list;
	size_t n;
};

/* A file that was read; status: 0, or -errno. */
struct annotated_text {
	struct source_text text;
	int status;
};

struct annotation {
	struct view view; /* of the lines; must be first: writers get its address */
	struct profile profiles[ANNOTATE_PROFILES];
	struct annotated *parts;
	size_t n;
	struct annotated_rows rows[ANNOTATE_FUNCTIONS]; /* of lines, and of sites */
	size_t files_hidden;				/* files for which there was no room */
	struct map read;				/* path of a file -> texts */
	struct annotated_text *texts;
	int all;			   /* also lines without values */
	const struct selection *selection; /* what may be chosen; NULL: all */
	const struct order *order;	   /* of functions; NULL: what computes most comes first */
	const struct column_list *columns; /* NULL: as each format has them */
	const struct quickfix *quickfix;   /* to be written in its place; NULL: there is none */
};
/* Sets the default columns of csv and json, to which +NAME and -NAME refer. */
void annotate_default_columns(struct column_list *list, const struct profile *profile);
/* Sets the columns of a table. */
void annotate_table_columns(struct column_list *list, const struct profile *profile);

/* Adds parts for `wanted`, a function or a file; NULL: the `hottest` functions with most exclusive
 * time. Returns the number of matches, of which at most `hottest` functions were added. */
size_t annotate_choose(struct annotation *annotation, const char *wanted, size_t hottest);
/* Fills in whole files, those with the most time first, until their lines are max_lines. wanted: a
 * file; NULL: all. Returns how many there are. */
size_t annotate_choose_files(struct annotation *annotation, const char *wanted, size_t max_lines);
/* Adds a part for a row of the profile ANNOTATE_FUNCTIONS, and reads its text, unless the function
 * is a part already. Returns the part's number. */
size_t annotate_function(struct annotation *annotation, const struct row *function, int newer);
/* Reads the texts. newer: also those that were changed after the recording. */
void annotate_read(struct annotation *annotation, int newer);
void annotate_release(struct annotation *annotation);

/* A line as shown. */
struct annotate_line {
	const char *text;
	enum ink heat;		  /* by its part of the time */
	uint32_t number;	  /* in the source; 0: not a source line */
	const struct row *own;	  /* row of its exclusive values; NULL: none */
	const struct row *callee; /* row of a call from the line above; NULL: not a call */
};
typedef void (*annotate_take)(void *arg, const struct annotate_line *line);
/* Shown above sessions without line events. */
#define ANNOTATE_BRACKETS \
	"Lines are resolved to calls: a bracket spans the lines that the time may be of.\n" \
	"For each line: compile with -fplugin-arg-cinstr-lines, record --probes=lines.\n"
/* Passes the lines of a part to `take`, first its title and heading, in `width` columns (0:
 * unlimited). */
void annotate_part(const struct annotation *annotation, size_t part, size_t width, annotate_take take,
		   void *arg);

void annotate_table(struct items *items, const struct view *view);
void annotate_flat(struct items *items, const struct view *view);
void annotate_nested(struct items *items, const struct view *view);

#endif
