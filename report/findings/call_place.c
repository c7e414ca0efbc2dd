/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_place.c - see call_place.h. */
#include "call_place.h"

#include <stdlib.h>
#include <string.h>

#include "names/system_paths.h"

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

void call_place_find(struct call_place *place, const struct call_graph *graph, const struct row *edge)
{
	struct names *names = graph->profile->names;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = frames_of(graph, edge, frames);

	*place = (struct call_place){ 0 };
	for (size_t i = 0; i < n && !place->file; i++)
		if (frames[i].file && frames[i].line && !system_code_is_header(frames[i].file) &&
		    !is_implicit(&frames[i])) {
			place->file = map_keep(&names->strings, frames[i].file);
			place->line = frames[i].line;
			if (i + 1 < n && frames[i].is_inlined)
				set_inlined(place, names, &frames[i]);
		}
	for (size_t i = n; i-- > 0 && place->n_lines < CALL_PLACE_LEVELS && frames[i].line;)
		place->lines[place->n_lines++] = frames[i].line;
}

int call_place_compare(const struct call_place *a, const struct call_place *b)
{
	for (size_t i = 0; i < a->n_lines && i < b->n_lines; i++)
		if (a->lines[i] != b->lines[i])
			return a->lines[i] < b->lines[i] ? -1 : 1;
	return 0;
}
