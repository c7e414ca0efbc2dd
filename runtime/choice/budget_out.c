/* SPDX-License-Identifier: MIT */
/*
 * budget_out.c - the list of functions whose probes were taken out, with the time of their next
 * trial (budget.h).
 *
 * Called under the budget's lock, or by a unit test. Touches its arguments only. Entries stay in
 * the list: a function that was put back keeps its waiting time, and if it fails its trial it waits
 * twice as long the next time.
 */
#include "budget.h"

static uint16_t *slot_of(struct budget_outs *outs, uint32_t func)
{
	uint32_t slot = (func >> 3) * 0x9e3779b1u >> 19;

	while (outs->slots[slot] && outs->list[outs->slots[slot] - 1].func != func)
		slot = (slot + 1) % (2 * BUDGET_OUTS);
	return &outs->slots[slot];
}

struct budget_out *budget_find(struct budget_outs *outs, uint32_t func)
{
	uint16_t slot = *slot_of(outs, func);

	return slot ? &outs->list[slot - 1] : NULL;
}

static struct budget_out *find_or_add(struct budget_outs *outs, uint32_t func)
{
	uint16_t *slot = slot_of(outs, func);

	if (*slot)
		return &outs->list[*slot - 1];
	if (outs->n == BUDGET_OUTS)
		return NULL;
	outs->list[outs->n] = (struct budget_out){ .func = func, .level = BUDGET_ALL };
	*slot = (uint16_t)++outs->n;
	return &outs->list[outs->n - 1];
}

struct budget_out *budget_take_out(struct budget_outs *outs, const struct budget_pick *pick, uint64_t cost,
				   uint64_t now)
{
	struct budget_out *out = find_or_add(outs, pick->func);

	if (!out)
		return NULL;
	if (out->level != BUDGET_ALL) {
		/* only its calls were out, now the rest is: it comes back as a whole */
		out->cost += cost;
	} else {
		int failed = out->changes && now - out->since < out->wait * 4;

		out->wait = failed ? out->wait * 2 : outs->first_wait;
		if (out->wait > outs->longest_wait)
			out->wait = outs->longest_wait;
		out->cost = cost;
		outs->n_out++;
	}
	out->level = pick->level;
	out->looked = 0;
	out->since = now;
	out->changes++;
	return out;
}

void budget_put_back(struct budget_outs *outs, struct budget_out *out, uint64_t now)
{
	out->level = BUDGET_ALL;
	out->since = now;
	outs->n_out--;
}

void budget_look(struct budget_out *out, const struct budget_rate *rate, uint64_t calls, uint64_t now)
{
	uint64_t ticks = now - out->looked, n = calls - out->calls;

	if (out->looked && calls >= out->calls && (ticks < rate->window || !n))
		return;
	if (out->looked && calls > out->calls &&
	    (unsigned __int128)n * rate->cost * BUDGET_MILLION * BUDGET_FLOOR_PARTS <=
		    (unsigned __int128)ticks * rate->limit)
		out->since = now - out->wait;
	out->looked = now;
	out->calls = calls;
}

struct budget_out *budget_due(struct budget_outs *outs, uint64_t now)
{
	struct budget_out *found = NULL;

	for (struct budget_out *out = outs->list; out < outs->list + outs->n; out++)
		if (out->level != BUDGET_ALL && !out->is_stuck && now - out->since >= out->wait &&
		    (!found || out->cost < found->cost))
			found = out;
	return found;
}
