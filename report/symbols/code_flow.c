/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/search.h"
#include "lib/util.h"

int flow_read(struct flow *flow, const uint8_t *code, size_t n, uint64_t address)
{
	size_t size = 0, at = 0;

	*flow = (struct flow){ 0 };
	while (at < n) {
		ARRAY_ROOM(flow->steps, flow->n, size, 64);
		flow->steps[flow->n] = (struct flow_step){ .is_stop = 0 };
		if (instruction_read(code + at, n - at, address + at, &flow->steps[flow->n].is)) {
			flow_release(flow);
			return -1;
		}
		at += flow->steps[flow->n++].is.length;
	}
	/* there may be one for each of very many functions */
	flow->steps = xrealloc(flow->steps, flow->n, sizeof(*flow->steps));
	/* each has at most two to follow it */
	flow->open = xcalloc(2 * flow->n + 1, sizeof(*flow->open));
	return 0;
}

void flow_release(struct flow *flow)
{
	free(flow->steps);
	free(flow->open);
	*flow = (struct flow){ 0 };
}

struct flow_step *flow_step_at(const struct flow *flow, uint64_t address)
{
	size_t i;

	SEARCH(i, flow->n, flow->steps[i].is.address >= address);
	return i < flow->n && flow->steps[i].is.address == address ? &flow->steps[i] : NULL;
}

void flow_reach_begin(struct flow *flow)
{
	for (size_t i = 0; i < flow->n; i++)
		flow->steps[i].is_reached = 0;
}

/* Whether the address is in the code, but no instruction begins there. */
static int is_within(const struct flow *flow, uint64_t address)
{
	const struct flow_step *last = flow->n ? &flow->steps[flow->n - 1] : NULL;

	return last && address >= flow->steps[0].is.address && address < last->is.address + last->is.length;
}

int flow_reach(struct flow *flow, uint64_t address)
{
	const struct flow_step *first = flow_step_at(flow, address);
	size_t n = 0;

	if (!first)
		return is_within(flow, address) ? -1 : 0;
	flow->open[n++] = (uint32_t)(first - flow->steps);
	while (n) {
		uint32_t at = flow->open[--n];
		struct flow_step *step = &flow->steps[at];

		if (step->is_reached || step->is_stop)
			continue;
		step->is_reached = 1;
		if (step->is.kind == INSTRUCTION_ANYWHERE)
			return -1;
		if (step->is.kind == INSTRUCTION_BRANCH || step->is.kind == INSTRUCTION_JUMP) {
			const struct flow_step *target = flow_step_at(flow, step->is.target);

			if (target)
				flow->open[n++] = (uint32_t)(target - flow->steps);
			else if (is_within(flow, step->is.target))
				return -1;
		}
		if ((step->is.kind == INSTRUCTION_NEXT || step->is.kind == INSTRUCTION_BRANCH) &&
		    at + 1 < flow->n)
			flow->open[n++] = at + 1;
	}
	return 0;
}
