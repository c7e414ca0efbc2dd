/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_events.h - the timeline of a session as viewers of single calls want it: process by
 * process, thread by thread; in each thread begins and ends that nest strictly, in order of time,
 * as whole nanoseconds since the session's begin: the time_ns of cinstr timeline --format=csv.
 *
 * What has no end in the timeline (a killed program, a gap) ends where more is not known; what was
 * open before (--from) begins there. Waiting is a slice of its own, in the function that waited: it
 * ends where the interval ends that the thread was off the processor in; when in it that was is not
 * known.
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
	uint32_t entity;       /* of names: the function; of others a name that says what it is */
	const char *text;      /* INSTANT: what it says */
	uint32_t depth;	       /* slices that it is in */
	uint64_t ns, begin_ns; /* END: of its begin */
	/* steps of the lane before it with the same `ns`, up to STEP_SAME_MOST: readers that sort
	 * by time shall keep the order */
	unsigned n_same;
	/* END of a call, as cinstr timeline has it: without the probes' own work and what recording
	 * was off */
	uint64_t duration_ns;
};

/* The slice is not as long as the call took, by more than what rounding makes: the recording's own
 * work or a pause is within it; or nothing was known of the call when it began. */
static inline int step_is_unlike(const struct event_step *step)
{
	uint64_t length = step->ns - step->begin_ns, duration = step->duration_ns;

	return duration != STEP_UNKNOWN && (length > duration ? length - duration : duration - length) > 1;
}

struct event_process {
	uint32_t number; /* from 0 */
	uint32_t pid;
	/* a number that no other process of the session has: its pid, as long as that is one */
	uint32_t track;
	uint32_t process_number; /* struct data */
	char *shown_number;	 /* twins_put() */
	char *title;		 /* its name, with its number if that is not its track's */
	const char *name, *host; /* NULL: not known */
	char *command_line;
};

struct event_lane {
	uint32_t number; /* from 0, in the session */
	uint32_t tid;	 /* 0: what is of the process, and of none of its threads */
	const char *name;
	const struct event_process *process;
	uint64_t begin_ns, end_ns;
};

/* Who gets it. A process comes before its first lane; any may be NULL. */
struct event_writer {
	void (*process)(void *arg, const struct event_process *process);
	void (*lane_begin)(void *arg, const struct event_lane *lane);
	void (*step)(void *arg, const struct event_lane *lane, const struct event_step *step);
	void (*lane_end)(void *arg, const struct event_lane *lane);
};

struct export_events {
	struct export_job *job;
	struct input input;
	struct profile profile; /* names */
	const struct event_writer *writer;
	void *arg;
	uint64_t n_records;			 /* in the timeline, of what is chosen, about */
	uint64_t calls, waits, marks, not_ended; /* told so far */
	uint64_t n_processes, n_without, n_lanes;
	int status;
	uint64_t begin_realtime_ns;
	uint64_t min_ns, max_depth;
	/* by entity, as chosen by --function and --module: 0 not asked yet, 1 shown, 2 not */
	uint8_t *verdicts;
	size_t n_verdicts;
};

/* Whether any of the session's processes has a timeline; says nothing. */
int export_has_timeline(const struct export_job *job);
/* Opens the session, and counts its records. An exit status, after an error message: it has no
 * timeline. Release it in every case. */
int export_events_open(struct export_events *events, struct export_job *job);
/* Tells everything to the writer; ends early when the sink has failed. An exit status. */
int export_events_tell(struct export_events *events, const struct event_writer *writer, void *arg);
void export_events_release(struct export_events *events);

/* All that a format of events does; `tell` writes to job->sink. An exit status. */
int export_events_write(struct export_job *job, unsigned bytes_a_record,
			int (*tell)(struct export_events *events));

/* "1,234 calls, 12 waits in 3 threads" */
void export_events_put(struct strbuf *text, const struct export_events *events);

#endif
