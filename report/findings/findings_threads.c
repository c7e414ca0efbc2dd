/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_threads.c - rules on the division of work among threads, CF04xx. Work is time on a
 * processor: other rules report waits of threads. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "rules.h"

#define TOGETHER_PART 0.2L /* of their life: threads of a pool begin within it */
#define UNBALANCED 1.5L	   /* times the mean */
/* Of samples nothing is known of waits. But who has most of the work, and so is waited for, has a
 * processor for this part of its life, or the others end before this part of it is over. */
#define AT_WORK_PART 0.8L
#define ENDED_PART 0.6L
#define CYCLES_PER_NS 3.0L /* about */
#define IDLE_PART 0.05L	   /* of the work of the thread that does most */
#define IDLE_THREADS 0.5L  /* of a pool that idle */
#define COUNTED_PART 0.6L  /* of a pool's work: is done by threads that begin together */
#define ROUNDS 3
#define MOST_AT_A_TIME 256
#define SERIAL_PART 0.2L   /* of its work and that of the thread with most */
#define ALONE_PART 0.8L	   /* of the work that is done meanwhile nobody else does any */
#define PARALLEL_PART 0.2L /* of the serial part: so much is done by others at other times */
#define OVERLAP_PART 1.1L
/* It works for so long between two waits: one that gives work to the others waits more often. */
#define SERIAL_NS 200000.0L
#define LEADS_PART 0.5L
/* Times the mean: one of two threads has 62 % of the work. */
#define UNBALANCED_TEAM 1.25L

/* Threads of a process that began with the same function, in generations that live at the same
 * time: sums over those of two threads and more that began together. */
struct pool {
	const struct thread_fact *first;
	uint32_t start;
	size_t generations, n, n_idle;
	long double work, most, least, mean; /* the latter three: of one thread of each */
	long double busy_mean;		     /* of those that do not idle */
	/* with the time in which others had the processor: nobody waits for who was kept off */
	long double ready_most, ready_mean;
	long double life, others_life; /* of the thread that has most, of the others in the mean */
	long double gain;
	long double all_work; /* of all generations */
	int has_jobs;	      /* its threads are for different things */
};

struct started {
	const struct thread_fact *thread;
	uint32_t start, job; /* job: what it called then and computed in most, or NAMES_NONE */
};

/* Threads of a pool, by their begin. */
struct generation {
	const struct started *threads;
	size_t n;
	long double begin, end;
};

static long double work_of(const struct thread_fact *thread)
{
	return thread->elapsed > thread->off_cpu ? thread->elapsed - thread->off_cpu : 0;
}

static long double ready_of(const struct thread_fact *thread)
{
	return work_of(thread) + thread->preempted;
}

/* A thread of std::async is made for one task, and is no share of a pool's work. */
static int is_task(const struct finder *finder, const struct thread_fact *thread)
{
	for (uint32_t i = 0; i < thread->n_chain; i++) {
		const struct entity *entity = call_graph_entity(finder->graph, thread->chain[i]);

		if (entity && entity->assembler && strstr(entity->assembler, "_Async_state_impl"))
			return 1;
	}
	return 0;
}

/* The first function of the program's own: in libraries all threads may begin with the same one. */
static uint32_t start_of(const struct finder *finder, const struct thread_fact *thread)
{
	for (uint32_t i = 0; i < thread->n_chain; i++)
		if (computing_is_own(&finder->computing, thread->chain[i]))
			return thread->chain[i];
	return NAMES_NONE;
}

static int is_first(const struct thread_fact *thread)
{
	return thread->tid == thread->pid;
}

/* What the start function has called: where one starts all threads, that is what they are for. */
static uint32_t job_of(const struct finder *finder, const struct thread_fact *thread, uint32_t start)
{
	uint32_t i = 0;

	while (i < thread->n_work && thread->work[i] != start)
		i++;
	for (i++; i < thread->n_work; i++)
		if (computing_is_own(&finder->computing, thread->work[i]))
			return thread->work[i];
	return NAMES_NONE;
}

ORDER_ITEMS(by_start, struct started, ORDER(x->thread->pid, y->thread->pid), ORDER(x->start, y->start),
	    ORDER(x->thread->begin, y->thread->begin))

/* Those that the program started with a function of its own, by process, that function and begin. A
 * process that has become another program by exec has two first threads, which share no work. */
static struct started *started_make(const struct finder *finder, size_t *n)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	struct started *list = xcalloc(facts->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < facts->n; i++) {
		uint32_t start = start_of(finder, &facts->list[i]);

		if (start != NAMES_NONE && !is_first(&facts->list[i]) && !is_task(finder, &facts->list[i]))
			list[(*n)++] = (struct started){ &facts->list[i], start,
							 job_of(finder, &facts->list[i], start) };
	}
	util_sort(list, *n, sizeof(*list), by_start, NULL);
	return list;
}

/* Threads that are started when there is work for them, one after another, are no pool. */
static int is_together(long double first_begin, long double last_begin, long double end)
{
	return last_begin - first_begin <= TOGETHER_PART * (end - first_begin);
}

/* Of a pool: so many from the first one on live at the same time, or would, had they more to do. */
static struct generation generation_of(const struct started *list, size_t n)
{
	struct generation g = { list, 1, list->thread->begin, list->thread->end };

	for (; g.n < n; g.n++) {
		const struct thread_fact *next = list[g.n].thread;

		if (next->begin >= g.end && !is_together(g.begin, next->begin, next->end))
			break;
		g.end = fmaxl(g.end, next->end);
	}
	return g;
}

ORDER_ITEMS(by_amount, long double, ORDER(*x, *y))

/* How long threads with this work take together, where those that run share the processors
 * equally. Sorts them. */
static long double makespan(long double *work, size_t n, long double processors)
{
	long double time = 0, done = 0;

	util_sort(work, n, sizeof(*work), by_amount, NULL);
	for (size_t i = 0; i < n; i++) {
		time += (work[i] - done) / fminl(1, processors / (long double)(n - i));
		done = work[i];
	}
	return time;
}

/* What it would take less if the work was even: as a part, on the processors there are, of what the
 * thread with most of it takes. */
static long double gain_of(const struct finder *finder, const struct generation *g, long double *work)
{
	uint64_t known = finder->input->edges->system.processors;
	long double n = (long double)g->n, processors = known ? fminl(n, (long double)known) : n;
	long double sum = 0, now;

	for (size_t i = 0; i < g->n; i++)
		sum += work[i];
	now = makespan(work, g->n, processors);
	if (finder->findings->is_sampled) /* as a share of the time, which is that of the samples */
		return now > 0 ? (1 - sum / processors / now) * sum : 0;
	return now > 0 ? (1 - sum / processors / now) *
				 fminl(g->end - g->begin, fmaxl(now, work[g->n - 1] * finder_slowed(finder)))
		       : 0;
}

static void add_works(struct pool *pool, const struct generation *g, const long double *work)
{
	long double sum = 0, busy = 0, ready = 0, ready_most = 0, life = 0;
	const struct thread_fact *most = g->threads->thread;
	size_t n_idle = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct thread_fact *thread = g->threads[i].thread;
		int idles = work[i] < IDLE_PART * work[g->n - 1];

		sum += work[i];
		n_idle += idles ? 1 : 0;
		busy += idles ? 0 : work[i];
		ready += ready_of(thread);
		life += thread->end - thread->begin;
		ready_most = fmaxl(ready_most, ready_of(thread));
		most = work_of(thread) > work_of(most) ? thread : most;
	}
	pool->generations++;
	pool->n += g->n;
	pool->n_idle += n_idle;
	pool->work += sum;
	pool->least += work[0];
	pool->most += work[g->n - 1];
	pool->mean += sum / (long double)g->n;
	pool->busy_mean += busy / (long double)(g->n - n_idle);
	pool->ready_most += ready_most;
	pool->ready_mean += ready / (long double)g->n;
	pool->life += most->end - most->begin;
	pool->others_life += (life - (most->end - most->begin)) / (long double)(g->n - 1);
}

/* is_round: else its threads have to have begun together. */
static void add_to_pool(const struct finder *finder, struct pool *pool, const struct generation *g,
			int is_round)
{
	long double *work = xcalloc(g->n, sizeof(*work)), sum = 0;

	for (size_t i = 0; i < g->n; i++)
		sum += work[i] = work_of(g->threads[i].thread);
	pool->all_work += sum;
	if (g->n >= 2 && (is_round || is_together(g->begin, g->threads[g->n - 1].thread->begin, g->end))) {
		pool->gain += gain_of(finder, g, work); /* sorts them */
		add_works(pool, g, work);
	}
	free(work);
}

static size_t count_generations(const struct started *list, size_t n)
{
	size_t generations = 0;

	for (size_t i = 0; i < n; generations++)
		i += generation_of(&list[i], n - i).n;
	return generations;
}

static struct generation round_of(const struct started *list, size_t n)
{
	struct generation g = { list, n, list->thread->begin, list->thread->end };

	for (size_t i = 1; i < n; i++)
		g.end = fmaxl(g.end, list[i].thread->end);
	return g;
}

/* Has each `size` of them ended before the next begins? */
static int are_rounds(const struct started *list, size_t n, size_t size)
{
	for (size_t i = size; i < n; i += size)
		if (round_of(&list[i - size], size).end > list[i].thread->begin)
			return 0;
	return 1;
}

/*
 * How many threads the program starts at a time, waits for, and starts as many again, at least
 * ROUNDS times; 0: it does not. They may begin late, where others have the processors, but half of
 * them and more live with the one before.
 */
static size_t threads_of_rounds(const struct started *list, size_t n)
{
	size_t generations = count_generations(list, n);

	for (size_t size = 2; size * ROUNDS <= n && size <= MOST_AT_A_TIME; size++)
		if (n % size == 0 && are_rounds(list, n, size))
			return 2 * generations <= n / size * (size + 1) ? size : 0;
	return 0;
}

/* Do threads that work, each, work in different functions? */
static int has_jobs(const struct started *list, size_t n)
{
	long double most = 0;
	uint32_t job = NAMES_NONE;

	for (size_t i = 0; i < n; i++)
		most = fmaxl(most, work_of(list[i].thread));
	for (size_t i = 0; i < n; i++) {
		if (list[i].job == NAMES_NONE || work_of(list[i].thread) < IDLE_PART * most)
			continue;
		if (job != NAMES_NONE && job != list[i].job)
			return 1;
		job = list[i].job;
	}
	return 0;
}

/* Takes the first pool of the list. Returns how many threads it has. */
static size_t pool_make(const struct finder *finder, struct pool *pool, const struct started *list, size_t n)
{
	size_t threads = 1, size;

	*pool = (struct pool){ .first = list->thread, .start = list->start };
	while (threads < n && list[threads].thread->pid == pool->first->pid &&
	       list[threads].start == pool->start)
		threads++;
	pool->has_jobs = has_jobs(list, threads);
	size = threads_of_rounds(list, threads);
	for (size_t i = 0; i < threads;) {
		struct generation g = size ? round_of(&list[i], size) : generation_of(&list[i], threads - i);

		add_to_pool(finder, pool, &g, size > 0);
		i += g.n;
	}
	return threads;
}

static int is_idle(const struct pool *pool)
{
	return (long double)pool->n_idle >= IDLE_THREADS * (long double)pool->n;
}

/* Do others wait for the thread that has most? */
static int is_at_work(const struct finder *finder, const struct pool *pool)
{
	const struct samples_totals *s = &finder->t->samples;
	long double each = (long double)s->interval;

	if (!finder->findings->is_sampled)
		return pool->ready_most >= UNBALANCED * pool->ready_mean;
	each /= s->unit == CINSTR_SAMPLING_CYCLES ? CYCLES_PER_NS : 1;
	return s->unit != CINSTR_SAMPLING_EVENTS && pool->work >= COMPUTING_LEAST_SAMPLES &&
	       (pool->others_life <= ENDED_PART * pool->life ||
		pool->most * each >= AT_WORK_PART * pool->life);
}

/* Threads that idle beside others that have the same work were not needed, or are for something
 * else. */
static int is_unbalanced(const struct finder *finder, const struct pool *pool)
{
	return pool->generations && !pool->has_jobs &&
	       pool->most >= UNBALANCED * (is_idle(pool) ? pool->mean : pool->busy_mean) &&
	       pool->work >= COUNTED_PART * pool->all_work && is_at_work(finder, pool);
}

/* A time, or of samples the share of all. */
static void put_amount(const struct finder *finder, struct strbuf *text, long double amount)
{
	if (finder->findings->is_sampled)
		finding_put_percent(text, finder->t->elapsed > 0 ? 100 * amount / finder->t->elapsed : 0);
	else
		strbuf_duration(text, amount);
}

static void put_work(const struct finder *finder, struct strbuf *text, const struct pool *pool)
{
	strbuf_puts(text, finder->findings->is_sampled ? " most has " : " most computes ");
	put_amount(finder, text, pool->most);
	strbuf_puts(text, finder->findings->is_sampled ? " of the samples, the mean is " : ", the mean is ");
	put_amount(finder, text, pool->mean);
	strbuf_puts(text, ", the least ");
	put_amount(finder, text, pool->least);
}

/* Threads of several generations: "4 threads at a time, 8 times, ..." */
static void put_generations(const struct finder *finder, struct strbuf *text, const struct pool *pool)
{
	long double each = (long double)pool->n / (long double)pool->generations;

	strbuf_printf(text, "%.*Lf threads at a time, %zu times, ", each == floorl(each) ? 0 : 1, each,
		      pool->generations);
	if (is_idle(pool))
		strbuf_printf(text, "of which %.0Lf in 100 do next to nothing",
			      100 * (long double)pool->n_idle / (long double)pool->n);
	else
		strbuf_puts(text, "share the work unevenly");
	strbuf_printf(text, ": the longest computes %.1Lf times the mean", pool->most / pool->mean);
	if (!finder->findings->is_sampled) {
		strbuf_puts(text, ", ");
		strbuf_duration(text, pool->most / (long double)pool->generations);
	}
	strbuf_puts(text, ", the others wait for it");
}

static void put_generation(const struct finder *finder, struct strbuf *text, const struct pool *pool)
{
	if (is_idle(pool))
		strbuf_printf(text, "of %zu threads that began with it %zu %s next to nothing: the one with",
			      pool->n, pool->n_idle, pool->n_idle == 1 ? "does" : "do");
	else
		strbuf_printf(text, "the %zu threads that began with it have unequal work: the one with",
			      pool->n);
	put_work(finder, text, pool);
}

static void tell_pool(struct finder *finder, const struct finding_rule *rule, const struct pool *pool)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = pool->start;
	finding->verb = "report --by=thread";
	finding->time = pool->gain / finder->at_once;
	if (pool->generations > 1)
		put_generations(finder, &finding->text, pool);
	else
		put_generation(finder, &finding->text, pool);
}

static void tell_pools(struct finder *finder, const struct finding_rule *rule, int idle)
{
	size_t n;
	struct started *list = started_make(finder, &n);

	for (size_t i = 0; i < n;) {
		struct pool pool;

		i += pool_make(finder, &pool, &list[i], n - i);
		if (is_unbalanced(finder, &pool) && is_idle(&pool) == idle)
			tell_pool(finder, rule, &pool);
	}
	free(list);
}

/* ---- parallel regions of OpenMP -------------------------------------------------------------- */

/* A team's threads run one function, which the compiler has made of the region: the first thread
 * within the function that has the region, the others from their begin. */
struct team {
	size_t n;
	long double most, mean; /* of one thread, ns on a processor */
};

/*
 * Where threads take the next piece when they are done with one, they end at the same time,
 * whatever each has computed: then a thread that others kept from its processor has done less, and
 * nobody waits.
 */
static int is_unbalanced_team(const struct finder *finder, const struct row *region, struct team *team)
{
	const struct profile *edges = finder->input->edges;
	uint32_t row = (uint32_t)(region - edges->rows);
	const struct sums *sums = &region->sums;
	long double longest = thread_shares_most(&edges->shares, row, SHARE_ELAPSED);

	team->n = finder_threads(finder, region);
	team->most = thread_shares_most(&edges->shares, row, SHARE_CPU);
	if (team->n < 2)
		return 0;
	team->mean = (sums->elapsed_inclusive - sums->off_cpu_inclusive) / (long double)team->n;
	return team->most >= UNBALANCED_TEAM * team->mean &&
	       longest >= UNBALANCED_TEAM * sums->elapsed_inclusive / (long double)team->n;
}

/* What it would take less on the processors there are. */
static long double gain_of_team(const struct finder *finder, const struct team *team)
{
	uint64_t known = finder->input->edges->system.processors;
	long double at_once = known && known < team->n ? (long double)known : (long double)team->n;

	return fmaxl(0, team->most - team->mean * (long double)team->n / at_once) * finder_slowed(finder);
}

static void tell_team(struct finder *finder, const struct finding_rule *rule, uint32_t region,
		      const struct team *team)
{
	struct finding *finding = finding_new(finder, rule);
	struct strbuf *text = &finding->text;

	finding->about = region;
	finding->verb = "report --by=thread";
	finding->time = gain_of_team(finder, team);
	strbuf_printf(text,
		      "its %zu threads have unequal work, and wait for the one with most: that computes ",
		      team->n);
	strbuf_duration(text, team->most);
	strbuf_puts(text, ", the mean is ");
	strbuf_duration(text, team->mean);
}

static void tell_teams(struct finder *finder, const struct finding_rule *rule)
{
	const struct call_graph *graph = finder->graph;
	struct team team;

	if (finder->findings->is_sampled || finder->input->processes->n_rows != 1)
		return;
	for (uint32_t e = 0; e < graph->n_entities; e++) {
		const struct entity *entity = call_graph_entity(graph, e);

		if (graph->nodes[e] && names_is_region(entity) &&
		    is_unbalanced_team(finder, graph->nodes[e], &team))
			tell_team(finder, rule, e, &team);
	}
}

/* ---- the rules on pools ---------------------------------------------------------------------- */

static void unbalanced(struct finder *finder, const struct finding_rule *rule)
{
	tell_pools(finder, rule, 0);
	tell_teams(finder, rule);
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
	long double busy, most_busy; /* the first one; the others' longest */
	long double idle;	     /* the least of them: it was not there, or waited for others */
};

/* For how long it did not wait for others: on a machine with much to do that takes longer than the
 * work, for all threads alike. */
static long double busy_of(const struct thread_fact *thread)
{
	return thread->elapsed > thread->for_others ? thread->elapsed - thread->for_others : 0;
}

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
			shift->busy = busy_of(thread);
		if (thread == shift->first || is_first(thread))
			continue;
		shift->most_busy = fmaxl(shift->most_busy, busy_of(thread));
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
 * or waited for others, for as long as the first thread did not wait, if that waits for them, and
 * if both together take no longer than the process, they did not overlap.
 */
static int is_serial(const struct shift *shift)
{
	long double life = shift->end - shift->first->begin, own = work_of(shift->first);

	return shift->n >= 2 && own >= SERIAL_PART * (own + shift->most) &&
	       own >= SERIAL_NS * (long double)shift->first->waits && shift->work >= PARALLEL_PART * own &&
	       shift->idle >= ALONE_PART * shift->busy &&
	       shift->first->for_others >= ALONE_PART * shift->most_busy &&
	       shift->busy + shift->most_busy <= OVERLAP_PART * life;
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
	finding->time = own / finder->at_once;
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
	{ "CF0401", "threads with unequal work", OF_TIMED | OF_SAMPLED | OF_SINGLE, 50, 3, unbalanced,
	  "Time on a processor (samples, if that is what was recorded; a thread without any is not known) "
	  "of the threads of a process that began with the same function of the program and live at the "
	  "same time, each generation by itself, if its threads began together (within the first fifth of "
	  "their life) or the program starts as many, and waits for them, three times and more. It is "
	  "reported if the one with the most work has 1.5 times the mean and more, also with the time for "
	  "which others had the processors; threads with less than 5 % of its work do not count. Of samples "
	  "it must have had a processor for 80 % of its life, or the others have ended sooner. Of a parallel "
	  "region of OpenMP: if one of its threads computes 1.25 times the mean and more, and is in it for "
	  "as "
	  "much longer.",
	  "What it would take less if all had the same work, on the processors there are.",
	  "All wait for the thread that has most to do.",
	  "Divide the work into more pieces than there are threads, and let each take the next one when it "
	  "is done (a queue, schedule(dynamic)); cut large pieces.",
	  POOL_FALSE },
	{ "CF0402", "threads that idle", OF_TIMED | OF_SAMPLED | OF_SINGLE, 55, 3, idle,
	  "The same, where half of the threads and more have less than 5 % of the work of the one with most.",
	  "What it would take less if all had the same work, on the processors there are.",
	  "The program has threads and processors, and works on one of them.",
	  "See how work comes to the threads: one queue for all in place of one for each; pieces that are "
	  "small enough; a key (a hash, a number modulo) that sends all to the same thread.",
	  POOL_FALSE },
	{ "CF0403", "one thread works while the others wait", OF_TIMED | OF_SINGLE, 45, 3, serial,
	  "Time on a processor of a process's first thread. It is reported if there are two other threads "
	  "and more, which work, too; if that of the first is 20 % of it and of the one with most together, "
	  "and more; and if they did not work at the same time: each of the others was not there, or waited "
	  "for others, while the first did not wait; the first waited for them (joins, barriers, condition "
	  "variables); the times of both without such waits add up to no more than the process's life; and "
	  "the "
	  "first works for 0.2 ms and more between two waits, which one that feeds the others does not.",
	  "What the first thread computes then. Shared by all threads it would take its part of that, on the "
	  "processors there are.",
	  "However many threads there are, the run takes at least as long as what only one of them does "
	  "(Amdahl's law).",
	  "Let the threads do this part as well, each for its own piece; or begin their work while it goes "
	  "on (a pipeline).",
	  "What is done before and after the parallel part depends on all of it, as reading one file or "
	  "adding up." },
};
const size_t findings_n_threads_rules = ARRAY_SIZE(findings_threads_rules);
