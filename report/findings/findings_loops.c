/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings_loops.c - rules on computing that grows faster than its input: scans of a text or an
 * array again and again, searches within loops, recursions that explode.
 */
#include "findings_computing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call_place.h"
#include "computing_text.h"

/* Percent of the computing from which on it is worth a word. */
#define SCAN_PERCENT 10
#define SEARCH_PERCENT 30
#define RECURSION_PERCENT 40
/* Scans: calls for each call of the caller, and what one takes, ns. */
#define SCAN_CALLS 100
#define SCAN_NS 20
#define SCAN_PART 0.3L	 /* of its caller's time */
#define SCAN_LEVELS 12	 /* of the system's functions that pass it on ... */
#define SCAN_PASSED 0.5L /* ... with so much of their time */
#define SCAN_ONCE 1.1L	 /* calls by one of the program that passes it on */
/* Searches within loops: calls for each call, on both levels; how these numbers may be related. */
#define SEARCH_CALLS 100
#define SEARCH_LEAST 0.2L
#define SEARCH_MOST 15
/* Recursions: calls for each call from outside; what one takes by itself, ns. */
#define RECURSION_CALLS 50000
#define RECURSION_TIMED 1000 /* calls by itself that were timed, before all are only counted */
#define RECURSION_NS 40
/* so many calls of another function, for each of the recursion, may have made what it visits */
#define RECURSION_OTHERS 0.125L

/* ---- scans ----------------------------------------------------------------------------------- */

struct scan {
	const char *const globs[8];
	uint64_t least_calls;	 /* of the function that calls it */
	long double least_ns;	 /* of one */
	long double least_share; /* percent of the computing */
	int grows;		 /* it takes longer from call to call */
	const char *does;	 /* ", which ..." */
};

static const struct scan scans[] = {
	{ { "strlen", "wcslen", "strnlen", "__strlen_*", NULL }, 1, SCAN_NS, SCAN_PERCENT, 0, "" },
	{ { "strcat", "strncat", "wcscat", "__strcat_*", NULL }, 1, SCAN_NS, SCAN_PERCENT, 0, "" },
	{ { "strcmp", "strcasecmp", "strncmp", "strncasecmp", "wcscmp", "memcmp", "bcmp", NULL },
	  SCAN_CALLS,
	  0,
	  2 * SCAN_PERCENT,
	  0,
	  "" },
	{ { "memmove", "__memmove_*", "wmemmove", NULL },
	  1,
	  2 * SCAN_NS,
	  SCAN_PERCENT,
	  1,
	  ", which moves a long array by some elements" },
	{ { "memset", "__memset_*", "bzero", NULL }, 1, 25 * SCAN_NS, 2 * SCAN_PERCENT, 0, "" },
};

/* Tells whether the times are spread evenly from about none to the longest: a tenth, a quarter, a
 * half, three quarters of them lie ever further from none, as they do not where calls are of two
 * kinds. `probes` is added to each, ns. The very longest are not looked at: meanwhile others may
 * have had the processor. */
static int is_even(const struct durations *durations, long double probes)
{
	long double tenth = durations_quantile(durations, 0.1) + probes;
	long double quarter = durations_quantile(durations, 0.25) + probes;
	long double half = durations_quantile(durations, 0.5) + probes;
	long double three_quarters = durations_quantile(durations, 0.75) + probes;
	long double most = durations_quantile(durations, 0.9) + probes;
	int begins = quarter <= 2 * probes || (quarter <= 0.75L * half && tenth <= 0.85L * quarter);

	return half > 0 && begins && three_quarters >= 1.15L * half && most >= 1.35L * half &&
	       most <= 2.6L * half;
}

/*
 * Do calls take all times from none to twice the mean, as they do when each has more to go through
 * than the one before, or finds what it looks for sooner or later? Those of a fixed size take about
 * the same each, and of most other kinds few take most. What probes cost grows with what a call
 * does as its time does, but of most calls only the mean is known, and what is more than that call
 * took is cut off: so the times are looked at without and with it.
 */
int computing_grows(const struct row *edge)
{
	long double n = (long double)edge->durations.n;

	return n > 0 &&
	       (is_even(&edge->durations, 0) || is_even(&edge->durations, edge->sums.overhead_inclusive / n));
}

static const struct scan *scan_of(const struct entity *entity)
{
	for (size_t i = 0; i < ARRAY_SIZE(scans); i++)
		if (computing_is_one_of(entity, scans[i].globs))
			return &scans[i];
	return NULL;
}

/*
 * Of a function that is called once, or seldom, as its loops were inlined: the call that it makes
 * once for all of which the scan goes through the things that there are. These are about as many as
 * those calls, or some times fewer or more. NULL: there is none.
 */
static const struct row *once_for_all(const struct computing *c, const struct row *edge)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, call_graph_caller(edge), &n), *most = NULL;

	for (size_t i = 0; i < n; i++) {
		long double calls = (long double)out[i]->calls;
		long double each = calls > 0 ? (long double)edge->calls / calls : 0;

		if (out[i] != edge && calls >= SCAN_CALLS && each >= SCAN_CALLS &&
		    each >= SEARCH_LEAST * calls && each <= SEARCH_MOST * calls &&
		    (!most || out[i]->calls > most->calls))
			most = out[i];
	}
	return most;
}

static int is_called_enough(const struct computing *c, const struct row *edge, const struct scan *scan)
{
	return call_graph_calls(&c->graph, call_graph_caller(edge)) >= scan->least_calls ||
	       once_for_all(c, edge);
}

/* Tells whether the function, by its assembler name, takes something out of a sequence of the C++
 * library, or puts something in: all that is behind moves. */
static int is_shift(const char *assembler)
{
	static const char *const words[] = { "_M_erase", "5eraseE", "_M_insert", "6insertE" };

	if (strncmp(assembler, "_ZN", 3))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(assembler, words[i]))
			return 1;
	return 0;
}

/* Tells whether the call is made by such a function, inlined or not. */
static int is_by_shift(const struct computing *c, const struct row *edge)
{
	uint32_t caller = call_graph_caller(edge);
	const char *name =
		caller < c->graph.n_entities ? call_graph_entity(&c->graph, caller)->assembler : NULL;

	return (name && is_shift(name)) || call_place_is_within(&c->graph, edge, is_shift);
}

/* scanning: the call of the function that scans, by this one or by what passes it on. */
static int is_scan(const struct computing *c, const struct row *edge, const struct scan *scan,
		   const struct row *scanning)
{
	uint32_t caller = call_graph_caller(edge);
	long double time = computing_inclusive(c, edge);

	if (!computing_is_own(c, caller) || computing_for_each_call(c, edge) < SCAN_CALLS ||
	    time < scan->least_ns * (long double)edge->calls ||
	    computing_percent(c, time) < scan->least_share ||
	    time < SCAN_PART * computing_own_time(c, caller))
		return 0;
	if (scan->grows && is_by_shift(c, scanning))
		return 1;
	return is_called_enough(c, edge, scan) && (!scan->grows || computing_grows(scanning));
}

/* Does a function of the program make this call about once for each call of its own? */
static int is_once(const struct computing *c, const struct row *edge)
{
	long double calls = computing_for_each_call(c, edge);

	return !c->is_sampled && calls > 0 && calls <= SCAN_ONCE &&
	       (edge->are_calls_least || calls >= 1 / SCAN_ONCE);
}

/*
 * Does the caller do little else than make this call: a function of the system's, as vector::insert
 * moves, or one of the program's? With their probes in it such a function takes longer than what it
 * calls.
 */
static int is_passed_on(const struct computing *c, const struct row *edge)
{
	uint32_t caller = call_graph_caller(edge);
	long double part = c->with_probes > 0 ? SCAN_PASSED / 2 : SCAN_PASSED;

	return caller < c->graph.n_entities && (computing_is_system(c, caller) || is_once(c, edge)) &&
	       computing_inclusive(c, edge) >= part * computing_own_time(c, caller);
}

struct scan_found {
	const struct row *edge;
	uint32_t scanning; /* the function that scans */
	const char *does;
};

/* The call with the most time of this one and, if it is passed on, of those that lead to it. */
static void find_scan(const struct computing *c, const struct row *edge, const struct scan *scan,
		      const struct row *scanning, int level, struct scan_found *most)
{
	const struct row **in;
	size_t n;

	if (is_scan(c, edge, scan, scanning)) {
		if (!most->edge || computing_inclusive(c, edge) > computing_inclusive(c, most->edge))
			*most = (struct scan_found){ edge, scanning->entity, scan->does };
		return;
	}
	if (level >= SCAN_LEVELS || !is_passed_on(c, edge))
		return;
	in = call_graph_in(&c->graph, call_graph_caller(edge), &n);
	for (size_t i = 0; i < n; i++)
		find_scan(c, in[i], scan, scanning, level + 1, most);
}

/* "calls strcmp 9,000,000 times, 3,000 for each call of fgets" */
static void put_scan(const struct computing *c, struct strbuf *text, const struct scan_found *most)
{
	const struct row *once = once_for_all(c, most->edge);

	computing_put_calls(c, text, most->edge);
	if (once && call_graph_calls(&c->graph, call_graph_caller(most->edge)) < SCAN_CALLS) {
		strbuf_puts(text, ", ");
		computing_put_times(text, (long double)most->edge->calls / (long double)once->calls);
		strbuf_puts(text, " for each call of ");
		computing_put_name(c, text, once->entity);
	}
	if (most->scanning != most->edge->entity && computing_is_own(c, most->edge->entity)) {
		strbuf_puts(text, ", each of which calls ");
		computing_put_name(c, text, most->scanning);
	}
	strbuf_puts(text, most->does);
}

int computing_scan(const struct computing *c, struct computing_found *found)
{
	struct scan_found most = { 0 };

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		const struct scan *scan = c->graph.nodes[e] ? scan_of(call_graph_entity(&c->graph, e)) : NULL;
		size_t n = 0;
		const struct row **in = scan ? call_graph_in(&c->graph, e, &n) : NULL;

		for (size_t i = 0; i < n; i++)
			find_scan(c, in[i], scan, in[i], 0, &most);
	}
	if (!most.edge)
		return 0;
	found->about = found->look_at = call_graph_caller(most.edge);
	found->edge = most.edge;
	found->time = computing_inclusive(c, most.edge);
	put_scan(c, &found->text, &most);
	strbuf_puts(&found->text, ": ");
	computing_put_percent(c, &found->text, found->time);
	found->verb = "annotate";
	return 1;
}

/* ---- searches within loops ------------------------------------------------------------------- */

struct search {
	const struct row *outer; /* of the loop, to what searches */
	uint32_t inner;		 /* what that calls */
	long double inner_calls; /* for each call */
};

/* What the function calls most: calls for each of its own. */
static long double most_called(const struct computing *c, uint32_t entity, uint32_t *callee)
{
	uint64_t calls = call_graph_calls(&c->graph, entity), most = 0;
	size_t n;
	const struct row **out = call_graph_out(&c->graph, entity, &n);

	for (size_t i = 0; i < n; i++)
		if (out[i]->entity != entity && out[i]->calls > most) {
			most = out[i]->calls;
			*callee = out[i]->entity;
		}
	return calls ? (long double)most / (long double)calls : 0;
}

static int is_search(const struct computing *c, const struct row *edge, struct search *search)
{
	long double outer = computing_for_each_call(c, edge), inner;
	uint32_t caller = call_graph_caller(edge);

	*search = (struct search){ .outer = edge };
	if (outer < SEARCH_CALLS || !computing_is_own(c, caller) || caller == edge->entity ||
	    !computing_grows(edge) || computing_percent(c, computing_inclusive(c, edge)) < SEARCH_PERCENT)
		return 0;
	inner = search->inner_calls = most_called(c, edge->entity, &search->inner);
	return inner >= SEARCH_CALLS && inner >= SEARCH_LEAST * outer && inner <= SEARCH_MOST * outer &&
	       !scan_of(call_graph_entity(&c->graph, search->inner));
}

int computing_search(const struct computing *c, struct computing_found *found)
{
	struct search most = { 0 }, search;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		size_t n;
		const struct row **in = call_graph_in(&c->graph, e, &n);

		for (size_t i = 0; i < n; i++)
			if (is_search(c, in[i], &search) &&
			    (!most.outer ||
			     computing_inclusive(c, in[i]) > computing_inclusive(c, most.outer)))
				most = search;
	}
	if (!most.outer)
		return 0;
	found->about = call_graph_caller(most.outer);
	found->edge = most.outer;
	found->time = computing_inclusive(c, most.outer);
	computing_put_calls(c, &found->text, most.outer);
	strbuf_puts(&found->text, ", and that ");
	computing_put_name(c, &found->text, most.inner);
	strbuf_puts(&found->text, " ");
	computing_put_times(&found->text, most.inner_calls);
	strbuf_puts(&found->text, " times each: ");
	computing_put_percent(c, &found->text, found->time);
	found->verb = "callers";
	found->look_at = most.outer->entity;
	return 1;
}

/* ---- recursions ------------------------------------------------------------------------------ */

/* Calls of itself, whatever the place. */
static uint64_t self_calls(const struct computing *c, uint32_t entity, const struct row **place)
{
	uint64_t calls = 0;
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);

	*place = NULL;
	for (size_t i = 0; i < n; i++)
		if (call_graph_caller(in[i]) == entity) {
			calls += in[i]->calls;
			if (!*place || in[i]->calls > (*place)->calls)
				*place = in[i];
		}
	return calls;
}

/* Calls that others are known to have made. */
static uint64_t outer_calls(const struct computing *c, uint32_t entity)
{
	uint64_t calls = 0;
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);

	for (size_t i = 0; i < n; i++)
		calls += call_graph_caller(in[i]) == entity ? 0 : in[i]->calls;
	return calls;
}

/* Has any other function been called so often that it may have made what the recursion visits? */
static int has_many_others(const struct computing *c, uint32_t entity, uint64_t calls)
{
	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		size_t n;
		const struct row **in = call_graph_in(&c->graph, e, &n);
		uint64_t others = 0;

		for (size_t i = 0; e != entity && i < n; i++)
			others += call_graph_caller(in[i]) == entity ? 0 : in[i]->calls;
		if ((long double)others >= RECURSION_OTHERS * (long double)calls)
			return 1;
	}
	return 0;
}

/* A function's calls of itself. */
struct recursion {
	const struct row *place;
	long double for_each; /* call from elsewhere; 0: not known */
	long double calls;    /* where calls were only counted later, all but others' */
};

static int explodes(const struct computing *c, uint32_t entity, struct recursion *recursion)
{
	const struct row *node = c->graph.nodes[entity];
	uint64_t self = node ? self_calls(c, entity, &recursion->place) : 0, outer;
	int is_counted;

	if (!self || self >= node->calls)
		return 0;
	outer = node->calls - self;
	is_counted = node->untimed || recursion->place->are_calls_least;
	if (is_counted) { /* all that were timed were within a call that had not ended */
		outer = outer_calls(c, entity);
		if (outer != 1 || self < RECURSION_TIMED)
			return 0;
		self = node->calls - outer;
	}
	recursion->calls = (long double)self;
	recursion->for_each = is_counted ? 0 : (long double)self / (long double)outer;
	return self / outer >= RECURSION_CALLS &&
	       computing_percent(c, computing_inclusive(c, node)) >= RECURSION_PERCENT &&
	       computing_exclusive(c, node) <= RECURSION_NS * (long double)node->calls &&
	       !has_many_others(c, entity, self / outer);
}

int computing_recursion(const struct computing *c, struct computing_found *found)
{
	struct recursion recursion, most = { 0 };

	for (uint32_t e = 0; e < c->graph.n_entities; e++)
		if (explodes(c, e, &recursion) && recursion.calls > most.calls) {
			most = recursion;
			found->about = e;
		}
	if (!most.place)
		return 0;
	found->edge = most.place;
	found->time = computing_own_time(c, found->about);
	strbuf_puts(&found->text, "calls itself ");
	computing_put_times(&found->text, most.for_each > 0 ? most.for_each : most.calls);
	strbuf_puts(&found->text, most.for_each > 0 ? " times for each call from elsewhere: " : " times: ");
	computing_put_percent(c, &found->text, found->time);
	strbuf_puts(&found->text, "; keep results, if arguments come again");
	found->verb = "callers";
	found->look_at = found->about;
	return 1;
}
