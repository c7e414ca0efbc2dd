/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings_waiting.c - rules on time in which threads wait for one another, CF01xx.
 *
 * Waits for locks are reported by the function that holds them meanwhile, as that is what can be
 * changed: one finding for each likely holder, by one of three rules, for all functions that wait
 * for it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lock_holders.h"

#define WAITS_LEAST 2
/* Who is known to have given back the lock for so much of the waits held it; a word on how much is
 * left out where it is almost all. */
#define KNOWN_PART 0.5L
#define MOST_PART 0.95L
/* Nobody is known to have held the lock for long: then a thread that held it may have lost its
 * processor, which happens now and then to everybody. So many waits, and of the calls, are more. */
#define UNKNOWN_WAITS 20
#define UNKNOWN_PART 0.01L
#define CONVOY_WAITS 300    /* so many short ones are a convoy ... */
#define CONVOY_NS 200000.0L /* ... on the average */
#define PATH_MAX_SHOWN 4
#define WAITERS_SHOWN 2
#define SPIN_CALLS 1000 /* at one place */
#define HERD_WAITS 1000 /* at one place */
#define HERD_TIMES 2	/* so many waits for each lock that is taken */
#define WRITES_LEAST 1000
/* The part of a lock's processor time that a mutex saves: a pair of calls takes 17 ns, there 11. */
#define WRITES_PART (1.0L / 3)
#define SPIN_FOR_EACH 20.0L /* call of the function around it */

/* ---- waits for locks ------------------------------------------------------------------------- */

/* Waits that one function has likely caused; where that is not known, one function's waits. */
struct contention {
	uint32_t key; /* entity */
	const struct lock_holder *holder;
	/* who is known to have held it; NAMES_NONE: the holder is likely */
	struct wait_holder known;
	const struct row **waits;
	size_t n;
	long double waited;
	uint64_t times;
	struct contention *next;
};

static uint64_t waits_in(const struct row *row)
{
	return row->os ? row->os->inclusive.of[OS_VOLUNTARY] : 0;
}

/* Whether the function that takes the lock at this call gives as many back, but for `open`. */
static int is_given_back(const struct finder *finder, const struct row *edge, uint64_t open)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, call_graph_caller(edge), &n);
	uint64_t given = 0;

	for (size_t i = 0; i < n; i++)
		given += finder->known[out[i]->entity] == KNOWN_UNLOCK ? out[i]->calls : 0;
	return given + open >= edge->calls;
}

/* A semaphore is a lock for those who give it back themselves; else it tells that there is work. */
static int is_lock_wait(const struct lock_holders *holders, const struct row *edge)
{
	uint32_t known = holders->finder->known[edge->entity], caller = call_graph_caller(edge);

	if (known < KNOWN_LOCK || known > KNOWN_SEMAPHORE || caller == NAMES_NONE ||
	    waits_in(edge) < WAITS_LEAST)
		return 0;
	return known != KNOWN_SEMAPHORE ||
	       (is_given_back(holders->finder, edge, 0) &&
		!wait_facts_is_signal(&holders->finder->input->edges->waits, caller));
}

/* From a function that only takes the lock for others, as std::mutex::lock does, to the one that
 * calls it: the call of it there that has waited longest. */
static const struct row *real_wait(const struct lock_holders *holders, const struct row *edge)
{
	const struct call_graph *graph = holders->finder->graph;

	for (int level = 0; level < 8 && holders->takes[call_graph_caller(edge)] > 0; level++) {
		size_t n;
		const struct row **in = call_graph_in(graph, call_graph_caller(edge), &n), *most = NULL;

		for (size_t i = 0; i < n; i++)
			if (!most || in[i]->sums.off_cpu_inclusive > most->sums.off_cpu_inclusive)
				most = in[i];
		if (!most || call_graph_caller(most) == NAMES_NONE)
			break;
		edge = most;
	}
	return edge;
}

/* Who held what the call waited for, by what threads have noted: of the function that calls, or
 * of the one that it takes the lock through. */
static struct wait_holder known_holder(const struct lock_holders *holders, const struct row *edge,
				       const struct row *wait)
{
	const struct wait_facts *facts = &holders->finder->input->edges->waits;
	struct wait_holder known = wait_facts_holder(facts, call_graph_caller(edge));

	if (known.entity == NAMES_NONE)
		known = wait_facts_holder(facts, call_graph_caller(wait));
	if (known.part < KNOWN_PART)
		known.entity = NAMES_NONE;
	return known;
}

static void add_wait(struct contention **list, const struct lock_holders *holders, const struct row *wait)
{
	const struct row *edge = real_wait(holders, wait);
	uint32_t waiter = call_graph_caller(edge);
	struct wait_holder known = known_holder(holders, edge, wait);
	const struct lock_holder *holder =
		known.entity == NAMES_NONE ? lock_holder_of(holders, waiter, edge->sums.off_cpu_inclusive)
		: holders->of[known.entity] == NAMES_NONE ? NULL
							  : &holders->list[holders->of[known.entity]];
	uint32_t key = known.entity != NAMES_NONE ? known.entity : holder ? holder->entity : waiter;
	struct contention *c = *list;

	while (c && c->key != key)
		c = c->next;
	if (!c) {
		c = xcalloc(1, sizeof(*c));
		*c = (struct contention){ .key = key, .known = known, .next = *list };
		*list = c;
	}
	c->holder = holder ? holder : c->holder;
	c->waits = xrealloc(c->waits, c->n + 1, sizeof(*c->waits));
	c->waits[c->n++] = edge;
	c->waited += edge->sums.off_cpu_inclusive;
	c->times += waits_in(edge);
}

ORDER_POINTERS(by_wait, struct row, ORDER(y->sums.off_cpu_inclusive, x->sums.off_cpu_inclusive), ORDER(x, y))

static struct contention *contentions_make(const struct lock_holders *holders)
{
	const struct finder *finder = holders->finder;
	struct contention *list = NULL;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		size_t n = 0;
		const struct row **in = finder->known[e] ? call_graph_in(finder->graph, e, &n) : NULL;

		for (size_t i = 0; i < n; i++)
			if (is_lock_wait(holders, in[i]))
				add_wait(&list, holders, in[i]);
	}
	for (struct contention *c = list; c; c = c->next)
		util_sort(c->waits, c->n, sizeof(*c->waits), by_wait, NULL);
	return list;
}

static void contentions_release(struct contention *list)
{
	while (list) {
		struct contention *next = list->next;

		free(list->waits);
		free(list);
		list = next;
	}
}

/* ---- in words -------------------------------------------------------------------------------- */

static const char *lock_word(enum known_function known)
{
	return known == KNOWN_READ_LOCK	   ? "to read under a read-write lock"
	       : known == KNOWN_WRITE_LOCK ? "to write under a read-write lock"
	       : known == KNOWN_SEMAPHORE  ? "for a semaphore"
					   : "for a lock";
}

/* What the holder does that is no work of the processor; NULL: it computes, or it is not known. */
static const char *blocking_word(enum known_function known)
{
	return known == KNOWN_SLEEP    ? "sleeps"
	       : known == KNOWN_INPUT  ? "reads"
	       : known == KNOWN_OUTPUT ? "writes"
	       : known == KNOWN_SYNC   ? "waits for a disk"
	       : known == KNOWN_POLL   ? "waits for input"
	       : known == KNOWN_CHILD  ? "waits for a process"
				       : NULL;
}

static void put_path(const struct finder *finder, struct strbuf *text, const uint32_t *path, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (n > PATH_MAX_SHOWN && i == 1) {
			strbuf_puts(text, " > ...");
			i = n - 2;
		}
		strbuf_puts(text, i ? " > " : "");
		finding_put_name(finder, text, path[i]);
	}
}

/* "568 ms in 4 threads, 71 waits of up to 77.6 ms" */
static void put_waits(const struct finder *finder, struct strbuf *text, const struct contention *c)
{
	long double longest = 0;
	uint32_t threads = 0;

	for (size_t i = 0; i < c->n; i++) {
		uint32_t these = finder_threads(finder, c->waits[i]);

		threads = these > threads ? these : threads;
		if (c->waits[i]->longest[VALUE_ELAPSED_INCLUSIVE] > longest)
			longest = c->waits[i]->longest[VALUE_ELAPSED_INCLUSIVE];
	}
	strbuf_duration(text, c->waited);
	strbuf_puts(text, " in ");
	output_plural(text, threads, "thread", "s");
	strbuf_puts(text, ", ");
	output_plural(text, c->times, "wait", "s");
	if (longest > 0) {
		strbuf_puts(text, " of up to ");
		strbuf_duration(text, longest);
	}
}

static void put_waiters(const struct finder *finder, struct strbuf *text, const struct contention *c)
{
	for (size_t i = 0; i < c->n && i < WAITERS_SHOWN; i++) {
		strbuf_puts(text, i ? ", " : " at ");
		finding_put_call(finder, text, c->waits[i]);
	}
	if (c->n > WAITERS_SHOWN)
		strbuf_printf(text, " and %zu more places", c->n - WAITERS_SHOWN);
}

/* Threads that wait at different places are taken for the same ones if they are as many. */
static long double time_of(const struct finder *finder, const struct contention *c)
{
	long double most = 0;

	for (size_t i = 0; i < c->n; i++) {
		uint32_t threads = finder_threads(finder, c->waits[i]);
		long double time = 0;

		for (size_t k = 0; k < c->n; k++)
			if (finder_threads(finder, c->waits[k]) == threads)
				time += finder_on_one_thread(finder, c->waits[k],
							     c->waits[k]->sums.off_cpu_inclusive,
							     SHARE_OFF_CPU);
		most = fmaxl(most, time);
	}
	return most;
}

static struct finding *contention_new(struct finder *finder, const struct finding_rule *rule,
				      const struct contention *c)
{
	struct finding *finding = finding_new(finder, rule);

	finding->edge = c->waits[0];
	finding->about = call_graph_caller(finding->edge);
	finding->time = time_of(finder, c);
	finding->verb = c->known.entity == NAMES_NONE ? "callers --sites" : "waits";
	finding->look_at = c->known.entity == NAMES_NONE ? finding->edge->entity : NAMES_NONE;
	return finding;
}

/* ---- the three rules ------------------------------------------------------------------------- */

enum contention_kind { HELD_COMPUTING, HELD_BLOCKED, CONVOY, BY_CHANCE, PARKED };

static uint64_t calls_of(const struct contention *c)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < c->n; i++)
		calls += c->waits[i]->calls;
	return calls;
}

/* Is the lock a gate, at which threads wait until there is work? Who keeps it shut took the lock in
 * another function than the one that gives it back, and who has waited gives it back, too. */
static int is_gate(const struct finder *finder, const struct contention *c)
{
	const struct profile *edges = finder->input->edges;

	if (c->known.entity == NAMES_NONE || c->holder)
		return 0;
	for (size_t i = 0; i < c->n; i++)
		if (!is_given_back(finder, c->waits[i], finder_threads(finder, c->waits[i])) ||
		    !wait_facts_is_parked(&edges->waits, &edges->thread_facts,
					  call_graph_caller(c->waits[i])))
			return 0;
	return 1;
}

/* What the holder does that takes the time; path[max] gets its functions, *n their number. */
static enum contention_kind kind_of(const struct finder *finder, const struct contention *c, uint32_t *path,
				    size_t max, size_t *n)
{
	const struct row *most = c->holder ? c->holder->most : NULL;

	if (is_gate(finder, c))
		return PARKED;
	*n = most ? call_leads_to(finder, most, path, max) : 0;
	if (*n && blocking_word((enum known_function)finder->known[path[*n - 1]]) &&
	    2 * most->sums.off_cpu_inclusive >= most->sums.elapsed_inclusive)
		return HELD_BLOCKED;
	if ((!c->holder || !lock_holder_explains(c->holder, c->waited)) &&
	    (c->times < UNKNOWN_WAITS || (long double)c->times < UNKNOWN_PART * (long double)calls_of(c)))
		return BY_CHANCE;
	return c->times >= CONVOY_WAITS && c->waited <= CONVOY_NS * (long double)c->times ? CONVOY
											  : HELD_COMPUTING;
}

/* " (table_lock)" */
static void put_object(struct strbuf *text, const struct contention *c)
{
	if (!c->known.object)
		return;
	strbuf_puts(text, " (");
	strbuf_visible(text, c->known.object);
	strbuf_puts(text, ")");
}

/* "; held by f", or how likely that is; 0: nobody is likely. */
static int put_holder(const struct finder *finder, struct strbuf *text, const struct contention *c)
{
	if (c->known.entity == NAMES_NONE && !c->holder)
		return 0;
	strbuf_puts(text, c->known.entity == NAMES_NONE ? "; likely held by " : "; held by ");
	finding_put_name(finder, text, c->known.entity == NAMES_NONE ? c->holder->entity : c->known.entity);
	if (c->known.entity != NAMES_NONE && c->known.part < MOST_PART) {
		strbuf_puts(text, " for ");
		finding_put_percent(text, 100 * c->known.part);
		strbuf_puts(text, " of it");
	}
	return 1;
}

static void tell_computing(struct finder *finder, const struct finding_rule *rule, const struct contention *c,
			   const uint32_t *path, size_t n)
{
	struct finding *finding = contention_new(finder, rule, c);
	struct strbuf *text = &finding->text;

	strbuf_printf(text, "waits %s", lock_word((enum known_function)finder->known[finding->edge->entity]));
	put_object(text, c);
	strbuf_puts(text, ": ");
	put_waits(finder, text, c);
	if (!put_holder(finder, text, c))
		return;
	if (n) {
		strbuf_puts(text, " while it is in ");
		put_path(finder, text, path, n);
	}
}

static void tell_blocked(struct finder *finder, const struct finding_rule *rule, const struct contention *c,
			 const uint32_t *path, size_t n)
{
	struct finding *finding = contention_new(finder, rule, c);
	struct strbuf *text = &finding->text;

	finding->about = c->holder->entity;
	finding->edge = c->holder->most;
	finding_set_path(finding, path, n);
	if (c->known.entity == NAMES_NONE)
		finding->look_at = c->waits[0]->entity;
	strbuf_printf(text, "%s (", blocking_word((enum known_function)finder->known[path[n - 1]]));
	put_path(finder, text, path, n);
	strbuf_puts(text, ") while it holds a lock");
	put_object(text, c);
	strbuf_puts(text, c->known.entity == NAMES_NONE ? " that others likely wait for: "
							: " that others wait for: ");
	put_waits(finder, text, c);
	put_waiters(finder, text, c);
}

static void tell_convoy(struct finder *finder, const struct finding_rule *rule, const struct contention *c)
{
	struct finding *finding = contention_new(finder, rule, c);
	struct strbuf *text = &finding->text;

	strbuf_puts(text, "takes a lock that others hold for a short time: ");
	put_waits(finder, text, c);
	strbuf_puts(text, ", in ");
	output_plural(text, calls_of(c), "call", "s");
}

static void tell(struct finder *finder, const struct finding_rule *rule, enum contention_kind kind)
{
	struct lock_holders holders;
	struct contention *list;

	lock_holders_make(&holders, finder);
	list = contentions_make(&holders);
	for (const struct contention *c = list; c; c = c->next) {
		uint32_t path[FINDING_PATH];
		size_t n;

		if (kind_of(finder, c, path, ARRAY_SIZE(path), &n) != kind)
			continue;
		if (kind == HELD_BLOCKED)
			tell_blocked(finder, rule, c, path, n);
		else if (kind == CONVOY)
			tell_convoy(finder, rule, c);
		else
			tell_computing(finder, rule, c, path, n);
	}
	contentions_release(list);
	lock_holders_release(&holders);
}

static void lock_waits(struct finder *finder, const struct finding_rule *rule)
{
	tell(finder, rule, HELD_COMPUTING);
}

static void blocked_under_lock(struct finder *finder, const struct finding_rule *rule)
{
	tell(finder, rule, HELD_BLOCKED);
}

static void convoys(struct finder *finder, const struct finding_rule *rule)
{
	tell(finder, rule, CONVOY);
}

/* ---- spinning -------------------------------------------------------------------------------- */

static int is_spin(const struct finder *finder, const struct row *edge)
{
	uint32_t caller = call_graph_caller(edge);
	uint64_t calls = call_graph_calls(finder->graph, caller);

	return caller != NAMES_NONE && edge->calls >= SPIN_CALLS && calls &&
	       (long double)edge->calls >= SPIN_FOR_EACH * (long double)calls;
}

/* Where what probes cost leaves nothing of it: what it likely computed, in one thread. */
static long double spin_time(const struct finder *finder, const struct row *edge)
{
	long double time = finder_on_one_thread(finder, edge, edge->sums.elapsed_inclusive, SHARE_ELAPSED);

	return finder->computing.with_probes > 0
		       ? fmaxl(time, computing_inclusive(&finder->computing, edge) / finder->at_once)
		       : time;
}

static void put_spin(const struct finder *finder, struct strbuf *text, const struct row *edge,
		     uint32_t callee)
{
	strbuf_puts(text, "waits in a loop: ");
	finding_put_name(finder, text, callee);
	strbuf_puts(text, " is called ");
	strbuf_thousands(text, edge->calls);
	strbuf_puts(text, " times");
	if (finder->computing.with_probes > 0)
		return;
	strbuf_puts(text, ", ");
	strbuf_duration(text, edge->sums.elapsed_inclusive);
}

/* The loop is all that its function does: what that computes is of the loop. */
static void spins(struct finder *finder, const struct finding_rule *rule)
{
	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		size_t n = 0;
		const struct row **in =
			finder->known[e] == KNOWN_SPIN ? call_graph_in(finder->graph, e, &n) : NULL;

		for (size_t i = 0; i < n; i++) {
			struct finding *finding;

			if (!is_spin(finder, in[i]))
				continue;
			finding = finding_new(finder, rule);
			finding->about = call_graph_caller(in[i]);
			finding->edge = in[i];
			finding->time = spin_time(finder, in[i]);
			finding->verb = "callers --sites";
			finding->look_at = e;
			put_spin(finder, &finding->text, in[i], e);
		}
	}
}

/* ---- threads that are woken for nothing ------------------------------------------------------ */

/* Calls of a function that take locks; 0: none, or it is not known how many. */
static uint64_t locks_of(const struct finder *finder, uint32_t caller)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, caller, &n);
	uint64_t locks = 0;

	for (size_t i = 0; i < n; i++) {
		if (finder->known[out[i]->entity] != KNOWN_LOCK)
			continue;
		if (out[i]->are_calls_least)
			return 0;
		locks += out[i]->calls;
	}
	return locks;
}

/*
 * Who takes the lock once, and waits several times before giving it back, was woken without having
 * anything to do but the last time.
 */
static void tell_herd(struct finder *finder, const struct finding_rule *rule, const struct row *edge)
{
	uint32_t caller = call_graph_caller(edge);
	uint64_t locks = caller == NAMES_NONE ? 0 : locks_of(finder, caller);
	struct finding *finding;

	if (!locks || edge->are_calls_least || edge->calls < HERD_WAITS || edge->calls < HERD_TIMES * locks)
		return;
	finding = finding_new(finder, rule);
	finding->about = caller;
	finding->edge = edge;
	finding->look_at = edge->entity;
	finding->verb = "callers --sites";
	finding->time = finder_on_one_thread(finder, edge,
					     computing_processor(&finder->computing, edge) *
						     (1 - (long double)locks / (long double)edge->calls),
					     SHARE_CPU);
	strbuf_puts(&finding->text, "is woken for nothing: ");
	strbuf_thousands(&finding->text, edge->calls);
	strbuf_puts(&finding->text, " waits of ");
	finding_put_name(finder, &finding->text, edge->entity);
	strbuf_puts(&finding->text, " for ");
	strbuf_thousands(&finding->text, locks);
	strbuf_puts(&finding->text, " locks; likely all are woken, not one");
}

static void herds(struct finder *finder, const struct finding_rule *rule)
{
	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		size_t n = 0;
		const struct row **in =
			finder->known[e] == KNOWN_CONDITION ? call_graph_in(finder->graph, e, &n) : NULL;

		for (size_t i = 0; i < n; i++)
			tell_herd(finder, rule, in[i]);
	}
}

/* ---- read-write locks that only writers use -------------------------------------------------- */

/* Returns the calls of a function of read-write locks whose name has this part, by caller; NULL:
 * it is another function. */
static const struct row **rwlock_calls(const struct finder *finder, uint32_t entity, const char *name,
				       size_t *n)
{
	const char *assembler = call_graph_entity(finder->graph, entity)->assembler;

	*n = 0;
	return assembler && strstr(assembler, "pthread_rwlock_") && strstr(assembler, name)
		       ? call_graph_in(finder->graph, entity, n)
		       : NULL;
}

/* Returns the time on the thread with most of it, of what calls of such functions compute. */
static long double computed_by(const struct finder *finder, const char *name)
{
	long double ns = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		size_t n;
		const struct row **in = rwlock_calls(finder, e, name, &n);

		for (size_t i = 0; i < n; i++)
			ns += finder_on_one_thread(finder, in[i],
						   computing_processor(&finder->computing, in[i]), SHARE_CPU);
	}
	return ns;
}

/* Adds up the calls of such functions, and finds the place with most of them. */
static uint64_t count_calls(const struct finder *finder, const char *name, const struct row **most)
{
	uint64_t calls = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		size_t n;
		const struct row **in = rwlock_calls(finder, e, name, &n);

		for (size_t i = 0; i < n; i++) {
			calls += in[i]->calls;
			if (call_graph_caller(in[i]) != NAMES_NONE &&
			    (!*most || in[i]->calls > (*most)->calls))
				*most = in[i];
		}
	}
	return calls;
}

static void only_writers(struct finder *finder, const struct finding_rule *rule)
{
	const struct row *read = NULL, *written = NULL;
	uint64_t writes = count_calls(finder, "wrlock", &written);
	struct finding *finding;

	if (writes < WRITES_LEAST || !written || count_calls(finder, "rdlock", &read))
		return;
	finding = finding_new(finder, rule);
	finding->about = call_graph_caller(written);
	finding->edge = written;
	finding->look_at = written->entity;
	finding->verb = "callers --sites";
	finding->time = WRITES_PART * (computed_by(finder, "wrlock") + computed_by(finder, "rwlock_unlock"));
	strbuf_puts(&finding->text, "takes a read-write lock only to write: ");
	output_plural(&finding->text, writes, "call", "s");
	strbuf_puts(&finding->text, ", none in the program to read; a mutex costs less");
}

/* ---- the table ------------------------------------------------------------------------------- */

#define LOCK_GAIN "What the one thread that waits there longest has waited; of several places: their sum."
#define LOCK_FALSE \
	"A lock as a gate, whose threads have other work, too: they are meant to wait there. Who " \
	"\"likely\" holds it " \
	"is guessed from where calls are in the code between taking a lock and giving it back: nobody with " \
	"probes was seen giving that lock back; it may be another one."

const struct finding_rule findings_waiting_rules[] = {
	{ "CF0101", "waits for a lock", OF_TIMED | OF_WAITING, 80, 3, lock_waits,
	  "Time off the processor in functions that take a lock (mutex, read-write lock, semaphore that is "
	  "given back by who took it, OpenMP critical), by the place that calls, from two waits on (20, and "
	  "1 % of the calls, where nobody is known to have worked with it for long). Waits "
	  "for condition variables, joins and the like are none; nor is a lock as a gate, where threads do "
	  "nothing but wait, 5 ms and more on the average, until one other thread opens it.",
	  LOCK_GAIN, "Threads that wait for each other do the work of one.",
	  "Do less while the lock is held: compute before, copy out, and give it back sooner. Give each part "
	  "of the data a lock of its own, or each thread a part of the data.",
	  LOCK_FALSE },
	{ "CF0102", "sleeps, reads or writes while it holds a lock", OF_TIMED | OF_WAITING, 90, 3,
	  blocked_under_lock,
	  "The same waits, where the function that likely holds the lock spends most of that time off the "
	  "processor: it sleeps, reads, writes, or waits for a disk, a file to be ready or a process.",
	  LOCK_GAIN,
	  "A lock that is held while its thread is off the processor stops all others for as long as the "
	  "device or the timer takes.",
	  "Put what is to be written into a queue under the lock, and write it later; read before the lock "
	  "is taken; never sleep with it.",
	  LOCK_FALSE },
	{ "CF0103", "many short waits for a lock", OF_TIMED | OF_WAITING, 85, 3, convoys,
	  "The same waits, where there are 300 and more of 0.2 ms at most on the average, and the holder "
	  "computes.",
	  LOCK_GAIN,
	  "Each wait costs two switches of threads, which take longer than what is done under the lock. "
	  "Threads that have met once at a lock go on meeting there.",
	  "Take the lock less often: work on several items at a time. Count in each thread and add up at the "
	  "end; use atomic operations; divide the data.",
	  LOCK_FALSE },
	{ "CF0104", "waits in a loop", OF_TIMED | OF_WAITING | OF_COMPUTING, 70, 3, spins,
	  "Calls of sched_yield and of functions that try to take a lock without waiting, where there are "
	  "1,000 at one place and 20 for each call of the function around it.",
	  "The time of these calls on the thread with the most of it. The run ends sooner only if others "
	  "need the processor.",
	  "The thread uses a processor, and does nothing; where there are fewer processors than threads it "
	  "keeps the one that it waits for from working.",
	  "Wait by a condition variable, a semaphore or a futex; std::atomic::wait.",
	  "A wait of very few microseconds on a processor that nobody else needs." },
	{ "CF0110", "a read-write lock that only writers use", OF_TIMED | OF_COMPUTING | OF_PROCESSOR, 60, 1,
	  only_writers,
	  "1,000 and more calls that take read-write locks to write (std::shared_mutex::lock, too), and none "
	  "in the program that take one to read.",
	  "A third of what these calls and the unlocks compute, on the thread with most of it.",
	  "A read-write lock does more at each call than a mutex, so that readers need not wait for each "
	  "other; where nobody reads, nothing comes of that.",
	  "Use a mutex (std::mutex); or take the lock to read where nothing is changed.",
	  "Readers in code that was built without the plugin." },
	{ "CF0106", "threads are woken for nothing", OF_TIMED | OF_WAITING | OF_COMPUTING | OF_PROCESSOR, 78,
	  3, herds,
	  "1,000 and more waits for a condition variable at one place, at least twice as many as its "
	  "function "
	  "takes locks: of these waits only one for each lock can have ended with something to do.",
	  "What the waits for nothing take of the processors, by as many threads as there can be at once.",
	  "Each thread that is woken needs a processor, takes the lock, looks, and waits again; meanwhile "
	  "who "
	  "has work waits for the lock.",
	  "Wake one thread for each piece of work (notify_one, pthread_cond_signal); a condition variable of "
	  "its own for each kind of event; fewer threads.",
	  "Waits with a short time limit, of a thread that looks for something else in between." },
};
const size_t findings_n_waiting_rules = ARRAY_SIZE(findings_waiting_rules);
