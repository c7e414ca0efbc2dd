/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * threads_build.c - builds all threads of a data file (threads.c), in several threads of the
 * command if that is faster. The result does not depend on their number.
 */
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "lib/util.h"
#include "lib/workers.h"
#include "runtime/fold/fold.h"

#define LONG_BYTES (4ull << 20)

/* Threads being built, several at once. */
struct building {
	struct data *data;
	const struct data_segment **segments; /* their THREAD segments */
	uint8_t *is_built;
};

static void build_one(void *arg, size_t i)
{
	struct building *building = arg;

	data_problems_of((uint32_t)i);
	building->is_built[i] =
		!thread_make(building->data, building->segments[i], &building->data->threads[i]);
}

/* Whether the file is large enough for more threads to be worth starting. */
static int is_long(const struct data *data)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < data->n_segments; i++)
		bytes += data->segments[i].type == CINSTR_SEG_CELLS ? data->segments[i].bytes : 0;
	return bytes > LONG_BYTES;
}

static void sums_build(struct data *data)
{
	size_t n = 0;

	for (size_t i = 0; i < data->n_segments; i++)
		n += data->segments[i].type == CINSTR_SEG_CALL_SUMS;
	data->sums = xcalloc(n + 1, sizeof(*data->sums));
	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];
		struct data_thread *made = &data->sums[data->n_sums];

		if (s->type == CINSTR_SEG_CALL_SUMS && !thread_make_sums(data, s, made))
			data->n_sums++;
	}
	for (size_t i = 0; i < data->n_sums; i++) {
		const struct cinstr_call_sums *entry = (const void *)data->sums[i].record;

		for (size_t k = 0; k < data->n_threads; k++)
			if (data->threads[k].record->index == entry->thread &&
			    !(data->sums[i].sums_flags & CINSTR_CALL_SUMS_UNKNOWN))
				data->threads[k].sums = &data->sums[i];
	}
}

const struct data_thread *data_sums_of(const struct data *data, const struct data_thread *thread)
{
	int is_whole = !data->phases_chosen && !data->phases_unknown && !data->just_my_code;

	/* Functions that were only counted have no events, so their instructions have no path. */
	if (!is_whole || data->header->switches || !thread->sums || thread->n_flat)
		return NULL;
	return thread->sums->n_flat ? NULL : thread->sums;
}

void threads_build(struct data *data)
{
	struct building building = { data, xcalloc(data->n_segments, sizeof(*building.segments)),
				     xcalloc(data->n_segments, 1) };
	size_t n = 0, n_problems = data->n_problems;
	struct workers *tasks = NULL;

	data->end_ticks = open_time_end(data);
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_THREAD)
			building.segments[n++] = &data->segments[i];
	data->threads = xcalloc(n, sizeof(*data->threads));
	if (is_long(data))
		tasks = workers_begin(n, n, build_one, &building);
	for (size_t i = 0; i < n; i++) {
		if (tasks)
			workers_wait(tasks, i);
		else
			build_one(&building, i);
		if (building.is_built[i])
			data->threads[data->n_threads++] = data->threads[i];
	}
	if (tasks)
		workers_end(tasks);
	sums_build(data);
	data_problems_of(0);
	data_problems_sort(data, n_problems);
	free(building.segments);
	free(building.is_built);
}

uint32_t data_paths(const struct data *data, const struct cinstr_thread *thread, uint32_t *hot_from)
{
	static const char name[] = "CINSTR_PATHS=";
	const char *options = data_property(data, "options");
	const char *value = options ? strstr(options, name) : NULL;
	unsigned long long n;
	char *end;

	*hot_from = 0;
	if (!value)
		return UINT32_MAX;
	value += strlen(name);
	if (!strncmp(value, "auto", 4)) {
		*hot_from = fold_paths_early(thread->index);
		return FOLD_PATHS_MAX;
	}
	n = strtoull(value, &end, 10);
	for (const char *unit = "kmg", *at; end != value && *end && (at = strchr(unit, *end | 32)); end++)
		n <<= 10 * (at - unit + 1);
	return end != value && n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}
