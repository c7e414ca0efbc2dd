/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_place.c - see call_place.h. */
#include "call_place.h"

#include <stdlib.h>
#include <string.h>

#include "names/system_paths.h"

#define SITES_MOST 8	 /* places of one call in one function: of more nothing is said */
#define SITES_PART 10	 /* one with fewer calls than this part of the most called is left out */
#define SITES_KNOWN 0.5L /* of the callee's calls are made at these places */

static void set_inlined(struct call_place *place, struct names *names, const struct symbol_frame *frame)
{
	char *shown = names_shown(frame->name, frame->decl_file, frame->decl_line);

	place->inlined = map_keep(&names->strings, shown);
	free(shown);
}

/* Fills in the frames at the call, innermost first. Returns their number; 0: they are not known. */
static size_t frames_of(const struct call_graph *graph, const struct row *edge,
			struct symbol_frame frames[SYMBOL_FRAMES_MAX])
{
	struct symbols *symbols;

	if (!edge->address || edge->place == NAMES_NONE || edge->place >= graph->n_entities)
		return 0;
	symbols = names_symbols_later(graph->profile->names, edge->place);
	return symbols ? symbols_frames(symbols, strtoull(edge->address, NULL, 16), frames, SYMBOL_FRAMES_MAX)
		       : 0;
}

/* Tells whether the code is of a constructor, destructor or assignment that the compiler has made:
 * all of it is at the line where its class begins, which says nothing. */
static int is_implicit(const struct symbol_frame *frame)
{
	static const char *const marks[] = { "C1E", "C2E", "C4E", "D1E", "D2E", "D4E", "aSE" };

	if (!frame->is_inlined || !frame->name || frame->line != frame->decl_line)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (strstr(frame->name, marks[i]))
			return 1;
	return 0;
}

size_t call_place_own_frame(const struct symbol_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (frames[i].file && frames[i].line && !system_code_is_header(frames[i].file) &&
		    !is_implicit(&frames[i]))
			return i;
	return n;
}

int call_place_is_within(const struct call_graph *graph, const struct row *edge,
			 int (*is_named)(const char *assembler))
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = frames_of(graph, edge, frames);

	for (size_t i = 0; i + 1 < n; i++)
		if (frames[i].is_inlined && frames[i].name && is_named(frames[i].name))
			return 1;
	return 0;
}

/* ---- calls of which the place is not known --------------------------------------------------- */

/* Fills in the places where the caller of this edge is known to call the same function often.
 * Returns their number; 0: they are too many, or too little is known. */
static size_t sites_of(const struct call_graph *graph, const struct row *edge,
		       const struct row *sites[SITES_MOST])
{
	size_t n_out, n = 0;
	const struct row **out = call_graph_out(graph, call_graph_caller(edge), &n_out);
	uint64_t most = 0, calls = 0;

	for (size_t i = 0; i < n_out; i++)
		if (out[i]->entity == edge->entity && out[i]->address) {
			most = out[i]->calls > most ? out[i]->calls : most;
			calls += out[i]->calls;
		}
	if (!most || (long double)calls < SITES_KNOWN * (long double)call_graph_calls(graph, edge->entity))
		return 0;
	for (size_t i = 0; i < n_out; i++) {
		if (out[i]->entity != edge->entity || !out[i]->address || SITES_PART * out[i]->calls < most)
			continue;
		if (n == SITES_MOST)
			return 0;
		sites[n++] = out[i];
	}
	return n;
}

static int is_same_function(const struct symbol_frame *a, const struct symbol_frame *b)
{
	return a->name && b->name && !strcmp(a->name, b->name);
}

/* Returns how many of the outermost frames a[n_a] are frames of b[n_b], too: the innermost of these
 * may be at another line, and then *is_same_line is 0. */
static size_t common_frames(const struct symbol_frame *a, size_t n_a, const struct symbol_frame *b,
			    size_t n_b, int *is_same_line)
{
	size_t n = 0;

	*is_same_line = 1;
	while (*is_same_line && n < n_a && n < n_b && is_same_function(&a[n_a - 1 - n], &b[n_b - 1 - n])) {
		*is_same_line = a[n_a - 1 - n].line == b[n_b - 1 - n].line;
		n++;
	}
	return n;
}

/* Fills in the frames that all known places of such a call have in common, innermost first. Returns
 * their number; 0: nothing is known. *is_one_line: they all are at the same line of frames[0]. */
static size_t frames_of_sites(const struct call_graph *graph, const struct row *edge,
			      struct symbol_frame frames[SYMBOL_FRAMES_MAX], int *is_one_line)
{
	const struct row *sites[SITES_MOST];
	size_t n_sites = sites_of(graph, edge, sites), n = n_sites ? frames_of(graph, sites[0], frames) : 0;

	*is_one_line = 1;
	for (size_t i = 1; i < n_sites && n; i++) {
		struct symbol_frame others[SYMBOL_FRAMES_MAX];
		int is_same_line;
		size_t common =
			common_frames(frames, n, others, frames_of(graph, sites[i], others), &is_same_line);

		*is_one_line = common == n ? *is_one_line && is_same_line : is_same_line;
		memmove(frames, frames + n - common, common * sizeof(*frames));
		n = common;
	}
	return n;
}

/* ---- places ---------------------------------------------------------------------------------- */

void call_place_find(struct call_place *place, const struct call_graph *graph, const struct row *edge)
{
	struct names *names = graph->profile->names;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	int is_one_line = 1;
	size_t n = edge->address ? frames_of(graph, edge, frames)
				 : frames_of_sites(graph, edge, frames, &is_one_line);
	size_t own;

	*place = (struct call_place){ 0 };
	own = call_place_own_frame(frames, n);
	if (own < n) {
		int is_known = own || is_one_line || !frames[own].decl_file;

		place->file = map_keep(&names->strings, is_known ? frames[own].file : frames[own].decl_file);
		place->line = is_known ? frames[own].line : frames[own].decl_line;
		if (own + 1 < n && frames[own].is_inlined)
			set_inlined(place, names, &frames[own]);
	}
	/* without the innermost one if the calls are at several lines of it */
	for (size_t i = n;
	     i-- > (is_one_line ? 0 : 1) && place->n_lines < CALL_PLACE_LEVELS && frames[i].line;)
		place->lines[place->n_lines++] = frames[i].line;
}

int call_place_compare(const struct call_place *a, const struct call_place *b)
{
	for (size_t i = 0; i < a->n_lines && i < b->n_lines; i++)
		if (a->lines[i] != b->lines[i])
			return a->lines[i] < b->lines[i] ? -1 : 1;
	return 0;
}
