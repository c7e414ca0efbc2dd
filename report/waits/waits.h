/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits.h - cinstr waits: what its files share. */
#ifndef REPORT_WAITS_WAITS_H
#define REPORT_WAITS_WAITS_H

#include "lib/terminal.h"
#include "output/format.h"
#include "output/grid.h"
#include "output/item_writer.h"
#include "rows/critical_path.h"
#include "selection/selection.h"
#include "wait_groups.h"
#include "wait_words.h"

#define LABEL_COLUMNS 11

struct waits_options {
	int format; /* OUTPUT_N_FORMATS: dot */
	uint64_t limit;
	const char *graph; /* NULL: not asked for */
	int critical_path;
	struct selection selection; /* of the critical path: from, to */
	struct terminal_options terminal;
	struct names_options names;
};

struct waits_view {
	const struct waits_options *options;
	struct names names;
	struct wait_facts facts;
	struct critical_path path;
	/* of the graph: what threads are called, by pid and tid */
	int of_threads;
	struct map threads;
	const char **thread_names;
	struct printer printer;
};

const char *waits_name(const struct waits_view *w, uint32_t entity);
/* "lookup  hold.c:20" */
void waits_put_place(const struct waits_view *w, struct strbuf *line, const struct wait_place *place);

/* What the thread is called; NULL: nothing is known. */
const char *waits_thread_name(const struct waits_view *w, uint32_t pid, uint32_t tid);

/* A list of rows for scripts. */
void waits_begin_sheet(struct sheet *sheet, const struct sheet_format *format, const char *name,
		       const char *const *columns, size_t n);
void waits_end_sheet(struct sheet *sheet, const struct sheet_format *format);

/* waits_graph.c: who waits for whom; format NULL: for Graphviz. */
void waits_graph(struct waits_view *w, const struct output_format *format);
/* waits_path.c: the critical path. */
void waits_print_path(struct waits_view *w, const struct critical_path *path,
		      const struct output_format *format);
/* waits_print.c: all, for people. */
void waits_print(struct waits_view *w);
/* waits_open.c: those that have not ended. */
void waits_print_open(const struct waits_view *w);

#endif
