/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel_time.c - see kernel_time.h. A thread samples itself after each ms on a processor, except
 * while it is in the kernel: samples show the time in the program's own code, and the rest of the
 * time on a processor is the kernel's. */
#include "kernel_time.h"

#include <math.h>

#define SAMPLES_LEAST 20
#define DEVIATIONS 2 /* of the samples' sum: what the time may be off by */
#define MS 1e6L

/* Returns ns on a processor in calls that enter the kernel. */
static long double called(const struct finder *finder)
{
	long double ns = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		const struct row *row = finder->graph->nodes[e];
		uint64_t entered = row && row->os ? row->os->exclusive.of[OS_SYSCALL] : 0;

		if (entered && row->calls)
			ns += (row->sums.elapsed_exclusive - row->sums.off_cpu_exclusive) *
			      fminl(1, (long double)entered / (long double)row->calls);
	}
	return ns;
}

long double kernel_time_uncalled(const struct finder *finder)
{
	const struct code_samples *samples = &finder->input->edges->code;
	long double own = (long double)samples->ms * MS, ns, uncertain;

	if (samples->taken < SAMPLES_LEAST || samples->lost)
		return 0;
	ns = totals_cpu(finder->t) - own - called(finder);
	/* each thread has a part of a ms behind its last sample */
	uncertain =
		MS * (DEVIATIONS * sqrtl((long double)samples->squares) + (long double)finder->t->threads);
	return ns > uncertain ? ns : 0;
}
