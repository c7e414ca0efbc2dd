/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf_events.h - the names and default intervals of events that the kernel can count. Opens events
 * only to test whether that works (perf_event_works()).
 */
#ifndef SAMPLER_PERF_EVENTS_H
#define SAMPLER_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "cinstr/format.h"

struct perf_event {
	uint32_t type; /* PERF_TYPE_..., or of a unit in /sys/bus/event_source/devices */
	uint64_t config, config1, config2;
	enum cinstr_sampling_unit unit;
	uint64_t interval; /* default interval */
	/* It occurs in the kernel only: without permission to sample there, nothing is seen. */
	int needs_kernel;
};

/* Finds an event by name. Returns 0, or -1 if there is none. */
int perf_event_find(const char *name, struct perf_event *event);
/* Returns the name in the table that is closest to `name`, or NULL. */
const char *perf_event_closest(const char *name);

/* Sets attributes that count the event, initially off, in all permitted modes. The caller adds the
 * rest. */
void perf_event_attr(const struct perf_event *event, struct perf_event_attr *attr);
int perf_event_open_fd(struct perf_event_attr *attr, pid_t pid, int cpu);

/* Tests whether the event can be sampled. Returns 0 or an errno. *kernel: 1 if also in the
 * kernel. */
int perf_event_works(const struct perf_event *event, int *kernel);

/* Prints a table of all named events to stdout. */
void perf_events_list(void);

#endif
