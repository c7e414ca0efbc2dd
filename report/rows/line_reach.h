/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * line_reach.h - which lines of a function its time may belong to, where lines have no events of
 * their own (semantics R14): those of the code between the probe that the time began with and
 * whatever probe comes next, by its instructions and the debug information.
 */
#ifndef REPORT_LINE_REACH_H
#define REPORT_LINE_REACH_H

#include "file/modules.h"
#include "lib/util.h"
#include "symbols/symbols.h"

struct lines_range {
	uint32_t from, to; /* lines of the function's file; 0: none */
};

/* Functions that were asked for. Zero-initialised is empty. */
struct line_reach {
	struct map keys;
	struct reached_function **list;
	size_t size;
	struct sites_index *indices; /* of the modules of the process at hand */
	size_t n_indices;
};

/*
 * From the entry of the function, or the return of the call `site` of it, to the next probe.
 * has_calls: its calls had probes, all the time. symbols NULL: the code is not known, and the range
 * is that of all lines that have probes.
 */
struct lines_range line_reach_entry(struct line_reach *reach, struct symbols *symbols,
				    const struct module *module, const struct module_function *f,
				    int has_calls);
struct lines_range line_reach_call(struct line_reach *reach, struct symbols *symbols,
				   const struct module *module, const struct module_site *site,
				   int has_calls);
/* All of the function. */
struct lines_range line_reach_whole(struct line_reach *reach, struct symbols *symbols,
				    const struct module *module, const struct module_function *f);
/* Between two processes: modules may be others. */
void line_reach_next_process(struct line_reach *reach);
void line_reach_release(struct line_reach *reach);

#endif
