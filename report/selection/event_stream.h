/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_stream.h - what happened in a thread, one thing after another: its timeline folded again
 * (replay.h), with what each record did to the stack. So calls begin and end here exactly as they
 * do in the tree.
 */
#ifndef REPORT_SELECTION_EVENT_STREAM_H
#define REPORT_SELECTION_EVENT_STREAM_H

#include "replay.h"

enum trace_kind {
	TRACE_NONE,
	TRACE_ENTER,   /* of an instrumented function */
	TRACE_RUNNING, /* ... whose enter was not recorded */
	TRACE_EXIT,
	TRACE_IMPLICIT_EXIT, /* R15: it had been left without an exit */
	TRACE_CALL,	     /* of a function without probes */
	TRACE_RETURN,
	TRACE_IMPLICIT_RETURN,
	TRACE_LINE,
	TRACE_PAUSE, /* recording went off */
	TRACE_CONTINUE,
	TRACE_LOST,    /* events could not be recorded */
	TRACE_MISSING, /* events are not in the timeline */
	TRACE_THREAD_BEGIN,
	TRACE_THREAD_END,
	TRACE_PROCESS_BEGIN, /* these and marks do not come from a trace: cmd_timeline.c */
	TRACE_PROCESS_END,
	TRACE_MARK,
	TRACE_KINDS,
};

/* What a cell says of a function. */
struct trace_function {
	uint32_t func, site, tag, last_exit;
};

struct trace_event {
	enum trace_kind kind;
	uint64_t ticks;
	/* of the call on the stack, from 1; else how many are open */
	uint32_t depth;
	struct trace_function function, caller; /* tag 0: none */
	uint32_t line;				/* LINE: code of its sled */
	/* ENTER, CALL: stamp of its begin less the runtime's own time until then */
	uint64_t start_ticks,
		/* of the call that ends, without the runtime's own time; of the pause, of what is
		 * missing. UINT64_MAX: not known */
		duration_ticks;
	uint64_t count; /* LOST, MISSING: events; 0: not known */
	/* of the interval that it ends, and of those since what was told before */
	uint32_t os_bits;
	uint64_t off_cpu_ticks, switches;
};

/* An open call. */
struct trace_open {
	struct cinstr_open open;
	uint32_t cell;	   /* not of a line */
	uint64_t sequence; /* of its begin in the queue */
};

/* What the operating system did that no event has told of yet. */
struct trace_untold {
	uint32_t os_bits;
	uint64_t off_cpu_ticks, switches;
	int is_taken; /* an event has told of the group at hand */
};

struct trace {
	struct replay replay;
	struct trace_untold untold;
	uint64_t min_ticks; /* calls shorter than this are left out */
	struct trace_open *stack;
	size_t depth, size;
	struct trace_event *queue; /* [first, end) by sequence % size_queue */
	uint64_t first, end;
	size_t size_queue;
	uint64_t held; /* sequence of a call that may turn out to be an enter; UINT64_MAX: none */
	uint64_t gaps;
	int is_over;
};

/* From the first event that is not before from_ticks. 0, or -1: it cannot be read. Release in both
 * cases. */
int trace_open(struct trace *trace, struct data *data, const struct data_thread *thread, uint64_t from_ticks,
	       uint64_t min_ticks);
/* 1, or 0: there are no more. */
int trace_next(struct trace *trace, struct trace_event *event);
void trace_release(struct trace *trace);

/* What is told as that many nanoseconds, rounded, takes so many ticks at least. */
uint64_t trace_ticks_least(uint64_t ns, long double ns_per_tick);

/* The same as a cell, for names.h. */
struct cinstr_cell trace_cell(const struct trace_function *function);

#endif
