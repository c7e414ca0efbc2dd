/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings_threads.c - rules on how the work is divided among threads, CF04xx. Work is time on a
 * processor: what a thread waits for is told of by other rules.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "rules.h"

#define TOGETHER_PART 0.2L /* of their life: threads of a pool begin within it */
#define UNBALANCED 1.5L	   /* times the mean */
#define IDLE_PART 0.05L	   /* of the work of the thread that does most */
#define IDLE_THREADS 0.5L  /* of a pool that idle */
#define SERIAL_PART 0.2L   /* of its work and that of the thread with most */
#define ALONE_PART 0.8L	   /* of the work that is done meanwhile nobody else does any */
#define PARALLEL_PART 0.2L /* of the serial part: so much is done by others at other times */
#define OVERLAP_PART 1.1L
#define LEADS_PART 0.5L

/* Threads of a process that began with the same function. */
struct pool {
	uint32_t pid, start;
	size_t n, n_idle;
	long double work, most, least; /* of all; of one thread */
	uint32_t most_tid;
	long double first_begin, last_begin, last_end;
};

static long double work_of(const struct thread_fact *thread)
{
	return thread->elapsed > thread->off_cpu ? thread->elapsed - thread->off_cpu : 0;
}

/* The first function of the program's own: in libraries all threads may begin with the same one. */
static uint32_t start_of(const struct finder *finder, const struct thread_fact *thread)
{
	for (uint32_t i = 0; i < thread->n_chain; i++)
		if (computing_is_own(&finder->computing, thread->chain[i]))
			return thread->chain[i];
	return NAMES_NONE;
}

static void add_to_pool(struct pool *pool, const struct thread_fact *thread)
{
	long double work = work_of(thread);

	pool->work += work;
	if (!pool->n || work > pool->most) {
		pool->most = work;
		pool->most_tid = thread->tid;
	}
	if (!pool->n || work < pool->least)
		pool->least = work;
	if (!pool->n || thread->begin < pool->first_begin)
		pool->first_begin = thread->begin;
	if (!pool->n || thread->begin > pool->last_begin)
		pool->last_begin = thread->begin;
	if (!pool->n || thread->end > pool->last_end)
		pool->last_end = thread->end;
	pool->n++;
}

/* A list of *n, which the caller frees. */
static struct pool *pools_make(const struct finder *finder, size_t *n)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	struct int_map numbers = { 0 };
	struct pool *pools = xcalloc(facts->n + 1, sizeof(*pools));

	*n = 0;
	for (size_t i = 0; i < facts->n; i++) {
		const struct thread_fact *thread = &facts->list[i];
		uint32_t start = start_of(finder, thread), number;
		int is_new;

		if (start == NAMES_NONE)
			continue;
		number = int_map_add(&numbers, int_map_pair(thread->pid, start), &is_new);
		if (is_new)
			pools[(*n)++] = (struct pool){ .pid = thread->pid, .start = start };
		add_to_pool(&pools[number], thread);
	}
	for (size_t i = 0; i < facts->n; i++) {
		uint32_t start = start_of(finder, &facts->list[i]);
		uint32_t number = start == NAMES_NONE
					  ? INT_MAP_NONE
					  : int_map_find(&numbers, int_map_pair(facts->list[i].pid, start));

		if (number != INT_MAP_NONE && work_of(&facts->list[i]) < IDLE_PART * pools[number].most)
			pools[number].n_idle++;
	}
	int_map_release(&numbers);
	return pools;
}

/* Threads that are started when there is work for them, one after another, are no pool. */
static int is_together(const struct pool *pool)
{
	return pool->n >= 2 &&
	       pool->last_begin - pool->first_begin <= TOGETHER_PART * (pool->last_end - pool->first_begin);
}

static int is_idle(const struct pool *pool)
{
	return (long double)pool->n_idle >= IDLE_THREADS * (long double)pool->n;
}

static void put_work(struct strbuf *text, const struct pool *pool)
{
	strbuf_puts(text, " most computes ");
	strbuf_duration(text, pool->most);
	strbuf_puts(text, ", the mean is ");
	strbuf_duration(text, pool->work / (long double)pool->n);
	strbuf_puts(text, ", the least ");
	strbuf_duration(text, pool->least);
}

static void tell_pool(struct finder *finder, const struct finding_rule *rule, const struct pool *pool)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = pool->start;
	finding->verb = "report --by=thread";
	finding->gain = (pool->most - pool->work / (long double)pool->n) / finder->at_once;
	if (is_idle(pool)) {
		strbuf_printf(&finding->text,
			      "of %zu threads that began with it %zu do next to nothing: the one with",
			      pool->n, pool->n_idle);
	} else {
		strbuf_printf(&finding->text,
			      "the %zu threads that began with it have unequal work: the one with", pool->n);
	}
	put_work(&finding->text, pool);
}

static void tell_pools(struct finder *finder, const struct finding_rule *rule, int idle)
{
	size_t n;
	struct pool *pools = pools_make(finder, &n);

	for (size_t i = 0; i < n; i++)
		if (is_together(&pools[i]) && is_idle(&pools[i]) == idle &&
		    pools[i].most * (long double)pools[i].n >= UNBALANCED * pools[i].work)
			tell_pool(finder, rule, &pools[i]);
	free(pools);
}

static void unbalanced(struct finder *finder, const struct finding_rule *rule)
{
	tell_pools(finder, rule, 0);
}

static void idle(struct finder *finder, const struct finding_rule *rule)
{
	tell_pools(finder, rule, 1);
}

/* ---- the serial part ------------------------------------------------------------------------- */

/* A process's first thread, and all others together. */
struct shift {
	const struct thread_fact *first;
	size_t n; /* of the others */
	long double work, most, end;
	long double idle; /* the least of them: it was not there, or waited for others */
};

/* Of one process: facts from `begin` on. Returns where those of the next one begin. */
static size_t shift_of(const struct thread_facts *facts, size_t begin, struct shift *shift)
{
	size_t end = begin;

	*shift = (struct shift){ .first = &facts->list[begin], .idle = LDBL_MAX };
	for (; end < facts->n && facts->list[end].pid == facts->list[begin].pid; end++) {
		const struct thread_fact *thread = &facts->list[end];

		shift->first = thread->begin < shift->first->begin ? thread : shift->first;
		shift->end = thread->end > shift->end ? thread->end : shift->end;
	}
	for (size_t i = begin; i < end; i++) {
		const struct thread_fact *thread = &facts->list[i];
		long double work = work_of(thread);

		if (thread == shift->first)
			continue;
		shift->idle = fminl(shift->idle, shift->end - shift->first->begin -
							 (thread->end - thread->begin) + thread->for_others);
		shift->n++;
		shift->work += work;
		shift->most = work > shift->most ? work : shift->most;
	}
	return end;
}

/*
 * Nothing has recorded what threads did at the same time. But if each of the others was not there,
 * or waited for others, for as long as the first thread has worked, if that waits for them, and if
 * its work and theirs together take no longer than the process, they did not overlap.
 */
static int is_serial(const struct shift *shift)
{
	long double life = shift->end - shift->first->begin, own = work_of(shift->first);

	return shift->n >= 2 && own >= SERIAL_PART * (own + shift->most) &&
	       shift->work >= PARALLEL_PART * own && shift->idle >= ALONE_PART * own &&
	       shift->first->for_others >= ALONE_PART * shift->most &&
	       own + shift->most <= OVERLAP_PART * life;
}

/* Where most of what the thread computes is. */
static uint32_t main_work(const struct finder *finder, uint32_t entity)
{
	for (int level = 0; level < THREAD_CHAIN; level++) {
		size_t n;
		const struct row **out = call_graph_out(finder->graph, entity, &n), *most = NULL;
		const struct row *node = finder->graph->nodes[entity];

		for (size_t i = 0; i < n; i++)
			if (!most || computing_inclusive(&finder->computing, out[i]) >
					     computing_inclusive(&finder->computing, most))
				most = out[i];
		if (!node || !most || most->entity == entity ||
		    !computing_is_own(&finder->computing, most->entity) ||
		    computing_inclusive(&finder->computing, most) <
			    LEADS_PART * computing_inclusive(&finder->computing, node))
			break;
		entity = most->entity;
	}
	return entity;
}

static void tell_shift(struct finder *finder, const struct finding_rule *rule, const struct shift *shift)
{
	uint32_t start = start_of(finder, shift->first), most;
	long double own = work_of(shift->first), life = shift->end - shift->first->begin;
	struct finding *finding;

	if (start == NAMES_NONE)
		return;
	most = main_work(finder, start);
	finding = finding_new(finder, rule);
	finding->about = start;
	finding->look_at = most;
	finding->verb = "callers";
	finding->gain = own * (long double)shift->n / (long double)(shift->n + 1) / finder->at_once;
	strbuf_puts(&finding->text, "computes ");
	strbuf_duration(&finding->text, own);
	strbuf_puts(&finding->text, ", ");
	finding_put_percent(&finding->text, 100 * own / life);
	strbuf_printf(&finding->text, " of its time, while %zu other threads wait or have ended", shift->n);
	if (most != start) {
		strbuf_puts(&finding->text, "; most of it in ");
		finding_put_name(finder, &finding->text, most);
	}
}

static void serial(struct finder *finder, const struct finding_rule *rule)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	struct shift shift;

	for (size_t i = 0; i < facts->n;) {
		i = shift_of(facts, i, &shift);
		if (is_serial(&shift))
			tell_shift(finder, rule, &shift);
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

#define POOL_FALSE \
	"The threads are for different things, although they began with the same function. The other " \
	"threads " \
	"are there for more work than this run had. A thread that waits for input is not looked at: only " \
	"time on a processor counts."

const struct finding_rule findings_threads_rules[] = {
	{ "CF0401", "threads with unequal work", OF_TIMED, 50, 3, unbalanced,
	  "Time on a processor of the threads of a process that began with the same function of the program, "
	  "at "
	  "about the same time (within the first fifth of their life). It is told if one has 1.5 times the "
	  "mean "
	  "and more.",
	  "What the thread with the most work has more than the mean.",
	  "All wait for the thread that has most to do.",
	  "Divide the work into more pieces than there are threads, and let each take the next one when it "
	  "is "
	  "done (a queue, schedule(dynamic)); cut large pieces.",
	  POOL_FALSE },
	{ "CF0402", "threads that idle", OF_TIMED, 55, 3, idle,
	  "The same, where half of the threads and more have less than 5 % of the work of the one with most.",
	  "What the thread with the most work has more than the mean.",
	  "The program has threads and processors, and works on one of them.",
	  "See how work comes to the threads: one queue for all in place of one for each; pieces that are "
	  "small "
	  "enough; a key (a hash, a number modulo) that sends all to the same thread.",
	  POOL_FALSE },
	{ "CF0403", "one thread works while the others wait", OF_TIMED, 45, 3, serial,
	  "Time on a processor of a process's first thread. It is told if there are two other threads and "
	  "more, "
	  "which work, too; if that of the first is 20 % of it and of the one with most together, and more; "
	  "if each "
	  "of the others was not there, or waited for others, for as long; if the first one waits for them "
	  "(joins, "
	  "barriers, condition variables); and if its work and that of the one with most add up to no more "
	  "than the "
	  "process's life.",
	  "The part of it that would be saved if all threads shared it equally.",
	  "However many threads there are, the run takes at least as long as what only one of them does "
	  "(Amdahl's law).",
	  "Let the threads do this part as well, each for its own piece; or begin their work while it goes "
	  "on "
	  "(a pipeline).",
	  "What is done before and behind the parallel part depends on all of it, as reading one file or "
	  "adding "
	  "up." },
};
const size_t findings_n_threads_rules = ARRAY_SIZE(findings_threads_rules);
