/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known_calls.h - whether a row has all calls, or only a lower bound: the limit on overhead removes
 * probes at calls (budget_exclusions.h), and functions without probes are then called from there
 * unseen (doc/semantics.md: "Which functions are counted"). */
#ifndef REPORT_ROWS_KNOWN_CALLS_H
#define REPORT_ROWS_KNOWN_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/int_map.h"
#include "lib/util.h"

struct addition;
struct cinstr_cell;
struct data;
struct names;
struct row;

/* State for the current process. */
struct known_calls {
	struct int_map out;   /* codes of functions that lacked some of their probes at some time */
	struct int_map lost;  /* codes of those that lacked all, and were not counted */
	struct map callees;   /* names that `out` functions call without probes or counters */
	struct int_map edges; /* int_map_pair() of entities that do so, and of those they call */
	/* names of functions left out as small: calls of them by name have no probes, calls through
	 * pointers have */
	struct map small;
	uint8_t *has_frames; /* by entity: activations were seen by its own probes */
	size_t n_has_frames;
	/* `out` functions call through pointers, or not all of these functions are known */
	uint8_t has_any_callee;
	/* some functions were removed without a mark, as there was no room */
	uint8_t is_out_unknown;
};

void known_calls_begin(struct known_calls *known, struct names *names, const struct data *data);
void known_calls_release(struct known_calls *known);

#define KNOWN_CALLS_FLAT SIZE_MAX
/* Whether the rows of this addition have all calls of the cell's kind of its function. node: of the
 * cell; KNOWN_CALLS_FLAT: it is not in the tree. */
int known_calls_are_all(const struct addition *a, const struct cinstr_cell *cell, size_t node);
enum calls_by { CALLS_BY_FUNCTION, CALLS_BY_CALLER, CALLS_BY_PATH };
int known_calls_are_all_by(const struct addition *a, const struct cinstr_cell *cell, size_t node,
			   enum calls_by by);
/* Whether all calls on this very path are known. */
int known_calls_are_all_on_path(const struct addition *a, const struct cinstr_cell *cell, size_t node);
/* Marks the row, to which the cell's calls were added, if there may be more of them. */
void known_calls_note(const struct addition *a, struct row *row, const struct cinstr_cell *cell, size_t node);
/* Marks the row of the place that the node was called from, if there may be more calls. */
void known_calls_note_place(const struct addition *a, struct row *row, size_t node);
/* Returns whether all calls of the thread are known. */
int known_calls_are_whole(const struct addition *a);
/* Marks the row of a whole thread unless all calls of the thread are known. */
void known_calls_note_whole(const struct addition *a, struct row *row);

/* Returns whether all functions of the process had all of their probes all the time. */
int known_calls_are_all_timed(const struct addition *a);
/* Returns whether the process may have made calls by name that have neither events nor counters. */
int known_calls_has_unknown_sites(const struct addition *a);

#endif
