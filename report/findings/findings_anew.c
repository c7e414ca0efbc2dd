/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_anew.c - rules on what a program makes again and again, uses once, and throws away:
 * threads (CF0404, CF0405), parallel regions (CF0407) and connections (CF0332). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "rules.h"

#define MUCH 5		    /* percent of the run */
#define THREADS 200	    /* that one function starts */
#define THREAD_NS 1e6L	    /* of a thread's computing: one that does more is worth its start */
#define IN_TURN 10	    /* threads one after another */
#define IN_TURN_PART 0.8L   /* of what all started threads live, and of what is waited for these */
#define BUSY_PART 0.5L	    /* of that: who waits for them computes, perhaps beside them */
#define ALL_ALONG_PART 0.5L /* of the run: a thread that lives so long is for something else */
#define REGIONS 1000	    /* that begin at one place */
#define REGION_NS 10000.0L  /* of a thread's computing in one: what does more is worth its begin */
#define REGION_PART 0.5L    /* of the time of a region that is not this computing */
#define CONNECTIONS 100	    /* that one function makes */
#define PART_OF_CALLS 0.8L  /* of the connections: so many are closed again */

/* Calls of a kind by one function, at all places. */
struct made {
	const struct row *most; /* the place with most calls; NULL: there is none */
	uint64_t calls;
	long double elapsed, on_cpu; /* of all threads, ns */
	long double on_one_thread;
};

static int is_named(const struct finder *finder, const struct row *edge, const char *const *names)
{
	return computing_is_one_of(call_graph_entity(finder->graph, edge->entity), names);
}

static struct made made_by(const struct finder *finder, uint32_t caller, const char *const *names)
{
	struct made made = { 0 };
	size_t n;
	const struct row **out = call_graph_out(finder->graph, caller, &n);

	for (size_t i = 0; i < n; i++) {
		if (!is_named(finder, out[i], names))
			continue;
		made.calls += out[i]->calls;
		made.elapsed += out[i]->sums.elapsed_inclusive;
		made.on_cpu += out[i]->sums.elapsed_inclusive - out[i]->sums.off_cpu_inclusive;
		made.on_one_thread +=
			finder_on_one_thread(finder, out[i], out[i]->sums.elapsed_inclusive, SHARE_ELAPSED);
		if (!made.most || out[i]->calls > made.most->calls)
			made.most = out[i];
	}
	return made;
}

static struct finding *found(struct finder *finder, const struct finding_rule *rule, const struct made *made,
			     long double time)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = call_graph_caller(made->most);
	finding->edge = made->most;
	finding->look_at = made->most->entity;
	finding->verb = "callers --sites";
	finding->time = time;
	return finding;
}

/* ---- threads --------------------------------------------------------------------------------- */

static const char *const thread_makers[] = { "pthread_create", "thrd_create",
					     "_ZNSt6thread15_M_start_thread*", NULL };

/* Returns the mean processor time of a started thread, ns, or INFINITY: it is not known, or no
 * thread was started. */
static long double computed_each(const struct finder *finder, uint64_t started)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	long double sum = 0;

	for (size_t i = 0; i < facts->n; i++)
		if (facts->list[i].tid != facts->list[i].pid)
			sum += fmaxl(0, facts->list[i].elapsed - facts->list[i].off_cpu);
	return started && sum > 0 ? sum / (long double)started : INFINITY;
}

/* Joins of threads that live so short are as long as it takes to start and to end these. */
static long double ends_of(const struct finder *finder, uint32_t caller)
{
	static const char *const ends[] = { "pthread_join", "thrd_join", "_ZNSt6thread4joinEv", NULL };

	return made_by(finder, caller, ends).on_one_thread;
}

static void tell_threads(struct finder *finder, const struct finding_rule *rule, uint32_t caller)
{
	struct made made = made_by(finder, caller, thread_makers);
	long double each = computed_each(finder, made.calls), time;
	struct finding *finding;

	if (made.calls < THREADS || each > THREAD_NS)
		return;
	time = made.on_one_thread + ends_of(finder, caller);
	if (time - each * (long double)made.calls / finder->threads_at_once < time / 2)
		return;
	finding = found(finder, rule, &made, time);
	strbuf_puts(&finding->text, "starts ");
	strbuf_thousands(&finding->text, made.calls);
	strbuf_puts(&finding->text, " threads that hardly live: each computes ");
	strbuf_duration(&finding->text, each);
	strbuf_puts(&finding->text, ", and takes ");
	strbuf_duration(&finding->text, time / (long double)made.calls);
	strbuf_puts(&finding->text, " to start and to end");
}

static void threads(struct finder *finder, const struct finding_rule *rule)
{
	for (uint32_t e = 0; e < finder->graph->n_entities; e++)
		if (computing_is_own(&finder->computing, e))
			tell_threads(finder, rule, e);
}

/* ---- parallel regions ------------------------------------------------------------------------ */

static const char *const region_makers[] = { "GOMP_parallel*", NULL };
static const char *const barriers[] = { "GOMP_barrier", "pthread_barrier_wait", NULL };

/* Returns the processor time of a region in one thread, ns: of the longest that may have begun at
 * this place, as each of the threads has called it about as often. INFINITY: none is known. */
static long double computed_in_region(const struct finder *finder, const struct row *begins)
{
	long double longest = -1;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		const struct row *region = finder->graph->nodes[e];
		long double each;

		if (!region || !names_is_region(call_graph_entity(finder->graph, e)) ||
		    region->calls < begins->calls)
			continue;
		each = (region->sums.elapsed_inclusive - region->sums.off_cpu_inclusive) /
		       (long double)region->calls;
		longest = fmaxl(longest, each);
	}
	return longest < 0 ? INFINITY : longest;
}

static void tell_regions(struct finder *finder, const struct finding_rule *rule, const struct row *begins)
{
	long double each = computed_in_region(finder, begins), n = (long double)begins->calls;
	long double all = finder_on_one_thread(finder, begins, begins->sums.elapsed_inclusive, SHARE_ELAPSED);
	struct made made = { .most = begins };
	struct finding *finding;

	if (each > REGION_NS || all - each * n < REGION_PART * all)
		return;
	finding = found(finder, rule, &made, all - each * n);
	strbuf_puts(&finding->text, "begins a parallel region ");
	strbuf_thousands(&finding->text, begins->calls);
	strbuf_puts(&finding->text, " times, ");
	strbuf_duration(&finding->text, all / n);
	strbuf_puts(&finding->text, " each for ");
	strbuf_duration(&finding->text, each);
	strbuf_puts(&finding->text, " of computing in a thread; share out the loop around it");
}

/* Threads that meet at a barrier, and compute little in between. */
static void tell_barrier(struct finder *finder, const struct finding_rule *rule, const struct row *barrier)
{
	uint32_t caller = call_graph_caller(barrier);
	struct made made = made_by(finder, caller, barriers);
	const struct row *node = finder->graph->nodes[caller];
	long double n = (long double)made.calls, work;
	struct finding *finding;

	if (made.most != barrier || !node)
		return;
	work = fmaxl(0, node->sums.elapsed_inclusive - node->sums.off_cpu_inclusive - made.on_cpu);
	if (work > REGION_NS * n || work > made.elapsed)
		return;
	finding = found(finder, rule, &made, made.on_one_thread);
	strbuf_puts(&finding->text, "waits for the other threads ");
	strbuf_thousands(&finding->text, made.calls);
	strbuf_puts(&finding->text, " times, ");
	strbuf_duration(&finding->text, made.elapsed / n);
	strbuf_puts(&finding->text, " each, and computes ");
	strbuf_duration(&finding->text, work / n);
	strbuf_puts(&finding->text, " in between; share out the loop around it");
}

static void regions(struct finder *finder, const struct finding_rule *rule)
{
	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		size_t n;
		const struct row **in = call_graph_in(finder->graph, e, &n);

		for (size_t i = 0; i < n; i++) {
			if (in[i]->calls < REGIONS ||
			    !computing_is_own(&finder->computing, call_graph_caller(in[i])))
				continue;
			if (is_named(finder, in[i], region_makers))
				tell_regions(finder, rule, in[i]);
			else if (is_named(finder, in[i], barriers))
				tell_barrier(finder, rule, in[i]);
		}
	}
}

/* ---- threads one after another --------------------------------------------------------------- */

/* Started threads of a process, but for those that live all along: while one of `n` lived, no other
 * one did. */
struct in_turn {
	size_t n;
	long double life, life_of_all; /* ns */
	long double awaited, busy;     /* of the thread that has most waits for others */
};

ORDER_POINTERS(by_begin, struct thread_fact, ORDER(x->begin, y->begin))

static long double life_of(const struct thread_fact *thread)
{
	return fmaxl(0, thread->end - thread->begin);
}

static void add_alone(struct in_turn *turns, const struct thread_fact **list, size_t n)
{
	long double busy_to = -INFINITY;

	util_sort(list, n, sizeof(*list), by_begin, NULL);
	for (size_t i = 0; i < n; i++) {
		turns->life_of_all += life_of(list[i]);
		if (list[i]->begin >= busy_to && (i + 1 == n || list[i]->end <= list[i + 1]->begin)) {
			turns->n++;
			turns->life += life_of(list[i]);
		}
		busy_to = fmaxl(busy_to, list[i]->end);
	}
}

/* Examines the threads of the process that begins at `first` of the facts. Returns where the next
 * process begins. */
static size_t in_turn_of(const struct finder *finder, size_t first, struct in_turn *turns)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	const struct thread_fact **list = xcalloc(facts->n - first + 1, sizeof(*list));
	uint32_t pid = facts->list[first].pid;
	size_t i = first, n = 0;

	*turns = (struct in_turn){ 0 };
	for (; i < facts->n && facts->list[i].pid == pid; i++) {
		const struct thread_fact *thread = &facts->list[i];

		if (thread->for_others + thread->in_once > turns->awaited) {
			turns->awaited = thread->for_others + thread->in_once;
			turns->busy = thread->elapsed - thread->off_cpu + thread->preempted;
		}
		if (thread->tid != pid && life_of(thread) < ALL_ALONG_PART * finder->wall)
			list[n++] = thread;
	}
	add_alone(turns, list, n);
	free(list);
	return i;
}

static const struct group starting = { .globs = thread_makers, .counted = thread_makers };

static void tell_in_turn(struct finder *finder, const struct finding_rule *rule, const struct in_turn *turns)
{
	const struct group_use *most = NULL;
	struct group_uses uses;
	struct finding *finding;

	group_uses_make(&uses, &finder->computing, &starting);
	for (size_t i = 0; i < uses.n; i++)
		most = !most || uses.list[i].calls > most->calls ? &uses.list[i] : most;
	if (most) {
		finding = finding_new(finder, rule);
		finding->about = most->entity;
		finding->edge = most->edge;
		finding->look_at = most->edge->entity;
		finding->verb = "callers --sites";
		finding->time = turns->life / finder->at_once;
		strbuf_printf(&finding->text, "starts %zu threads one after another, ", turns->n);
		strbuf_duration(&finding->text, turns->life / (long double)turns->n);
		strbuf_puts(&finding->text, " each: waits for each before it starts the next; start several, "
					    "then wait");
	}
	group_uses_release(&uses);
}

static void in_turn(struct finder *finder, const struct finding_rule *rule)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	struct in_turn turns;

	for (size_t i = 0; i < facts->n;) {
		i = in_turn_of(finder, i, &turns);
		if (turns.n >= IN_TURN && turns.life >= IN_TURN_PART * turns.life_of_all &&
		    turns.awaited >= IN_TURN_PART * turns.life && turns.busy <= BUSY_PART * turns.life)
			tell_in_turn(finder, rule, &turns);
	}
}

/* ---- connections ----------------------------------------------------------------------------- */

static const char *const connecting[] = { "connect", NULL };
static const char *const around[] = { "connect", "socket",	"close",	"shutdown",	 "setsockopt",
				      "bind",	 "getaddrinfo", "freeaddrinfo", "gethostbyname", NULL };

static uint64_t calls_of(const struct finder *finder, const char *name)
{
	uint64_t calls = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		const char *assembler = call_graph_entity(finder->graph, e)->assembler;

		if (assembler && !strcmp(assembler, name))
			calls += call_graph_calls(finder->graph, e);
	}
	return calls;
}

/* Closing may be the caller's task: what others do around it counts where one caller has all. */
static long double time_around(const struct finder *finder, uint32_t caller)
{
	const struct row *above = call_graph_main_caller(finder->graph, caller);
	long double time = made_by(finder, caller, around).on_one_thread;

	return above ? time + made_by(finder, call_graph_caller(above), around).on_one_thread : time;
}

static void connections(struct finder *finder, const struct finding_rule *rule)
{
	uint64_t closed = calls_of(finder, "close");

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		struct made made = made_by(finder, e, connecting);
		struct finding *finding;

		if (made.calls < CONNECTIONS ||
		    (long double)closed < PART_OF_CALLS * (long double)made.calls ||
		    !computing_is_own(&finder->computing, e))
			continue;
		finding = found(finder, rule, &made, time_around(finder, e));
		strbuf_puts(&finding->text, "makes a connection again and again: ");
		strbuf_thousands(&finding->text, made.calls);
		strbuf_puts(&finding->text, " calls of connect; with what makes and closes a socket ");
		strbuf_duration(&finding->text, finding->time / (long double)made.calls);
		strbuf_puts(&finding->text, " each");
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct finding_rule findings_anew_rules[] = {
	{ "CF0404", "threads that hardly live", OF_TIMED | OF_SINGLE | OF_WAITING | OF_COMPUTING, 65, MUCH,
	  threads,
	  "Calls that start a thread, 200 and more by one function, where a thread computes less than 1 ms "
	  "in "
	  "the mean, and less than it takes to start it and to wait for its end.",
	  "What starting the threads and waiting for their ends takes in the function that does so.",
	  "To start a thread and to end it takes 10 to 100 us, and a new one finds nothing in the caches of "
	  "its processor.",
	  "Start as many threads as there are processors once, and give them work through a queue; give a "
	  "thread a hundred pieces of work, not one; do little pieces without a thread.",
	  "The threads are meant to wait for something, not to compute." },
	{ "CF0407", "parallel regions that hardly work", OF_TIMED | OF_SINGLE | OF_WAITING | OF_COMPUTING, 66,
	  MUCH, regions,
	  "Parallel regions of OpenMP that begin at one place: 1,000 and more, in which a thread computes 10 "
	  "us "
	  "at most, where half of the region's time and more is not this computing. Where several regions "
	  "begin as often, that with the longest is looked at. And barriers (those of OpenMP, "
	  "pthread_barrier_wait): as many, with as much computing in between.",
	  "The time from their begin to their end in the thread that begins them, less what it computes; of "
	  "barriers, that in the thread that waits most.",
	  "The threads of a team are told what to do, and waited for: 1 to 20 us, and some ms where another "
	  "program has the processor of one of them.",
	  "The region around the outer loop (#pragma omp parallel for there, or omp parallel around it and "
	  "omp for within, with nowait where it can be); an if clause that leaves small ones to one thread; "
	  "collapse; simd.",
	  "The loop is seldom so short: with larger input it has more to do." },
	{ "CF0405", "threads one after another", OF_TIMED | OF_SINGLE | OF_WAITING | OF_COMPUTING, 64, MUCH,
	  in_turn,
	  "Threads of a process that live while no other one does that it started, but for such as live for "
	  "half of the run: ten and more, with 80 % of what all of these live. A thread of the process waits "
	  "for others (joins, condition variables, std::future) for 80 % of that and more, and computes for "
	  "half of it at most.",
	  "The lives of these threads. Side by side they take their part of that, as far as one does not "
	  "need what another one has made, and on the processors there are.",
	  "Nothing goes on at the same time: what the thread does its starter could have done, without the "
	  "cost of a thread.",
	  "Start all of them, then wait for all: keep each std::future in a list, and get() when the last "
	  "one has begun. A std::future of std::async that is not kept is waited for at once.",
	  "Each thread needs the result of the one before." },
	{ "CF0332", "a connection for each request", OF_TIMED | OF_WAITING | OF_COMPUTING, 65, MUCH,
	  connections,
	  "Calls of connect, 100 and more by one function, in a program that closes as many files.",
	  "What connect takes, with socket, setsockopt, bind, getaddrinfo, shutdown and close in the "
	  "function "
	  "and in the one that calls it. What the other side does meanwhile is not in it.",
	  "A connection takes three packets, and the other side has to accept it, before the first byte "
	  "arrives; with TLS it takes several times as long.",
	  "Keep the connection for the next request (keep-alive, a pool of connections); send several "
	  "requests at once.",
	  "Each is to another address." },
};
const size_t findings_n_anew_rules = ARRAY_SIZE(findings_anew_rules);
