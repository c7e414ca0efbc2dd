/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_stream.h - the events of a thread in order: folds its timeline again (replay.h) and reports
 * what each record did to the stack. Calls thus begin and end exactly as in the tree.
 */
#ifndef REPORT_SELECTION_EVENT_STREAM_H
#define REPORT_SELECTION_EVENT_STREAM_H

#include "replay.h"

enum stream_kind {
	STREAM_NONE,
	STREAM_ENTER,	/* call of an instrumented function */
	STREAM_RUNNING, /* such a call whose enter was not recorded */
	STREAM_EXIT,
	STREAM_IMPLICIT_EXIT, /* R15: the call had ended without an exit */
	STREAM_CALL,	      /* call of a function without probes */
	STREAM_RETURN,
	STREAM_IMPLICIT_RETURN,
	STREAM_LINE,
	STREAM_PAUSE, /* recording was switched off */
	STREAM_CONTINUE,
	STREAM_LOST,	/* events could not be recorded */
	STREAM_MISSING, /* events are not in the timeline */
	STREAM_THREAD_BEGIN,
	STREAM_THREAD_END,
	STREAM_PROCESS_BEGIN, /* from here on not made by stream_next(): cmd_timeline.c */
	STREAM_PROCESS_END,
	STREAM_MARK,
	STREAM_KINDS,
};

static inline int stream_ends_call(enum stream_kind kind)
{
	return kind == STREAM_EXIT || kind == STREAM_IMPLICIT_EXIT || kind == STREAM_RETURN ||
	       kind == STREAM_IMPLICIT_RETURN;
}

/* The members of a cell that identify a function. */
struct stream_function {
	uint32_t func, site, tag, last_exit;
};

struct stream_event {
	enum stream_kind kind;
	uint64_t ticks;
	/* Depth of the event's call on the stack, from 1; of other events, number of open calls. */
	uint32_t depth;
	struct stream_function function, caller; /* tag 0: none */
	uint32_t line;				 /* STREAM_LINE: code of the line's sled */
	/* ENTER, CALL: begin of the call less the runtime's own time until then. */
	uint64_t start_ticks,
		/* Duration of the call that ends, without the runtime's own time; of a pause or
		 * missing events. UINT64_MAX: not known. */
		duration_ticks;
	uint64_t count; /* LOST, MISSING: number of events; 0: not known */
	/* Operating-system events of the interval that ends here, and of those since the last event
	 * that reported any. */
	uint32_t os_bits;
	uint64_t off_cpu_ticks, switches;
};

/* An open call. */
struct stream_open {
	struct cinstr_open open;
	uint32_t cell;	   /* cell of the call's function, not of a line */
	uint64_t sequence; /* sequence of its begin in the queue */
};

/* Operating-system events that no trace_event has reported yet. */
struct stream_untold {
	uint32_t os_bits;
	uint64_t off_cpu_ticks, switches;
	int is_taken; /* an event has reported those of the current group */
};

struct event_stream {
	struct replay replay;
	struct stream_untold untold;
	uint64_t min_ticks; /* shorter calls are left out */
	struct stream_open *stack;
	size_t depth, size;
	struct stream_event *queue; /* sequences [first, end), at index sequence % size_queue */
	uint64_t first, end;
	size_t size_queue;
	uint64_t held; /* sequence of a call that may turn out to be an enter; UINT64_MAX: none */
	uint64_t gaps;
	int is_over;
};

/* Opens a thread's events, from the first that is not before from_ticks. Returns 0, or -1 if the
 * timeline cannot be read. Release in both cases. */
int stream_open(struct event_stream *trace, struct data *data, const struct data_thread *thread,
		uint64_t from_ticks, uint64_t min_ticks);
/* Returns 1 and sets *event, or 0 at the end. */
int stream_next(struct event_stream *trace, struct stream_event *event);
void stream_release(struct event_stream *trace);

/* Returns the least number of ticks that rounds to `ns` nanoseconds. */
uint64_t stream_ticks_least(uint64_t ns, long double ns_per_tick);

/* Returns a cell of that function, for names.h. */
struct cinstr_cell stream_cell(const struct stream_function *function);

#endif
