/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session_clock.h"

#include <math.h>
#include <stdlib.h>

#include "lib/util.h"

/* The two clocks of a machine drift apart by less than this while a session lasts; two machines did
 * not start at the same time. */
#define SAME_MACHINE_NS 5000000000ll

static long double ns_per_tick(const struct cinstr_header *header)
{
	const struct data data = { .header = header };
	int known;

	return data_ns_per_tick(&data, &known);
}

/* Since the file's first pair of clocks was read. */
static long double ns_since_begin(const struct cinstr_header *header, uint64_t ticks)
{
	return ((long double)ticks - (long double)header->clock_ticks[0]) * ns_per_tick(header);
}

/*
 * Time of day when CLOCK_MONOTONIC_RAW was 0. The file was begun when the first pair of clocks was
 * read; a forked child's has its parent's first pair.
 */
static int64_t raw_begin(const struct cinstr_header *header)
{
	int pair = header->forked && header->clock_ns[1] ? 1 : 0;

	return (int64_t)(header->start_realtime_ns - header->clock_ns[pair]);
}

static int64_t begin_of_machine(const struct session_clock *clock, const struct cinstr_header *header)
{
	int64_t begin = raw_begin(header);

	for (size_t i = 0; i < clock->n; i++)
		if ((uint64_t)clock->realtime_ns[i] - (uint64_t)begin + SAME_MACHINE_NS < 2 * SAME_MACHINE_NS)
			return clock->realtime_ns[i];
	return begin;
}

static void add(struct session_clock *clock, const struct cinstr_header *header)
{
	int64_t begin = raw_begin(header);

	if (!clock->n || header->start_realtime_ns < clock->begin_realtime_ns)
		clock->begin_realtime_ns = header->start_realtime_ns;
	if (clock->n && begin_of_machine(clock, header) != begin)
		return;
	clock->realtime_ns = xrealloc(clock->realtime_ns, clock->n + 1, sizeof(*clock->realtime_ns));
	clock->realtime_ns[clock->n++] = begin;
}

void session_clock_init_file(struct session_clock *clock, const struct cinstr_header *header)
{
	*clock = (struct session_clock){ 0 };
	add(clock, header);
}

void session_clock_init(struct session_clock *clock, const struct session *input)
{
	struct cinstr_header header;

	*clock = (struct session_clock){ 0 };
	for (size_t i = 0; i < input->n_files; i++)
		if (!session_header(input->files[i], &header))
			add(clock, &header);
}

void session_clock_release(struct session_clock *clock)
{
	free(clock->realtime_ns);
	*clock = (struct session_clock){ 0 };
}

/*
 * CLOCK_MONOTONIC_RAW when the session began. Whole nanoseconds: a time of day has more digits than
 * a long double keeps of parts of them.
 */
static int64_t session_begin(const struct session_clock *clock, const struct cinstr_header *header)
{
	return (int64_t)(clock->begin_realtime_ns - (uint64_t)begin_of_machine(clock, header));
}

long double session_clock_ns(const struct session_clock *clock, const struct cinstr_header *header,
			     uint64_t ticks)
{
	int64_t begin = (int64_t)(header->clock_ns[0] - (uint64_t)session_begin(clock, header));

	return (long double)begin + ns_since_begin(header, ticks);
}

uint64_t session_clock_ticks(const struct session_clock *clock, const struct cinstr_header *header,
			     long double ns)
{
	int64_t begin = (int64_t)(header->clock_ns[0] - (uint64_t)session_begin(clock, header));
	long double ticks = ceill((ns - (long double)begin) / ns_per_tick(header) +
				  (long double)header->clock_ticks[0] - 1e-3L);

	return util_rounded(ticks);
}
