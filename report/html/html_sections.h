/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_sections.h - shared by the writers of the page's sections: the session as read, and the
 * numbers of functions and strings. A new section needs a function here, a row in html_sections.c,
 * and a decoder in page/model.js if columns are not enough. */
#ifndef REPORT_HTML_HTML_SECTIONS_H
#define REPORT_HTML_HTML_SECTIONS_H

#include "html.h"
#include "output/table_cells.h"
#include "pack.h"
#include "summary/summary.h"

/* Models of the page (page/model.js): the session, the second one, and the session with executed
 * instructions instead of time. */
enum html_side { HTML_FIRST, HTML_SECOND, HTML_EXECUTED };

enum html_profile {
	HTML_FUNCTIONS,
	HTML_PATHS,
	HTML_THREAD_PATHS, /* those below each thread */
	HTML_THREADS,
	HTML_PROCESSES,
	HTML_MODULES,
	HTML_SITES,
	HTML_MARKS,
	HTML_LINES,   /* for a session that is not sampled: read after the others */
	HTML_CALLERS, /* for one file: read when its section is written */
	HTML_PROFILES
};

struct html {
	struct pack pack;
	const struct html_wish *wish;
	enum html_side side;
	const char *prefix;   /* prefix of the names of its sections */
	const char *shown_as; /* NULL: its path */
	int is_whole;
	struct view *view; /* the session's, from view_read(); open while sections are written */
	struct profile *profiles[HTML_PROFILES]; /* some belong to the summary */
	struct profile own[HTML_PROFILES];
	struct summary summary;
	struct html_source *source; /* html_source.c; NULL: none */
	struct map *strings;	    /* string -> its number in the page */
	struct map functions;	    /* key of a function (names.h) -> its number */
	struct map modules;	    /* key of a module -> its number */
	struct strbuf notes;	    /* JSON: entries of the page's index about tables */
	struct strbuf more;	    /* JSON: ,"name":value of other entries of the index */
	double least_percent;	    /* limit of call paths; 0: none is left out */
	size_t n_paths_hidden;
	long double paths_hidden;	/* their exclusive time, ns */
	struct course *course;		/* html_course.c */
	struct wait_facts waits;	/* html_waits.c; taken from the summary */
	struct tag_facts tags;		/* html_values.c; likewise */
	struct count_facts counts;	/* likewise */
	struct executed_work *work;	/* work of the functions' profile, or NULL */
	int has_instructions;		/* instructions were counted */
	struct html_executed *executed; /* html_executed.c */
	int has_callers;		/* HTML_CALLERS has been read */
};

/* Returns the number of a string in the page, as csv would show it. */
uint32_t html_string(struct html *html, const char *text);
/* Returns the number of a function in the page; HTML_NO_FUNCTION: it is none of the session's. */
#define HTML_NO_FUNCTION (-1)
int64_t html_function(const struct html *html, const struct profile *profile, uint32_t entity);

/* ---- rows as columns: html_columns.c --------------------------------------------------------- */

/* Rows to write, all of one profile. */
struct html_rows {
	struct profile *profile;
	const struct row **rows;
	size_t n;
	/* the unit of a table of these rows: made on first use */
	struct unit unit;
	int is_unit_known;
};

/* Select the rows that a view would show, in their order, or sorted by a column. The caller frees
 * rows->rows. */
void html_rows_any(struct html_rows *rows, struct profile *profile);
void html_rows_of(struct html_rows *rows, struct profile *profile, enum column sort);
/* Writes a column of csv under its name, and if tables have marks in it, "NAME.marks": bits of enum
 * output_mark. */
void html_column(struct html *html, struct html_rows *rows, enum column column);
/* Writes the marks only. */
void html_marks(struct html *html, struct html_rows *rows, enum column column);
/* Write all columns of the view. *_numbers: without texts; core: only sums, and Avg, Min, Max. */
void html_columns(struct html *html, struct html_rows *rows);
void html_columns_numbers(struct html *html, struct html_rows *rows, int core);
/* Adds the columns of a table to the page's index. */
void html_note_table(struct html *html, const char *name, struct html_rows *rows);
/* Writes the column "function" of rows of functions. */
void html_column_function(struct html *html, struct html_rows *rows);

/* ---- sections -------------------------------------------------------------------------------- */

struct html_section {
	const char *name; /* its name in the page */
	/* Called between pack_section() and pack_section_end(). */
	void (*write)(struct html *html);
	int (*has)(const struct html *html); /* NULL: the section is always there */
	unsigned sides;			     /* bits: sides of the page that have it */
	/* bits by html_profile: profiles not needed afterwards */
	unsigned is_last_of;
};
extern const struct html_section html_sections[];
extern const size_t n_html_sections;

/* html_nodes.c: reads the values of paths, and chooses the paths to write. Returns 0, or -1 after
 * an error message. */
int html_nodes_read(struct html *html, const struct view_more *more);
void html_write_nodes(struct html *html);
void html_write_hot(struct html *html);
void html_write_nodes_more(struct html *html);
int html_has_nodes_more(const struct html *html);
void html_write_thread_nodes(struct html *html);
int html_has_thread_nodes(const struct html *html);

/* html_ranks.c: writes the amount that each process has of each function. */
void html_write_ranks(struct html *html);
void html_write_rank_list(struct html *html);
int html_has_ranks(const struct html *html);

/* html_course.c: the course of the session over time. html_course_add() collects it from each data
 * file; html_course_end() then reads the timelines. */
void html_course_begin(struct html *html);
void html_course_add(void *html, struct data *data);
void html_course_end(struct html *html);
void html_course_release(struct html *html);
void html_write_course(struct html *html);
void html_write_course_parts(struct html *html);
void html_write_course_marks(struct html *html);
void html_write_course_bins(struct html *html);
void html_write_course_sites(struct html *html);
void html_write_lanes(struct html *html);
void html_write_items(struct html *html);
int html_has_course(const struct html *html);
int html_has_course_parts(const struct html *html);
int html_has_course_marks(const struct html *html);
int html_has_course_bins(const struct html *html);
int html_has_lanes(const struct html *html);

/* html_waits.c: the waits of threads. html_waits_take() takes them from the summary, before its
 * rows are released. */
void html_waits_take(struct html *html);
void html_write_waits(struct html *html);
int html_has_waits(const struct html *html);

/* html_values.c: writes the program's tags and counts. Takes them from the summary before its rows
 * are released. */
void html_values_take(struct html *html);
void html_values_release(struct html *html);
void html_write_values(struct html *html);
int html_has_values(const struct html *html);

/* html_executed.c: adds executed instructions to the page's index; writes their source lines with
 * executions. */
void html_executed_note(struct html *html);
void html_executed_read_source(struct html *html);
void html_executed_release(struct html *html);
void html_write_executed_lines(struct html *html);
void html_write_executed_source(struct html *html);
int html_has_executed_source(const struct html *html);

/* Orders of the sections that sources refer to. */
#define HTML_SORT_LINES COLUMN_ELAPSED_EXCLUSIVE
#define HTML_SORT_SITES COLUMN_OFF_CPU_EXCLUSIVE
/* Larger tables have only core columns in the page. */
#define HTML_ROWS_MOST 20000
/* html_source.c: lines of sources, and the rows that belong to them. */
void html_source_read(struct html *html);
void html_source_release(struct html *html);
/* Selects the rows of the profile of lines that are in the page: all, or if they are very many
 * those whose source is. */
void html_lines(struct html *html, struct html_rows *rows);
void html_write_source(struct html *html);
int html_has_source(const struct html *html);

#endif
