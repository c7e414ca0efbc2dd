/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf_parse.h - parses a record of the kernel's ring (linux/perf_event.h: struct perf_event_header
 * and what follows). Reads only the bytes passed in and does not trust sizes in them.
 */
#ifndef SAMPLER_PERF_PARSE_H
#define SAMPLER_PERF_PARSE_H

#include "raw_sample.h"

/* The layout of samples, from the event's attributes. All events of a ring have TID and TIME, and
 * sample_id_all. */
struct perf_layout {
	uint64_t sample_type;
	uint64_t registers; /* mask: sample_regs_user */
};

enum perf_kind {
	PERF_KIND_OTHER, /* ignored */
	PERF_KIND_SAMPLE,
	PERF_KIND_MAPPING,
	PERF_KIND_FORKED,
	PERF_KIND_NAMED,
	PERF_KIND_EXITED,
	PERF_KIND_LOST,
	PERF_KIND_THROTTLED,
};

struct perf_record {
	enum perf_kind kind;
	uint64_t ticks;
	uint32_t pid, tid;
	uint32_t parent_pid, parent_tid; /* FORKED */
	const char *name;		 /* NAMED */
	int is_exec;
	uint64_t n; /* LOST */
	struct raw_sample sample;
	struct raw_mapping mapping;
};

/* Parses one record with its header, bytes[size], aligned to 8. *record points into `bytes`.
 * Returns 0, or -1 if it is malformed. */
int perf_parse(const struct perf_layout *layout, const void *bytes, size_t size, struct perf_record *record);

#endif
