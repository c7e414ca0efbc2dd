/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_lines.h - writes events as they come: as lines for people, as csv (RFC 4180), or as one
 * json array. */
#ifndef REPORT_TIMELINE_EVENT_LINES_H
#define REPORT_TIMELINE_EVENT_LINES_H

#include "event_merge.h"
#include "output/field_choice.h"
#include "output/grid.h"
#include "output/items.h"

struct event_lines;

/* An event with all its details. */
struct telling {
	enum stream_kind what;
	const char *kind;  /* name in csv and json */
	const char *words; /* text in a table */
	long double ns;	   /* since the session's begin */
	uint32_t depth;
	const char *function, *module; /* NULL: the event has none */
	const char *file;	       /* NULL: not known */
	uint32_t line;
	uint32_t pid, tid;
	uint32_t process_number, twin; /* of the process: twins.h */
	const char *thread;	       /* name of the thread */
	int is_of_thread;	       /* 1: of a thread, 0: of the process */
	uint32_t os_bits;
	int is_jump;		 /* call by a tail call (R15) */
	long double duration_ns; /* < 0: none; off_cpu_ns likewise */
	long double off_cpu_ns;
	struct strbuf text; /* of marks and the like */
};

/* Writes events in one shape. is_cut: the limit left out further events. */
struct event_writer {
	void (*begin)(struct event_lines *output);
	void (*put)(struct event_lines *output, const struct telling *t);
	void (*end)(struct event_lines *output, int is_cut);
};
extern const struct event_writer events_table, events_flat, events_nested;

struct event_lines {
	struct items items; /* initialised by the caller, released by event_lines_end() */
	const struct event_writer *writer;
	const struct event_merge *story;
	const char *source; /* path of the session */
	const struct selection *selection;
	const struct field_choice *columns; /* of event_fields; NULL: the default */
	const struct field_order *order;    /* NULL: in order of time */
	uint64_t limit;			    /* largest number of events written */
	struct telling *kept;		    /* with an order: events that may be written */
	size_t n_kept, size_kept;
	int is_cut;		/* the limit left out some events */
	int has_jumps;		/* some calls written were jumps */
	uint64_t n;		/* number of events written */
	struct printer printer; /* for tables */
	struct strbuf line;
};

/* event_fields.c: the fields of an event for --columns and --sort, named as in csv. */
extern const struct field_list event_fields;
/* All columns of csv. */
extern const struct field_choice event_fields_default;
/* Returns a field's value. `separator`: between events of the operating system, which are put into
 * `scratch`. */
struct field_value event_field(const struct telling *t, size_t field, struct strbuf *scratch,
			       const char *separator);
/* Appends a line of a table with these columns; t NULL: its heading. */
void event_fields_line(struct strbuf *line, const struct field_choice *columns, const struct telling *t);
/* Keeps an event, to be written in output->order after the last one. */
void event_lines_keep(struct event_lines *output, const struct telling *t);
/* Sorts the events kept and drops those beyond the limit. */
void event_lines_order(struct event_lines *output);
/* Releases the events kept. */
void event_lines_forget(struct event_lines *output);

/* Writes what stands before the first event. */
void event_lines_begin(struct event_lines *output);
/* Writes or keeps an event. Returns 1 if the limit was reached before, else 0. */
int event_lines_put(struct event_lines *output, const struct merged_event *event);
/* Writes the events kept and the end, and releases the output. */
void event_lines_end(struct event_lines *output, int is_cut);

#endif
