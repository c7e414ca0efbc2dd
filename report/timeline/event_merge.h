/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_merge.h - what happened in a session, in order of time: the traces of all threads of all
 * processes, their marks, begins and ends, merged. A process is read when its time comes, and
 * forgotten when it is over.
 */
#ifndef REPORT_TIMELINE_EVENT_MERGE_H
#define REPORT_TIMELINE_EVENT_MERGE_H

#include "names/names.h"
#include "selection/event_stream.h"
#include "selection/selection.h"

struct story_source;

struct story_process {
	struct data data;
	struct names names;
	size_t n_sources; /* that still need it */
	uint64_t from_ticks, to_ticks;
	long double ns_per_tick;
	char **thread_names; /* of each thread, when it was asked for */
	uint8_t *verdicts;   /* by entity: 0, or 1 + enum globs_verdict */
	size_t n_verdicts;
};

struct story {
	const struct selection *selection;
	struct input *input;
	uint64_t min_ns;
	struct story_source *heap;
	size_t n, size;
	uint64_t order; /* of the next source */
	size_t n_visited, n_with_timeline, n_short;
	uint64_t short_ns;	       /* the longest that was left out when it was recorded */
	struct story_process *leaving; /* of the last event */
	int status;
};

/* One thing that happened. Valid until the next. */
struct story_event {
	struct trace_event what;
	long double ns; /* since the session's begin */
	struct story_process *process;
	const struct data_thread *thread; /* NULL: of the process */
	const struct data_mark *mark;
};

/* 0, or an exit status after an error message. Release in both cases. */
int story_open(struct story *story, const struct selection *selection, struct input *input, uint64_t min_ns);
/* 1, or 0: there is no more; see status. */
int story_next(struct story *story, struct story_event *event);
void story_release(struct story *story);
/* What a thread is called. */
const char *story_thread_name(struct story_process *process, const struct data_thread *thread);

#endif
