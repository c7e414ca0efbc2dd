/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_stream.h - the events of a thread in order: folds its timeline again (replay.h) and reports
 * what each record did to the stack. Calls thus begin and end exactly as in the tree.
 */
#ifndef REPORT_SELECTION_EVENT_STREAM_H
#define REPORT_SELECTION_EVENT_STREAM_H

#include "replay.h"

enum trace_kind {
	TRACE_NONE,
	TRACE_ENTER,   /* call of an instrumented function */
	TRACE_RUNNING, /* such a call whose enter was not recorded */
	TRACE_EXIT,
	TRACE_IMPLICIT_EXIT, /* R15: the call had ended without an exit */
	TRACE_CALL,	     /* call of a function without probes */
	TRACE_RETURN,
	TRACE_IMPLICIT_RETURN,
	TRACE_LINE,
	TRACE_PAUSE, /* recording was switched off */
	TRACE_CONTINUE,
	TRACE_LOST,    /* events could not be recorded */
	TRACE_MISSING, /* events are not in the timeline */
	TRACE_THREAD_BEGIN,
	TRACE_THREAD_END,
	TRACE_PROCESS_BEGIN, /* from here on not made by trace_next(): cmd_timeline.c */
	TRACE_PROCESS_END,
	TRACE_MARK,
	TRACE_KINDS,
};

static inline int trace_ends_call(enum trace_kind kind)
{
	return kind == TRACE_EXIT || kind == TRACE_IMPLICIT_EXIT || kind == TRACE_RETURN ||
	       kind == TRACE_IMPLICIT_RETURN;
}

/* The members of a cell that identify a function. */
struct trace_function {
	uint32_t func, site, tag, last_exit;
};

struct trace_event {
	enum trace_kind kind;
	uint64_t ticks;
	/* Depth of the event's call on the stack, from 1; of other events, number of open calls. */
	uint32_t depth;
	struct trace_function function, caller; /* tag 0: none */
	uint32_t line;				/* TRACE_LINE: code of the line's sled */
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
struct trace_open {
	struct cinstr_open open;
	uint32_t cell;	   /* cell of the call's function, not of a line */
	uint64_t sequence; /* sequence of its begin in the queue */
};

/* Operating-system events that no trace_event has reported yet. */
struct trace_untold {
	uint32_t os_bits;
	uint64_t off_cpu_ticks, switches;
	int is_taken; /* an event has reported those of the current group */
};

struct trace {
	struct replay replay;
	struct trace_untold untold;
	uint64_t min_ticks; /* shorter calls are left out */
	struct trace_open *stack;
	size_t depth, size;
	struct trace_event *queue; /* sequences [first, end), at index sequence % size_queue */
	uint64_t first, end;
	size_t size_queue;
	uint64_t held; /* sequence of a call that may turn out to be an enter; UINT64_MAX: none */
	uint64_t gaps;
	int is_over;
};

/* Opens a thread's events, from the first that is not before from_ticks. Returns 0, or -1 if the
 * timeline cannot be read. Release in both cases. */
int trace_open(struct trace *trace, struct data *data, const struct data_thread *thread, uint64_t from_ticks,
	       uint64_t min_ticks);
/* Returns 1 and sets *event, or 0 at the end. */
int trace_next(struct trace *trace, struct trace_event *event);
void trace_release(struct trace *trace);

/* Returns the least number of ticks that rounds to `ns` nanoseconds. */
uint64_t trace_ticks_least(uint64_t ns, long double ns_per_tick);

/* Returns a cell of that function, for names.h. */
struct cinstr_cell trace_cell(const struct trace_function *function);

#endif
