/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits.h - shared by the files of cinstr waits. */
#ifndef REPORT_WAITS_WAITS_H
#define REPORT_WAITS_WAITS_H

#include "lib/terminal.h"
#include "output/format.h"
#include "output/grid.h"
#include "output/items.h"
#include "rows/critical_path.h"
#include "selection/selection.h"
#include "wait_groups.h"
#include "wait_words.h"

#define LABEL_COLUMNS 11

struct waits_options {
	int format; /* OUTPUT_N_FORMATS: dot */
	uint64_t limit;
	const char *graph; /* NULL: not requested */
	int critical_path;
	const char *without;	    /* names of functions; NULL: not requested */
	struct selection selection; /* range of the critical path: from, to */
	struct terminal_options terminal;
	struct names_options names;
};

struct waits_view {
	const struct waits_options *options;
	struct names names;
	struct wait_facts facts;
	struct critical_path path;
	struct globs without;
	/* for the graph: names of threads, by pid and tid */
	int of_threads;
	struct map threads;
	const char **thread_names;
	struct printer printer;
};

const char *waits_name(const struct waits_view *w, uint32_t entity);
/* Appends "lookup  hold.c:20". */
void waits_put_place(const struct waits_view *w, struct strbuf *line, const struct wait_place *place);

/* Returns the name of a thread; NULL: not known. */
const char *waits_thread_name(const struct waits_view *w, uint32_t pid, uint32_t tid);

/* waits_graph.c: prints who waits for whom; format NULL: for Graphviz. */
void waits_graph(struct waits_view *w, const struct output_format *format);
/* waits_path.c: prints the critical path. */
void waits_print_path(struct waits_view *w, const struct critical_path *path,
		      const struct output_format *format);
/* waits_print.c: prints all waits for people. */
void waits_print(struct waits_view *w);
/* waits_open.c: prints waits that have not ended. */
void waits_print_open(const struct waits_view *w);

#endif
