/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf_events.h - names of what the kernel can count, and what is sampled by default. No event is
 * opened here but to see whether it can be (perf_event_works).
 */
#ifndef SAMPLER_PERF_EVENTS_H
#define SAMPLER_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

#include "cinstr/format.h"

struct perf_event {
	uint32_t type; /* PERF_TYPE_... or of a unit in /sys/bus/event_source/devices */
	uint64_t config, config1, config2;
	enum cinstr_sampling_unit unit;
	uint64_t interval; /* by default */
	/* it happens in the kernel: without permission to look there nothing is seen */
	int needs_kernel;
};

/* 0, or -1: there is no event of that name. */
int perf_event_find(const char *name, struct perf_event *event);
/* The name of the table that looks most like it; NULL. */
const char *perf_event_closest(const char *name);

/* Attributes that count the event, off, in whatever mode may be counted; the rest is the
 * caller's. */
void perf_event_attr(const struct perf_event *event, struct perf_event_attr *attr);
int perf_event_open_fd(struct perf_event_attr *attr, pid_t pid, int cpu);

/* Whether samples of it can be taken: 0 or an errno. *kernel: 1: also in the kernel. */
int perf_event_works(const struct perf_event *event, int *kernel);
/* Whether there is room for what it samples, of one that works. */
int perf_event_has_room(const struct perf_event *event, int kernel);

/* Table of all events with names; to stdout. */
void perf_events_list(void);

#endif
