/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_lines.h - a story's events as lines for people, as csv (RFC 4180), or as one json array,
 * written as they come. */
#ifndef REPORT_TIMELINE_EVENT_LINES_H
#define REPORT_TIMELINE_EVENT_LINES_H

#include <stdio.h>

#include "event_merge.h"
#include "output/field_choice.h"
#include "output/grid.h"
#include "output/item_writer.h"

struct story_output;

/* An event, and all that is known of it. */
struct telling {
	enum trace_kind what;
	const char *kind;  /* csv and json */
	const char *words; /* table */
	long double ns;	   /* since the session's begin */
	uint32_t depth;
	const char *function, *module; /* NULL: it is about none */
	const char *file;	       /* NULL: not known */
	uint32_t line;
	uint32_t pid, tid;
	uint32_t process_number, twin; /* of the process: twins.h */
	const char *thread;	       /* its name */
	int is_of_thread;	       /* else of the process */
	uint32_t os_bits;
	int is_jump;		 /* it begins by a tail call (R15) */
	long double duration_ns; /* < 0: none; so is the next */
	long double off_cpu_ns;
	struct strbuf text; /* of marks and the like */
};

/* How events are written in a shape. is_cut: there would have been more. */
struct event_writer {
	void (*begin)(struct story_output *output);
	void (*put)(struct story_output *output, const struct telling *t);
	void (*end)(struct story_output *output, int is_cut);
};
extern const struct event_writer events_table, events_flat, events_nested;

struct story_output {
	struct sheet sheet; /* begun, and ended by story_put_end() */
	const struct event_writer *writer;
	const struct story *story;
	const char *source; /* the session's path */
	const struct selection *selection;
	const struct field_choice *columns; /* of event_fields; NULL: by default */
	const struct field_order *order;    /* NULL: as they come */
	uint64_t limit;			    /* of what is written */
	struct telling *kept;		    /* with an order: what may be written */
	size_t n_kept, size_kept;
	int is_cut;		/* some came behind the limit */
	int has_jumps;		/* calls that were jumps were written */
	uint64_t n;		/* events written */
	struct printer printer; /* of tables */
	struct strbuf line;
};

/* event_fields.c: what --columns and --sort know of an event, by the names in csv. */
extern const struct field_list event_fields;
/* All that csv has. */
extern const struct field_choice event_fields_default;
/* `separator`: between events of the operating system, which go into `scratch`. */
struct field_value event_field(const struct telling *t, size_t field, struct strbuf *scratch,
			       const char *separator);
/* A table of chosen columns: its heading, where t is NULL, or a line. */
void event_fields_line(struct strbuf *line, const struct field_choice *columns, const struct telling *t);
/* To be written when all have come, in output->order. */
void story_keep(struct story_output *output, const struct telling *t);
/* Brings what was kept in order, up to the limit. */
void story_order(struct story_output *output);
void story_forget(struct story_output *output);

void story_put_begin(struct story_output *output);
/* 1: the limit was reached. */
int story_put(struct story_output *output, const struct story_event *event);
/* Releases what the output has. */
void story_put_end(struct story_output *output, int is_cut);

#endif
