/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_pools.c - a rule on threads that take work from others, and wait for what comes from
 * elsewhere with each piece of it. */
#include <math.h>

#include "rules.h"

#define WAITS 100
#define LEVELS 3       /* of callees of a thread's first function */
#define THREADS_EACH 2 /* at most so many for each processor are few */
/* A pool's threads wait for answers for this part of their time at least; for work, at most. */
#define ANSWERING_PART 0.8L
#define IDLE_PART 0.05L

/* Threads of a process that began with the same function. */
struct pool {
	uint32_t start, function; /* function: the innermost one of the program that waits */
	size_t n;
	long double life, for_others, for_answers;
	long double most;    /* for answers, of one thread, ns */
	long double awaited; /* by another thread, for others */
	uint64_t locks;	     /* calls that take a lock or wait for work */
};

static uint32_t start_of(const struct finder *finder, const struct thread_fact *thread)
{
	for (uint32_t i = 0; i < thread->n_chain && thread->tid != thread->pid; i++)
		if (computing_is_own(&finder->computing, thread->chain[i]))
			return thread->chain[i];
	return NAMES_NONE;
}

static uint64_t locks_in(const struct finder *finder, uint32_t entity, int level)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, entity, &n);
	uint64_t locks = 0;

	for (size_t i = 0; i < n; i++) {
		int known = finder->known[out[i]->entity];

		if (known == KNOWN_LOCK || known == KNOWN_CONDITION || known == KNOWN_SEMAPHORE)
			locks += out[i]->calls;
		else if (level && out[i]->entity != entity)
			locks += locks_in(finder, out[i]->entity, level - 1);
	}
	return locks;
}

static void pool_add(const struct finder *finder, struct pool *pool, const struct thread_fact *thread)
{
	long double answers = thread->off_cpu - thread->preempted - thread->for_others;

	if (start_of(finder, thread) != pool->start) {
		pool->awaited = fmaxl(pool->awaited, thread->for_others);
		return;
	}
	pool->n++;
	pool->life += thread->elapsed;
	pool->for_others += thread->for_others;
	pool->for_answers += answers;
	if (answers <= pool->most)
		return;
	pool->most = answers;
	for (uint32_t i = 0; i < thread->n_chain; i++)
		if (computing_is_own(&finder->computing, thread->chain[i]))
			pool->function = thread->chain[i];
}

static struct pool pool_of(const struct finder *finder, uint32_t pid, uint32_t start)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	struct pool pool = { .start = start, .function = start };

	for (size_t i = 0; i < facts->n; i++)
		if (facts->list[i].pid == pid)
			pool_add(finder, &pool, &facts->list[i]);
	pool.locks = locks_in(finder, start, LEVELS);
	return pool;
}

static int accepts(const struct finder *finder, uint32_t pid)
{
	const struct system_facts *facts = &finder->input->edges->system;

	for (size_t i = 0; i < facts->n_peers; i++)
		if (facts->peers[i].pid == pid && facts->peers[i].accepts)
			return 1;
	return 0;
}

/* Do the pool's few threads, for which another one waits, nothing but wait for what comes from
 * elsewhere, though there is work for them, which they take from where others put it? */
static int only_waits(const struct finder *finder, const struct pool *pool, const struct row *wait)
{
	uint64_t processors = finder->input->edges->system.processors;
	int known = wait ? finder->known[wait->entity] : KNOWN_NOT;

	return pool->n >= 2 && pool->n <= THREADS_EACH * (processors ? processors : 1) && wait &&
	       (known == KNOWN_POLL || known == KNOWN_INPUT || known == KNOWN_SLEEP) &&
	       wait->calls >= WAITS && pool->locks >= wait->calls &&
	       pool->for_answers >= ANSWERING_PART * pool->life &&
	       pool->for_others <= IDLE_PART * pool->life && pool->awaited >= ANSWERING_PART * pool->most;
}

static void tell_pool(struct finder *finder, const struct finding_rule *rule, const struct pool *pool,
		      const struct row *wait)
{
	struct finding *finding = finding_new(finder, rule);
	struct strbuf *text = &finding->text;

	finding->about = pool->function;
	finding->edge = wait;
	finding->look_at = wait->entity;
	finding->verb = "callers --sites";
	finding->time = pool->most / finder->at_once;
	strbuf_printf(text, "its %zu threads wait ", pool->n);
	finding_put_percent(text, 100 * pool->for_answers / pool->life);
	strbuf_puts(text, " of their time (");
	finding_put_name(finder, text, wait->entity);
	strbuf_puts(text, "), and never for work: have more threads, or more requests at a time");
}

static void few_threads(struct finder *finder, const struct finding_rule *rule)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;

	for (size_t i = 0; i < facts->n; i++) {
		uint32_t pid = facts->list[i].pid, start = start_of(finder, &facts->list[i]);
		int is_first = start != NAMES_NONE && !accepts(finder, pid);
		struct pool pool;
		const struct row *wait;

		for (size_t k = 0; k < i && is_first; k++)
			is_first = facts->list[k].pid != pid || start_of(finder, &facts->list[k]) != start;
		if (!is_first)
			continue;
		pool = pool_of(finder, pid, start);
		wait = call_graph_longest_wait(finder->graph, pool.function);
		if (only_waits(finder, &pool, wait))
			tell_pool(finder, rule, &pool, wait);
	}
}

const struct finding_rule findings_pools_rules[] = {
	{ "CF0406", "few threads that only wait", OF_TIMED | OF_SINGLE | OF_WAITING, 64, 5, few_threads,
	  "Threads that began with the same function of the program, two and up to two for each processor, "
	  "which wait for 80 % of their time for what comes from elsewhere (poll, read, recv, sleeps; 100 "
	  "calls and more), and for at most 5 % for other threads, though they take locks or wait for "
	  "conditions as often, as those of a pool do for their work. Another thread waits for others as "
	  "long. No thread of the process accepts connections.",
	  "These waits, of the thread that has most.",
	  "There is always work for them, and they do none of it: how long it takes depends on how many "
	  "waits go on at a time.",
	  "More threads: as many as answers can be under way, not as there are processors. Or several "
	  "requests at a time in each thread: poll or epoll of all that are open, asynchronous calls.",
	  "Whoever answers does one thing at a time, or limits how many may ask." },
};
const size_t findings_n_pools_rules = ARRAY_SIZE(findings_pools_rules);
