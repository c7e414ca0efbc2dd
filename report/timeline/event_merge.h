/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_merge.h - merges the events of a session in order of time: traces of all threads of all
 * processes, marks, begins and ends. A process is read when its time comes, and released at its
 * end.
 */
#ifndef REPORT_TIMELINE_EVENT_MERGE_H
#define REPORT_TIMELINE_EVENT_MERGE_H

#include "names/names.h"
#include "selection/event_stream.h"
#include "selection/selection.h"

struct event_merge_source;

struct event_merge_process {
	struct data data;
	struct names names;
	size_t n_sources; /* number of sources that still need it */
	uint64_t from_ticks, to_ticks;
	long double ns_per_tick;
	char **thread_names; /* by thread; NULL: not requested yet */
	uint8_t *verdicts;   /* by entity: 0, or 1 + enum globs_verdict */
	size_t n_verdicts;
};

struct event_merge {
	const struct selection *selection;
	struct session *input;
	uint64_t min_ns;
	struct event_merge_source *heap;
	size_t n, size;
	uint64_t order; /* order number of the next source */
	size_t n_visited, n_with_timeline, n_short;
	/* the longest calls that were left out of a timeline when it was recorded */
	uint64_t short_ns;
	struct event_merge_process *leaving; /* of the last event; the next call releases it */
	int status;
};

/* An event. Valid until the next one. */
struct merged_event {
	struct stream_event what;
	long double ns; /* since the session's begin */
	struct event_merge_process *process;
	const struct data_thread *thread; /* NULL: of the process */
	const struct data_mark *mark;
};

/* Opens the session. Returns 0, or an exit status after an error message. Release in both cases. */
int event_merge_open(struct event_merge *story, const struct selection *selection, struct session *input,
		     uint64_t min_ns);
/* Returns 1 with *event set, or 0 at the end; then see `status`. */
int event_merge_next(struct event_merge *story, struct merged_event *event);
void event_merge_release(struct event_merge *story);
/* Returns the name of a thread as shown. */
const char *event_merge_thread_name(struct event_merge_process *process, const struct data_thread *thread);

#endif
