/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_lane.h - one thread of export_events.h: its events, as slices that nest. */
#ifndef REPORT_EXPORT_EVENT_LANE_H
#define REPORT_EXPORT_EVENT_LANE_H

#include "export_events.h"

struct slice;

struct event_telling {
	struct export_events *events;
	struct data *data;
	struct event_lane *lane;
	/* event_lane.c: */
	long double ns_per_tick;
	struct slice *stack;
	size_t depth, size;
	uint64_t last_ns; /* of what was told last */
	unsigned n_same;  /* steps told with it */
	uint64_t first_mark;
};

/* Everything of [from_ticks, to_ticks). */
void event_lane_tell(struct event_telling *telling, const struct data_thread *thread, uint64_t from_ticks,
		     uint64_t to_ticks);
/* Marks of threads that are not among those of the data, if there are any. Returns whether. */
int event_lane_tell_marks(struct event_telling *telling);

#endif
