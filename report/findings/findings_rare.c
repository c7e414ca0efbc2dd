/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_rare.c - the rule on functions few of whose calls take most of the time: CF0105. */
#include <math.h>

#include "findings_computing.h"
#include "lock_holders.h"

#define CALLS_LEAST 100
#define TIME_LEAST 5e6L	 /* ns: in a run of some ms first uses of all kinds look the same */
#define RARE_PART 0.05L	 /* of the calls */
#define SLOW_TIMES 10	 /* what half of the calls take at most */
#define SLOW_NS 20000.0L /* ... and a call that is slow at least */
#define SLOW_PART 0.3L	 /* of all of the function's time */
/* Of all that the function, or the session, computes: more is work that is done by the piece, as
 * when a buffer is full. */
#define COMPUTING_PART 0.8L
#define SHORT_PART 0.5L	  /* the same of the function, where each is short */
#define LONG_NS 5e6L	  /* if it is the function's alone, so long work is told all the same */
#define LATE_PART 0.5L	  /* of the slow calls' time: so long others had the processors */
#define WAITING_PART 0.5L /* of what they take, or they compute */
#define TURN_NS 3e6L	  /* for which another thread has the processor */
#define LOST_PART 0.1L	  /* ... is little: the longest of them has not lost its processor */
#define CALLEE_PART 0.6L  /* of the slow calls' time is one callee's */
#define CALLEE_CALLS 3	  /* for each slow call, or it is no rare one */

static long double least_slow(long double median)
{
	return fmaxl(SLOW_TIMES * median, SLOW_NS);
}

int computing_is_rarely_slow(const struct durations *durations, struct slow_calls *slow)
{
	long double least;

	*slow = (struct slow_calls){ 0 };
	if (durations->n < CALLS_LEAST)
		return 0;
	slow->median = durations_quantile(durations, 0.5);
	least = least_slow(slow->median);
	slow->n = durations_above(durations, least, &slow->ns);
	return slow->n && (long double)slow->n <= RARE_PART * (long double)durations->n;
}

/* Calls that a slow call makes and others do not: those of the callee that takes most. */
static const struct row *cause_of(const struct finder *finder, uint32_t entity, const struct slow_calls *slow)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, entity, &n), *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (out[i]->entity != entity &&
		    (!most || out[i]->sums.elapsed_inclusive > most->sums.elapsed_inclusive))
			most = out[i];
	return most && most->sums.elapsed_inclusive >= CALLEE_PART * slow->ns ? most : NULL;
}

static uint64_t voluntary(const struct row *row)
{
	return row->os ? row->os->exclusive.of[OS_VOLUNTARY] : 0;
}

/*
 * Is it the function that has the choice? Either it makes few calls of what takes the time, or it
 * calls it each time and that is a function of the system, of which no more is known. What else is
 * slow by itself must have waited: a thread that has lost its processor looks the same.
 */
static int is_place(const struct finder *finder, uint32_t entity, const struct row *cause,
		    const struct slow_calls *slow)
{
	if (!cause)
		return 2 * voluntary(finder->graph->nodes[entity]) >= slow->n;
	if (cause->calls <= CALLEE_CALLS * slow->n)
		return 1;
	return !computing_is_own(&finder->computing, cause->entity) && cause->os &&
	       2 * cause->os->inclusive.of[OS_VOLUNTARY] >= slow->n;
}

/* Waits for work, for others to end or for input are what such functions are for. Who gives back a
 * lock loses the processor to who waits for it. */
static int is_meant_to_wait(const struct finder *finder, const struct row *cause, uint32_t *path, size_t *n)
{
	uint8_t known;

	*n = cause ? call_leads_to(finder, cause, path, FINDING_PATH) : 0;
	known = *n ? finder->known[path[*n - 1]] : KNOWN_NOT;
	return known == KNOWN_CONDITION || known == KNOWN_JOIN || known == KNOWN_POLL ||
	       known == KNOWN_SEMAPHORE || known == KNOWN_CHILD || known == KNOWN_UNLOCK;
}

/*
 * Has who answers had no processor meanwhile? What the calls wait for is no disk, and threads of
 * the program have lost their processors for about as long.
 */
static int is_answered_late(const struct finder *finder, const struct row *cause,
			    const struct slow_calls *slow, const uint32_t *path, size_t n)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	long double lost = 0;

	if (!n || finder->known[path[n - 1]] != KNOWN_INPUT || facts->n < 2 ||
	    (cause->os && cause->os->inclusive.of[OS_BLOCK_IN]))
		return 0;
	for (size_t i = 0; i < facts->n; i++)
		lost += facts->list[i].preempted;
	return lost >= LATE_PART * slow->ns;
}

static long double on_cpu(const struct row *row)
{
	return row->sums.elapsed_inclusive - row->sums.off_cpu_inclusive;
}

/* Are the slow calls slow because they wait? Some work waits a little, too. */
static int has_waited(const struct row *cause, const struct slow_calls *slow)
{
	return cause->os && 2 * cause->os->inclusive.of[OS_VOLUNTARY] >= slow->n &&
	       cause->sums.off_cpu_inclusive >= WAITING_PART * cause->sums.elapsed_inclusive;
}

/*
 * Has a thread lost its processor in these calls, and the callee neither waited nor computed as
 * long as a slow call takes? Of a callee that is counted at times, only some calls are known.
 */
static int is_chance(const struct row *cause, const struct slow_calls *slow)
{
	return cause && !has_waited(cause, slow) &&
	       (cause->are_calls_least ||
		on_cpu(cause) < least_slow(slow->median) * (long double)cause->calls);
}

/*
 * Others had the processor in what makes a call slow. Where a slow call is shorter than the turn
 * that another thread gets, calls that have lost the processor elsewhere are slow ones as well.
 */
static void leave_out_lost(const struct row *node, const struct row *cause, struct slow_calls *slow)
{
	int is_any = least_slow(slow->median) < TURN_NS;
	long double lost = is_any  ? node->sums.preempted_inclusive
			   : cause ? cause->sums.preempted_inclusive
				   : node->sums.preempted_exclusive;

	slow->lost = fminl(lost, slow->ns);
	slow->ns -= slow->lost;
	if (lost > 0 && cause && cause->calls && !cause->are_calls_least &&
	    cause->calls < slow->n) /* the others were slow for nothing else */
		slow->n = cause->calls;
}

/* None took longer than the longest. What slots and counted calls tell is about. */
static void keep_to_longest(const struct row *node, struct slow_calls *slow)
{
	long double longest = node->longest[VALUE_ELAPSED_INCLUSIVE];

	if (longest > 0)
		slow->ns = fminl(slow->ns, (long double)slow->n * longest);
}

/* A first call sets up what all others use. */
static int is_set_up(const struct row *cause, const struct slow_calls *slow)
{
	return slow->n == 1 && cause && !has_waited(cause, slow) && slow->ns < LONG_NS;
}

/* Is it the work that the function, or the program, is for? Waits are none. */
static int is_the_work(const struct finder *finder, const struct row *node, const struct row *cause,
		       const struct slow_calls *slow)
{
	const struct totals *t = finder->t;
	int is_long = slow->ns >= LONG_NS * (long double)slow->n;

	if (!cause || has_waited(cause, slow))
		return 0;
	return (!is_long && on_cpu(cause) > SHORT_PART * on_cpu(node)) ||
	       on_cpu(cause) > COMPUTING_PART * (t->elapsed - waits_sum(&t->facts.waits));
}

static void put_slow(const struct finder *finder, struct strbuf *text, const struct row *node,
		     const struct slow_calls *slow, const uint32_t *path, size_t n)
{
	strbuf_puts(text, "rare slow calls: half take at most ");
	strbuf_duration(text, slow->median);
	strbuf_puts(text, ", but ");
	strbuf_thousands(text, slow->n);
	strbuf_puts(text, " of ");
	strbuf_thousands(text, node->durations.n);
	strbuf_puts(text, slow->n == 1 ? " takes " : " take ");
	strbuf_duration(text, slow->ns / (long double)slow->n);
	if (slow->n > 1)
		strbuf_puts(text, " on the average");
	if (slow->n > 1 && slow->lost <= LOST_PART * slow->ns) {
		strbuf_puts(text, ", up to ");
		strbuf_duration(text, node->longest[VALUE_ELAPSED_INCLUSIVE]);
	}
	for (size_t i = 0; i < n; i++) {
		strbuf_puts(text, i ? " > " : "; most of it in ");
		finding_put_name(finder, text, path[i]);
	}
}

/* What computes waits less for its processor, where it computes less. */
static long double time_of(const struct finder *finder, const struct row *node, const struct row *cause,
			   const struct slow_calls *slow)
{
	long double ns = slow->ns - (long double)slow->n * slow->median;
	int is_computing = cause && !has_waited(cause, slow);

	return finder_on_one_thread(finder, node, (is_computing ? finder_slowed(finder) : 1) * ns,
				    SHARE_ELAPSED);
}

static void look_at(struct finder *finder, const struct finding_rule *rule, uint32_t entity)
{
	const struct row *node = finder->graph->nodes[entity], *cause;
	struct finding *finding;
	uint32_t path[FINDING_PATH];
	long double time;
	struct slow_calls slow;
	size_t n;

	if (!node || node->is_recursive || !computing_is_own(&finder->computing, entity) ||
	    !computing_is_rarely_slow(&node->durations, &slow))
		return;
	cause = cause_of(finder, entity, &slow);
	leave_out_lost(node, cause, &slow);
	keep_to_longest(node, &slow);
	if (slow.ns < SLOW_PART * (node->activations_elapsed - node->sums.preempted_inclusive) ||
	    !is_place(finder, entity, cause, &slow) || is_chance(cause, &slow) || is_set_up(cause, &slow) ||
	    is_the_work(finder, node, cause, &slow) || is_meant_to_wait(finder, cause, path, &n) ||
	    is_answered_late(finder, cause, &slow, path, n))
		return;
	time = time_of(finder, node, cause, &slow);
	if (time < TIME_LEAST)
		return;
	finding = finding_new(finder, rule);
	finding->about = finding->look_at = entity;
	finding->edge = cause;
	finding_set_path(finding, path, n);
	finding->verb = "callers --sites";
	finding->time = time;
	put_slow(finder, &finding->text, node, &slow, path, n);
}

static void rare_slow(struct finder *finder, const struct finding_rule *rule)
{
	for (uint32_t e = 0; e < finder->graph->n_entities; e++)
		look_at(finder, rule, e);
}

const struct finding_rule findings_rare_rules[] = {
	{ "CF0105", "rare slow calls", OF_TIMED | OF_WAITING | OF_COMPUTING, 75, 1, rare_slow,
	  "Of each function with 100 calls and more: calls that take ten times as long as half of the calls "
	  "do, and 20 us. It is reported if they are at most 5 % of the calls and take 30 % of the "
	  "function's time, at the function that makes the difference: it calls seldom what takes the time, "
	  "or has waited itself. If they compute, and are over 50 % of the function's computing, they are "
	  "reported only if each takes 5 ms and more; if they are over 80 % of the session's, not at all: "
	  "they are the work. Time for which others had the processor is left out. A single slow call that "
	  "computes for less than 5 ms is not reported: it sets up what the others use; nor is less than 5 "
	  "ms "
	  "in all.",
	  "What the slow calls take more than the others, on the thread with the most of it.",
	  "The average hides them. Who waits for an answer does not: it is the slow ones that users notice.",
	  "Look at what these calls do that others do not: fill a cache, write it back, open a file again, "
	  "make a table larger. Do it ahead, in another thread, or in small parts.",
	  "The calls are of different kinds, and the slow ones have more to do; or they wait on purpose. A "
	  "first call that sets up what all others use." },
};
const size_t findings_n_rare_rules = ARRAY_SIZE(findings_rare_rules);
