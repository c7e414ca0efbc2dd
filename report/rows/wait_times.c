/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wait_times.h"

#include "file/cell_details.h"
#include "values/values.h"

const char *const wait_names[WAIT_KINDS] = {
	[WAIT_SLEEP] = "waiting",
	[WAIT_PREEMPTED] = "preempted",
	[WAIT_PAGE] = "page-ins",
	[WAIT_DISK] = "disk",
};

/* A disk that is waited for comes with a voluntary switch as well; what says most comes first. */
enum wait_kind wait_kind_of(uint32_t bits)
{
	if (bits & CINSTR_OS_MAJOR_FAULT)
		return WAIT_PAGE;
	if (!(bits & VALUES_GAVE_AWAY))
		return WAIT_PREEMPTED;
	return bits & (CINSTR_OS_BLOCK_IN | CINSTR_OS_BLOCK_OUT) ? WAIT_DISK : WAIT_SLEEP;
}

static void add_cell(struct waits *waits, const struct data *data, const struct cinstr_cell *cell,
		     long double ns_per_tick)
{
	for (uint32_t i = details_buckets(data->memory, cell); i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));
		enum wait_kind kind = wait_kind_of(bucket->bits);

		if (bucket->off_cpu_ticks) {
			waits->off_cpu[kind] += (long double)bucket->off_cpu_ticks * ns_per_tick;
			waits->intervals[kind] += bucket->intervals;
		}
		i = bucket->next;
	}
}

void waits_add(struct waits *waits, const struct data *data, long double ns_per_tick)
{
	for (size_t t = 0; t < data->n_threads; t++)
		for (size_t i = 0; i < data->threads[t].n_nodes; i++)
			add_cell(waits, data, data->threads[t].nodes[i].cell, ns_per_tick);
}

long double waits_sum(const struct waits *waits)
{
	long double sum = 0;

	for (int i = 0; i < WAIT_KINDS; i++)
		sum += waits->off_cpu[i];
	return sum;
}

void waits_within(struct waits *waits, long double off_cpu)
{
	long double sum = waits_sum(waits);

	if (sum > off_cpu)
		for (int i = 0; i < WAIT_KINDS; i++)
			waits->off_cpu[i] *= off_cpu / sum;
}
