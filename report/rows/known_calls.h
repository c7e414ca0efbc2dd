/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * known_calls.h - whether a row has all calls that there were, or at least so many: the limit on
 * overhead takes out probes at calls (budget_exclusions.h), and what a function without probes was
 * called from there is not known (doc/semantics.md: "Which functions are counted").
 */
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

/* Of the process at hand. */
struct known_calls {
	struct int_map out;  /* words of functions that were ever without some of their probes */
	struct int_map lost; /* ... without any, and not counted either */
	struct map callees;  /* names of what these have calls of, which are not known */
	/* names of functions left out as small: their calls by name have no probes, those through
	 * pointers do */
	struct map small;
	uint8_t *has_frames; /* by entity: activations of it were seen, by its own probes */
	size_t n_has_frames;
	uint8_t has_any_callee; /* they call through pointers, or not all are known */
	uint8_t is_out_unknown; /* marks of some functions had no room */
};

void known_calls_begin(struct known_calls *known, struct names *names, const struct data *data);
void known_calls_release(struct known_calls *known);

#define KNOWN_CALLS_FLAT SIZE_MAX
/* Are all calls of the cell's kind, with its function, in the rows of this addition? node: the
 * cell's; KNOWN_CALLS_FLAT: it is not in the tree. */
int known_calls_are_all(const struct addition *a, const struct cinstr_cell *cell, size_t node);
enum calls_by { CALLS_BY_FUNCTION, CALLS_BY_CALLER, CALLS_BY_PATH };
int known_calls_are_all_by(const struct addition *a, const struct cinstr_cell *cell, size_t node,
			   enum calls_by by);
/* ... on this very path? */
int known_calls_are_all_on_path(const struct addition *a, const struct cinstr_cell *cell, size_t node);
/* The cell's calls were added to the row. */
void known_calls_note(const struct addition *a, struct row *row, const struct cinstr_cell *cell, size_t node);
/* ... to the row of the place that it was called from. */
void known_calls_note_place(const struct addition *a, struct row *row, size_t node);
/* ... all of the thread, and whether these are all. */
int known_calls_are_whole(const struct addition *a);
void known_calls_note_whole(const struct addition *a, struct row *row);

/* Returns whether all functions of the process had all of their probes, all the time. */
int known_calls_are_all_timed(const struct addition *a);
/* Returns whether the process made calls by name that neither events nor counters tell of. */
int known_calls_has_unknown_sites(const struct addition *a);

#endif
