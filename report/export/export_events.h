/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_events.h - passes the timeline of a session to formats for single calls: by process and
 * thread; in each thread strictly nested begins and ends in order of time, in whole nanoseconds
 * since the session's begin: the time_ns of cinstr timeline --format=csv.
 *
 * Calls without an end in the timeline (a killed program, a gap) end where nothing more is known;
 * calls open before (--from) begin there. Waiting is a slice of its own in the function that
 * waited: it ends with the interval in which the thread was off the processor; the time within the
 * interval is not known.
 */
#ifndef REPORT_EXPORT_EXPORT_EVENTS_H
#define REPORT_EXPORT_EXPORT_EVENTS_H

#include "export.h"
#include "selection/event_stream.h"

enum step_kind { STEP_BEGIN, STEP_END, STEP_INSTANT };

enum step_what {
	STEP_CALL,
	STEP_WAITING, /* off the processor */
	STEP_PAUSED,  /* recording was off */
	STEP_MISSING, /* events are not in the timeline, or were lost */
	STEP_MARK,
};

#define STEP_UNKNOWN UINT64_MAX

#define STEP_SAME_MOST 999

struct event_step {
	enum step_kind kind;
	enum step_what what;
	uint32_t entity;       /* of names: the function; of other kinds a name for it */
	const char *text;      /* INSTANT: the text */
	uint32_t depth;	       /* number of enclosing slices */
	int is_jump;	       /* BEGIN of a call: a tail call */
	uint64_t ns, begin_ns; /* END: begin_ns: its begin */
	/* Number of previous steps of the lane with the same `ns`, up to STEP_SAME_MOST: readers
	 * that sort by time shall keep the order. */
	unsigned n_same;
	/* END of a call, as in cinstr timeline: without the probes' own work and pauses. */
	uint64_t duration_ns;
};

/* Whether the slice differs from the call's duration by more than rounding: it includes the
 * recording's own work or a pause, or the call's begin is not known. */
static inline int events_step_is_unlike(const struct event_step *step)
{
	uint64_t length = step->ns - step->begin_ns, duration = step->duration_ns;

	return duration != STEP_UNKNOWN && (length > duration ? length - duration : duration - length) > 1;
}

struct event_process {
	uint32_t number; /* from 0 */
	uint32_t pid;
	/* Number unique among the session's processes: the pid, if that is unique. */
	uint32_t track;
	uint32_t process_number; /* struct data */
	char *shown_number;	 /* twins_put() */
	char *title;		 /* its name, with its number if that differs from `track` */
	const char *name, *host; /* NULL: not known */
	char *command_line;
};

struct event_lane {
	uint32_t number; /* from 0, in the session */
	uint32_t tid;	 /* 0: events of the process, not of a thread */
	const char *name;
	const struct event_process *process;
	uint64_t begin_ns, end_ns;
};

/* Callbacks of a format. A process precedes its first lane. Any may be NULL. */
struct event_writer {
	void (*process)(void *arg, const struct event_process *process);
	void (*lane_begin)(void *arg, const struct event_lane *lane);
	void (*step)(void *arg, const struct event_lane *lane, const struct event_step *step);
	void (*lane_end)(void *arg, const struct event_lane *lane);
};

struct export_events {
	struct export_job *job;
	struct session input;
	struct profile profile; /* names */
	const struct event_writer *writer;
	void *arg;
	/* records in the chosen part of the timeline, approximate */
	uint64_t n_records;
	uint64_t calls, waits, marks, not_ended; /* passed on so far */
	uint64_t n_processes, n_without, n_lanes;
	int status;
	uint64_t begin_realtime_ns;
	uint64_t min_ns, max_depth;
	/* By entity, for --function and --module: 0: not checked yet, 1: shown, 2: not. */
	uint8_t *verdicts;
	size_t n_verdicts;
};

/* Whether any of the session's processes has a timeline. Prints nothing. */
int export_has_timeline(const struct export_job *job);
/* Opens the session and counts its records. Returns STATUS_OK, or an exit status after an error
 * message, for instance if it has no timeline. Release it in every case. */
int export_events_open(struct export_events *events, struct export_job *job);
/* Passes everything to the writer; stops early if the sink has failed. Returns an exit status. */
int export_events_tell(struct export_events *events, const struct event_writer *writer, void *arg);
void export_events_release(struct export_events *events);

/* Opens the session and the output, has `tell` write to job->sink, and closes both. Returns an exit
 * status. */
int export_events_write(struct export_job *job, unsigned bytes_a_record,
			int (*tell)(struct export_events *events));

/* Appends "1,234 calls, 12 waits in 3 threads". */
void export_events_put(struct strbuf *text, const struct export_events *events);

#endif
