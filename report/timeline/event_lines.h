/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_lines.h - a story's events as lines for people, as csv (RFC 4180), or as one json array, written as they come. */
#ifndef REPORT_TIMELINE_EVENT_LINES_H
#define REPORT_TIMELINE_EVENT_LINES_H

#include <stdio.h>

#include "event_merge.h"

struct story_output {
	FILE *out;
	int format; /* 0 table, 1 csv, 2 json */
	const struct story *story;
	const char *source; /* the session's path */
	const struct selection *selection;
	int has_jumps; /* calls that were jumps were written */
	uint64_t n;    /* events written */
	struct strbuf line;
};

void story_put_begin(struct story_output *output);
void story_put(struct story_output *output, const struct story_event *event);
/* is_cut: there would have been more. Releases what the output has. */
void story_put_end(struct story_output *output, int is_cut);

#endif
