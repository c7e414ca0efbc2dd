/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_lines.h - a story's events as lines for people, as csv (RFC 4180), or as one json array,
 * written as they come. */
#ifndef REPORT_TIMELINE_EVENT_LINES_H
#define REPORT_TIMELINE_EVENT_LINES_H

#include <stdio.h>

#include "event_merge.h"
#include "output/grid.h"
#include "output/item_writer.h"

struct story_output;
struct telling; /* event_lines.c: an event, and all that is known of it */

/* How events are written in a shape. is_cut: there would have been more. */
struct event_writer {
	void (*begin)(struct story_output *output);
	void (*put)(struct story_output *output, const struct story_event *event, const struct telling *t);
	void (*end)(struct story_output *output, int is_cut);
};
extern const struct event_writer events_table, events_flat, events_nested;

struct story_output {
	struct sheet sheet; /* begun, and ended by story_put_end() */
	const struct event_writer *writer;
	const struct story *story;
	const char *source; /* the session's path */
	const struct selection *selection;
	int has_jumps;		/* calls that were jumps were written */
	uint64_t n;		/* events written */
	struct printer printer; /* of tables */
	struct strbuf line;
};

void story_put_begin(struct story_output *output);
void story_put(struct story_output *output, const struct story_event *event);
/* is_cut: there would have been more. Releases what the output has. */
void story_put_end(struct story_output *output, int is_cut);

#endif
