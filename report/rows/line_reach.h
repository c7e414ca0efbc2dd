/* SPDX-License-Identifier: GPL-3.0-or-later */
/* line_reach.h - the lines of a function that its time may belong to, where lines have no events of
 * their own (semantics R14): those of the code between the probe at which the time began and any
 * next probe, by instructions and debug information. */
#ifndef REPORT_LINE_REACH_H
#define REPORT_LINE_REACH_H

#include "file/modules.h"
#include "lib/util.h"
#include "symbols/symbols.h"

struct lines_range {
	uint32_t from, to; /* lines of the function's file; 0: none */
};

/* Functions looked up so far. Zero-initialised: empty. */
struct line_reach {
	struct map keys;
	struct reached_function **list;
	size_t size;
	struct sites_index *indices; /* one per module of the current process */
	size_t n_indices;
};

/* Return the lines from the entry of the function, or from the return of its call `site`, to the
 * next probe. has_calls: its calls had probes all the time. symbols NULL: the code is not known,
 * and the result is the range of all lines that have probes. */
struct lines_range line_reach_entry(struct line_reach *reach, struct symbols *symbols,
				    const struct module *module, const struct module_function *f,
				    int has_calls);
struct lines_range line_reach_call(struct line_reach *reach, struct symbols *symbols,
				   const struct module *module, const struct module_site *site,
				   int has_calls);
/* Returns the lines of the whole function. */
struct lines_range line_reach_whole(struct line_reach *reach, struct symbols *symbols,
				    const struct module *module, const struct module_function *f);
/* Forgets the modules of the current process; called between two processes. */
void line_reach_next_process(struct line_reach *reach);
void line_reach_release(struct line_reach *reach);

#endif
