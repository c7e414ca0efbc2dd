/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * annotate.h - what `cinstr annotate` shows: parts of source files, with the values of their lines
 * (a profile BY_LINE) and what was called from there (a profile BY_SITE). cmd_annotate.c chooses,
 * annotate_table.c and annotate_data.c write it.
 */
#ifndef REPORT_ANNOTATE_H
#define REPORT_ANNOTATE_H

#include "lib/ink.h"
#include "names/source_text.h"
#include "output/output.h"

enum { ANNOTATE_LINES, ANNOTATE_SITES, ANNOTATE_FUNCTIONS, ANNOTATE_PROFILES };

/* A line with values, or from which something was called. */
struct annotated_line {
	uint32_t number;
	const struct row *row;		  /* NULL: it has no values of its own */
	const struct row *const *callees; /* from the most time on */
	size_t n_callees;
	const struct inlined_line *inlined; /* what was executed here and stands elsewhere */
	size_t n_inlined;
};

/* A line outside of the part that was inlined on one of its lines. */
struct inlined_line {
	uint32_t at; /* that line */
	const struct row *row;
};

/* Time of which only is known that it is of one of these lines. */
struct annotated_range {
	uint32_t from, to;
	const struct row *row;
	unsigned lane; /* of the brackets beside one another; ANNOTATE_LANES: there was no room */
};
#define ANNOTATE_LANES 3

/* Lines `from` to `to` of a file of a module. */
struct annotated {
	const char *file, *module;
	const char *function; /* NULL: the whole file */
	uint32_t from, to;
	uint32_t end;		      /* its lines may go on to here, without values */
	struct annotated_line *lines; /* in order */
	size_t n;
	struct annotated_range *ranges; /* in order of from, longer ones first */
	size_t n_ranges;
	struct inlined_line *inlined;
	size_t n_inlined;
	char *path;		 /* where the file is now; NULL: nowhere */
	struct source_text text; /* the annotation's */
	int has_text;
	char *note; /* why there is no text; NULL */
	/* module, recording: the source was changed after it; NULL: it was not, or is not known */
	const char *newer_than;
};

/* Rows of a profile, those of a part one after another. */
struct annotated_rows {
	const struct row **list;
	size_t n;
};

/* A file that was read, or could not be: -errno. */
struct annotated_text {
	struct source_text text;
	int status;
};

struct annotation {
	struct view view; /* of the lines; first: writers get its address */
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
/* What csv and json have without --columns, and what there is for +NAME and -NAME. */
void annotate_default_columns(struct column_list *list, const struct profile *profile);
/* What a table shows. */
void annotate_table_columns(struct column_list *list, const struct profile *profile);

/* Fills in parts by `wanted`, a function or a file; NULL: the `hottest` functions with the most
 * exclusive time. */
size_t annotation_choose(struct annotation *annotation, const char *wanted, size_t hottest);
/* Fills in whole files, those with the most time first, until their lines are max_lines. wanted: a
 * file; NULL: all. Returns how many there are. */
size_t annotation_choose_files(struct annotation *annotation, const char *wanted, size_t max_lines);
/* One function, of the profile ANNOTATE_FUNCTIONS, with its text; it may be a part already. The
 * number of the part. */
size_t annotation_function(struct annotation *annotation, const struct row *function, int newer);
/* Reads the texts. newer: also those that are newer than what was recorded. */
void annotation_read(struct annotation *annotation, int newer);
void annotation_release(struct annotation *annotation);

/* A line as it is shown. */
struct annotate_line {
	const char *text;
	enum ink heat;		  /* how much of the time it has */
	uint32_t number;	  /* of the source; 0: something else stands here */
	const struct row *own;	  /* whose exclusive values these are; NULL: there are none */
	const struct row *callee; /* of a call from the line above: NULL: it is none */
};
typedef void (*annotate_take)(void *arg, const struct annotate_line *line);
/* What a session without line events has above. */
#define ANNOTATE_BRACKETS \
	"Lines are resolved to calls: a bracket spans the lines that the time may be of.\n" \
	"For each line: compile with -fplugin-arg-cinstr-lines, record --probes=lines.\n"
/* Gives the lines of a part, first its title and its heading, `width` wide (0: no limit). */
void annotate_part(const struct annotation *annotation, size_t part, size_t width, annotate_take take,
		   void *arg);

void annotate_table(struct sheet *sheet, const struct view *view);
void annotate_flat(struct sheet *sheet, const struct view *view);
void annotate_nested(struct sheet *sheet, const struct view *view);

#endif
