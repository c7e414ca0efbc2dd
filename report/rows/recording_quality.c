/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording_quality.h"

#include <string.h>

#define OVER 1.1L /* of the limit: what it is estimated from is not exact */

static void add_stop(struct quality *facts, const struct cinstr_header *h)
{
	if (h->stop == CINSTR_STOP_NONE)
		return;
	facts->stops[h->stop < STOP_REASONS ? h->stop : STOP_REASONS - 1]++;
	if (!facts->stop_errno)
		facts->stop_errno = h->stop_errno;
}

static void add_to_limit(struct quality_limit *limit, const struct cinstr_budget *b, long double ns_per_tick)
{
	limit->n++;
	limit->own_ns += (long double)b->own_ticks * ns_per_tick;
	limit->probes_ns += (long double)b->probe_ticks * ns_per_tick;
	limit->allowed_ns += (long double)b->own_ticks * ns_per_tick * (long double)b->limit / 1e6L;
}

static void add_limit(struct quality *facts, const struct cinstr_header *h, long double ns_per_tick)
{
	const struct cinstr_budget *b = &h->budget;

	if (!b->limit || !b->own_ticks)
		return;
	facts->limited++;
	add_to_limit(&facts->all_limited, b, ns_per_tick);
	if ((long double)b->probe_ticks > OVER * (long double)b->own_ticks * (long double)b->limit / 1e6L)
		add_to_limit(&facts->over_limit, b, ns_per_tick);
}

int quality_is_over_limit(const struct quality_limit *limit)
{
	return limit->probes_ns > OVER * limit->allowed_ns;
}

static void add_timeline(struct quality *facts, const struct data *data)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < data->n_threads; i++)
		lost += data->threads[i].record->timeline_lost;
	facts->timelines_cut += data->header->timeline_mode == CINSTR_TIMELINE_FIRST && lost;
}

static void add_modules(struct quality *facts, const struct data *data)
{
	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];
		int is_new;

		if (module->raw->code_base)
			map_add(&facts->instrumented, module->path, strlen(module->path), &is_new);
	}
}

void quality_add(struct quality *facts, const struct data *data, long double ns_per_tick)
{
	const char *options = data_property(data, "options");

	add_stop(facts, data->header);
	add_limit(facts, data->header, ns_per_tick);
	add_timeline(facts, data);
	add_modules(facts, data);
	facts->began_paused += options && strstr(options, "CINSTR_START=paused");
	facts->marks_lost += data->header->marks_lost;
	facts->monotonic += data->header->clock == CINSTR_CLOCK_MONOTONIC_RAW && !data->sampled;
	waits_add(&facts->waits, data, ns_per_tick);
}

void quality_add_end(struct quality *facts, const struct data *data, const struct ending *ending)
{
	int signal = ending_signal(ending);

	facts->killed += signal >= 0;
	if (signal > 0 && !facts->signal)
		facts->signal = signal;
	facts->no_end += ending->kind == ENDING_UNKNOWN || ending->kind == ENDING_UNNOTED;
	deaths_add(&facts->deaths, data, ending);
}

void quality_release(struct quality *facts)
{
	deaths_release(&facts->deaths);
	map_release(&facts->instrumented);
}
