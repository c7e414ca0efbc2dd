/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_lane.h - passes the events of one thread to the writer of export_events.h, as nested
 * slices. */
#ifndef REPORT_EXPORT_EVENT_LANE_H
#define REPORT_EXPORT_EVENT_LANE_H

#include "export_events.h"

struct slice;

struct event_telling {
	struct export_events *events;
	struct data *data;
	struct event_lane *lane;
	/* Private to event_lane.c: */
	long double ns_per_tick;
	struct slice *stack;
	size_t depth, size;
	uint64_t last_ns; /* time of the last step passed on */
	unsigned n_same;  /* number of steps passed on at that time */
	uint64_t first_mark;
};

/* Passes on the events in [from_ticks, to_ticks). */
void event_lane_tell(struct event_telling *telling, const struct data_thread *thread, uint64_t from_ticks,
		     uint64_t to_ticks);
/* Passes on marks of threads that are not in the data. Returns whether there were any. */
int event_lane_tell_marks(struct event_telling *telling);

#endif
