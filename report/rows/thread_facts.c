/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "thread_facts.h"

#include <stdlib.h>
#include <string.h>

#include "hot_path.h"
#include "lib/array.h"
#include "profile.h"

static uint64_t elapsed(const struct addition *a, uint32_t node)
{
	return values_at(a->values, node)->inclusive.elapsed;
}

static uint64_t on_cpu(const struct addition *a, uint32_t node)
{
	const struct ticks *t = &values_at(a->values, node)->inclusive;

	return t->elapsed > t->off_cpu ? t->elapsed - t->off_cpu : 0;
}

/* Returns how many there are. */
static uint32_t put_chain(const struct addition *a, uint64_t (*time_of)(const struct addition *, uint32_t),
			  uint32_t *chain)
{
	const struct data_node *nodes = a->thread->nodes;
	uint32_t n = 0;

	for (uint32_t node = 0; n < THREAD_CHAIN;) {
		uint32_t most = 0;

		for (uint32_t i = node + 1; i < a->thread->n_nodes && i <= nodes[node].last;
		     i = nodes[i].last + 1)
			if (!most || time_of(a, i) > time_of(a, most))
				most = i;
		if (!most)
			break;
		node = most;
		if (a->entities[node] != NAMES_NONE && !addition_is_line(a, node))
			chain[n++] = a->entities[node];
	}
	return n;
}

static long double for_others(const struct addition *a)
{
	const struct names *names = a->profile->names;
	/* by entity: 0 not asked, 1 no, 2 yes */
	FREED uint8_t *waits = xcalloc(names->keys.n + 1, sizeof(*waits));
	uint64_t ticks = 0;

	for (uint32_t i = 1; i < a->thread->n_nodes; i++) {
		uint32_t entity = a->entities[i];

		if (entity == NAMES_NONE || addition_is_line(a, i))
			continue;
		if (!waits[entity])
			waits[entity] = waits_for_others(names->list[entity].name) ? 2 : 1;
		if (waits[entity] == 2)
			ticks += values_at(a->values, i)->inclusive.off_cpu;
	}
	return (long double)ticks * a->ns_per_tick;
}

/* std::async waits for the end of its thread there. What runs in it meanwhile is no wait. */
static long double in_once(const struct addition *a)
{
	uint64_t ticks = 0;

	for (uint32_t i = 1; i < a->thread->n_nodes; i++) {
		uint32_t entity = a->entities[i];

		if (entity != NAMES_NONE && !strcmp(a->profile->names->list[entity].name, "pthread_once"))
			ticks += values_at(a->values, i)->exclusive.off_cpu;
	}
	return (long double)ticks * a->ns_per_tick;
}

static uint64_t waits_of(const struct cinstr_thread *record)
{
	uint64_t all = record->counters_last.voluntary - record->counters_first.voluntary;

	return record->counters_last.voluntary < record->counters_first.voluntary ? 0
	       : all > record->own_voluntary ? all - record->own_voluntary
					     : 0;
}

void thread_facts_add(const struct addition *a)
{
	struct thread_facts *facts = &a->profile->thread_facts;
	const struct ticks *all;
	struct thread_fact *fact;

	if (!a->profile->shares.is_wanted)
		return;
	all = &values_at(a->values, 0)->inclusive;
	ARRAY_ONE_MORE(facts->list, facts->n);
	fact = &facts->list[facts->n++];
	*fact = (struct thread_fact){
		.pid = a->data->header->pid,
		.tid = a->thread->record->tid,
		.begin = profile_moment_ns(a->profile, a->data, a->thread->record->first_ticks),
		.end = profile_moment_ns(a->profile, a->data, a->thread->state->time),
		.elapsed = (long double)all->elapsed * a->ns_per_tick,
		.off_cpu = (long double)all->off_cpu * a->ns_per_tick,
		.preempted = (long double)all->preempted * a->ns_per_tick,
	};
	fact->waits = waits_of(a->thread->record);
	fact->for_others = for_others(a);
	fact->in_once = in_once(a);
	fact->n_chain = put_chain(a, elapsed, fact->chain);
	fact->n_work = put_chain(a, on_cpu, fact->work);
}

void thread_facts_release(struct thread_facts *facts)
{
	free(facts->list);
	*facts = (struct thread_facts){ 0 };
}
