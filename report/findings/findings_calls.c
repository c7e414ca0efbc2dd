/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_calls.c - rules on calls that are too short to be calls, and, if nothing else is known,
 * on the function that computes most. */
#include "findings_computing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "computing_text.h"
#include "known_functions.h"
#include "output/output.h"
#include "rows/mpi_calls.h"

#define SHORT_PERCENT 5 /* of the computing: the calls alone */
#define SHORT_CALLS 100000
#define SHORT_NS 20 /* what one takes */
#define HOT_PERCENT 40
#define LIBRARIES_PERCENT 60 /* of the computing: done for one function ... */
#define LIBRARIES_CALLS 1000 /* ... by calls, of which one is made so often */
#define LIBRARIES_LEVELS 4   /* of calls in them, which may come back to the program */
#define HOT_FUNCTIONS 3
#define WHOLE_CALLS 16
#define GROWS_CALLS 1000
#define GROWS_MOST 0.95
#define GROWS_NS 1000.0L /* what that takes at least: shorter ones differ for other reasons */
#define HOT_LEVELS 8	 /* of functions that lead to it */
#define RARE_PART 0.6L	 /* of a function's time, in few of its calls */
#define DIVISIONS_PART 2 /* one of so many samples */
#define EXPLAINED 0.5L	 /* of its time by what others tell */

/* ---- calls too short to be calls ------------------------------------------------------------- */

static int is_header(const char *file)
{
	const char *end = strrchr(util_basename(file), '.');

	return !end || end[1] == 'h' || end[1] == 'H' || !strcmp(end, ".inl") || !strcmp(end, ".tcc") ||
	       !strcmp(end, ".ipp");
}

/* A function with probes, of the program's own, that takes no longer than a call of it does. */
static int is_short(const struct computing *c, uint32_t entity)
{
	const struct row *node = c->graph.nodes[entity];
	const struct entity *e = call_graph_entity(&c->graph, entity);

	return node && node->calls >= SHORT_CALLS && e->file && computing_is_own(c, entity) &&
	       computing_inclusive(c, node) <= SHORT_NS * (long double)node->calls;
}

/* Another file of the same module, or another module: the compiler could not inline it there. */
static int is_across(const struct computing *c, const struct row *edge)
{
	const struct entity *to = call_graph_entity(&c->graph, edge->entity);
	const struct entity *from = call_graph_entity(&c->graph, call_graph_caller(edge));

	if (!from || !from->file || edge->is_indirect)
		return 0;
	return strcmp(from->module, to->module) != 0 ||
	       (strcmp(from->file, to->file) != 0 && !is_header(from->file) && !is_header(to->file));
}

/* Where it was counted, not all callers of a function are known, but that it was called. */
static uint64_t calls_across(const struct computing *c, uint32_t entity, const struct row **most)
{
	uint64_t calls = 0;
	size_t n, n_across = 0;
	const struct row **in = call_graph_in(&c->graph, entity, &n);

	*most = NULL;
	for (size_t i = 0; i < n; i++)
		if (is_across(c, in[i])) {
			n_across++;
			calls += in[i]->calls;
			if (!*most || in[i]->calls > (*most)->calls)
				*most = in[i];
		}
	return n && n_across == n ? call_graph_calls(&c->graph, entity) : calls;
}

static void put_calls_alone(const struct computing *c, struct strbuf *text, long double ns)
{
	strbuf_puts(text, ": the calls alone are ");
	computing_put_percent(c, text, ns);
}

int computing_short(const struct computing *c, struct computing_found *found)
{
	const struct row *place, *most_place = NULL;
	uint64_t sum = 0, most = 0, calls;
	size_t functions = 0;
	const struct entity *from, *to;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		calls = is_short(c, e) ? calls_across(c, e, &place) : 0;
		sum += calls;
		functions += calls > 0;
		if (calls > most) {
			most = calls;
			most_place = place;
		}
	}
	found->time = (long double)sum * COMPUTING_CALL_NS;
	if (!most_place || computing_percent(c, found->time) < SHORT_PERCENT)
		return 0;
	found->about = found->look_at = most_place->entity;
	to = call_graph_entity(&c->graph, found->about);
	from = call_graph_entity(&c->graph, call_graph_caller(most_place));
	strbuf_puts(&found->text, "is short, and called ");
	strbuf_thousands(&found->text, most);
	strbuf_puts(&found->text, strcmp(from->module, to->module) ? " times from another library"
								   : " times from another source file");
	if (!most_place->are_calls_least) {
		strbuf_puts(&found->text, ", most by ");
		strbuf_visible(&found->text, from->name);
	}
	if (functions > 1) {
		strbuf_puts(&found->text, "; with ");
		output_plural(&found->text, functions - 1, "more function", "s");
		strbuf_puts(&found->text, " of this kind");
	}
	put_calls_alone(c, &found->text, found->time);
	found->verb = "callers";
	return 1;
}

/* ---- calls through pointers that lead to one function ---------------------------------------- */

static int is_same_site(const struct row *a, const struct row *b)
{
	return call_graph_caller(a) == call_graph_caller(b) && a->address && b->address &&
	       !strcmp(a->address, b->address);
}

/* Calls of this edge's instruction; 0: it has called others, too. */
static uint64_t calls_of_site(const struct computing *c, const struct row *edge)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, call_graph_caller(edge), &n);
	uint64_t calls = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_same_site(out[i], edge))
			continue;
		if (out[i]->entity != edge->entity)
			return 0;
		calls += out[i]->calls;
	}
	call_graph_in(&c->graph, edge->entity, &n);
	return n == 1 ? call_graph_calls(&c->graph, edge->entity) : calls;
}

int computing_indirect(const struct computing *c, struct computing_found *found)
{
	const struct row *most_place = NULL;
	uint64_t most = 0, calls;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		size_t n;
		const struct row **in = is_short(c, e) ? call_graph_in(&c->graph, e, &n) : NULL;

		for (size_t i = 0; in && i < n; i++)
			if (in[i]->is_indirect && computing_is_own(c, call_graph_caller(in[i])) &&
			    (calls = calls_of_site(c, in[i])) > most) {
				most = calls;
				most_place = in[i];
			}
	}
	found->time = (long double)most * COMPUTING_CALL_NS;
	if (!most_place || computing_percent(c, found->time) < SHORT_PERCENT)
		return 0;
	found->about = call_graph_caller(most_place);
	found->edge = most_place;
	strbuf_puts(&found->text, "calls ");
	computing_put_name(c, &found->text, most_place->entity);
	strbuf_puts(&found->text, " ");
	strbuf_thousands(&found->text, most);
	strbuf_puts(&found->text, " times through a pointer, and nothing else there");
	put_calls_alone(c, &found->text, found->time);
	found->verb = "callers";
	found->look_at = most_place->entity;
	return 1;
}

/* ---- the function that does most ------------------------------------------------------------- */

/* Does another rule tell what takes the function's time? */
static int is_explained(const struct computing *c, const struct row *function)
{
	static int (*const others[])(const struct computing *, struct computing_found *) = {
		computing_scan,		computing_search,   computing_recursion, computing_allocation,
		computing_copies,	computing_strings,  computing_format,	 computing_exceptions,
		computing_short,	computing_indirect, computing_locking,	 computing_strides,
		computing_locked,	computing_moving,   computing_chase,	 computing_sorting,
		computing_library_locks
	};
	int is_explained = 0;

	for (size_t i = 0; i < ARRAY_SIZE(others) && !is_explained; i++) {
		struct computing_found found = { 0 };

		is_explained = others[i](c, &found) &&
			       (found.about == function->entity || found.look_at == function->entity ||
				found.time >= EXPLAINED * computing_processor(c, function));
		strbuf_release(&found.text);
	}
	return is_explained;
}

/* Polling is no computing: CF0603 tells of it. */
static int is_mpi(const struct computing *c, uint32_t entity)
{
	const char *assembler = call_graph_entity(&c->graph, entity)->assembler;

	return assembler && mpi_call_of(assembler) != MPI_CALL_NOT;
}

/* Tells whether samples show where in the function its time is: that is worth a word also if the
 * program has next to no other functions, as the compiler has inlined them. */
static int has_samples(const struct computing *c, uint32_t entity)
{
	struct hot_code code;

	return !c->is_sampled && computing_is_own(c, entity) && !hot_code_find(&code, c, entity) &&
	       code.is_inlined;
}

/* The function with most of it; NULL: there are too few to be compared, and nobody knows where. */
static const struct row *hottest(const struct computing *c)
{
	const struct row *most = NULL;
	size_t functions = 0;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		const struct row *node = c->graph.nodes[e];

		if (!node || !call_graph_entity(&c->graph, e)->is_function ||
		    computing_processor(c, node) <= 0 || is_mpi(c, e))
			continue;
		functions++;
		if (!most || computing_processor(c, node) > computing_processor(c, most))
			most = node;
	}
	return functions < HOT_FUNCTIONS && !(most && has_samples(c, most->entity)) ? NULL : most;
}

/* ", in 42 calls, 15.4 ms each" */
static void put_hot_calls(const struct computing *c, struct strbuf *text, const struct row *most)
{
	long double longest;

	if (!most->calls)
		return;
	strbuf_printf(text, ", in %s", computing_at_least(most->are_calls_least));
	output_plural(text, most->calls, "call", "s");
	if (most->calls > 1 && !most->are_calls_least && !c->with_probes) {
		strbuf_puts(text, ", ");
		strbuf_duration(text, computing_processor(c, most) / (long double)most->calls);
		strbuf_puts(text, " each");
	}
	longest = durations_quantile(&most->durations, GROWS_MOST);
	if (!c->is_sampled && most->durations.n >= GROWS_CALLS && longest >= GROWS_NS &&
	    computing_grows(most) &&
	    known_function_of(call_graph_entity(&c->graph, most->entity)) == KNOWN_NOT) {
		strbuf_puts(text, ", evenly from about 0 to ");
		strbuf_duration(text, longest);
		strbuf_puts(text, ", as a search in a list that grows takes");
	}
}

/* Calls tell nothing of it: it has few, and what it calls is inlined, or in its loops. */
static int is_whole(const struct computing *c, const struct row *most)
{
	return !c->is_sampled && !c->graph.profile->totals.is_mixed && most->calls <= WHOLE_CALLS &&
	       computing_is_own(c, most->entity);
}

/* Returns whether the function calls itself, directly or not: then the outermost of its calls are
 * long, which is no rarity. */
static int calls_itself(const struct computing *c, uint32_t entity)
{
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);

	for (size_t i = 0; i < n; i++)
		if (call_graph_caller(in[i]) == entity || in[i]->is_recursive)
			return 1;
	return 0;
}

/*
 * Returns the function of the program's, from the hot one upwards, few of whose calls take most of
 * its time, if that is the hot one's; *call: its call that leads there. NULL: there is none.
 */
static const struct row *rare_caller(const struct computing *c, const struct row *most,
				     struct slow_calls *slow, const struct row **call)
{
	uint32_t entity = most->entity;

	*call = NULL;
	for (int level = 0; !c->is_sampled && level < HOT_LEVELS && entity < c->graph.n_entities; level++) {
		const struct row *node = c->graph.nodes[entity];

		if (node && computing_is_own(c, entity) && !calls_itself(c, entity) &&
		    computing_is_rarely_slow(&node->durations, slow) &&
		    slow->ns - node->sums.preempted_inclusive >=
			    RARE_PART * (node->activations_elapsed - node->sums.preempted_inclusive) &&
		    computing_inclusive(c, node) >= RARE_PART * computing_processor(c, most))
			return node;
		*call = call_graph_main_caller(&c->graph, entity);
		entity = *call ? call_graph_caller(*call) : NAMES_NONE;
	}
	return NULL;
}

/* "1,049 of its 200,000 calls take 1.02 ms each, half of all at most 274 ns; most of that in sin,
 * which" */
static void put_rare(const struct computing *c, struct computing_found *found, const struct row *most,
		     const struct row *rare, struct slow_calls *slow)
{
	struct strbuf *text = &found->text;

	if (found->place && !found->place->are_calls_least && found->place->calls < slow->n)
		slow->n = found->place->calls; /* the others have lost their processor */
	strbuf_thousands(text, slow->n);
	strbuf_puts(text, " of its ");
	strbuf_thousands(text, rare->durations.n);
	strbuf_puts(text, slow->n == 1 ? " calls takes " : " calls take ");
	strbuf_duration(text, (slow->ns - rare->sums.preempted_inclusive) / (long double)slow->n);
	strbuf_puts(text, slow->n == 1 ? ", half of all at most " : " each, half of all at most ");
	strbuf_duration(text, slow->median);
	strbuf_puts(text, "; ");
	if (rare == most)
		return;
	strbuf_puts(text, "most of it in ");
	computing_put_name(c, text, most->entity);
	strbuf_puts(text, ", which ");
}

/* Sets the function that the finding names, and writes what the text begins with: the function few
 * of whose calls take the time, if there is one; else the program's function that calls the hot
 * one, if that is the system's; else the hot one itself. */
static void put_whose(const struct computing *c, struct computing_found *found, const struct row *most)
{
	const struct row *call, *own = computing_own_call(c, most->entity), *rare;
	struct slow_calls slow;
	struct hot_code code;

	found->about = found->look_at = most->entity;
	rare = rare_caller(c, most, &slow, &call);
	if (rare) {
		found->place = call;
		put_rare(c, found, most, rare, &slow);
	} else if (own) {
		strbuf_puts(&found->text, own->entity == most->entity ? "calls " : "leads to ");
		computing_put_name(c, &found->text, most->entity);
		strbuf_puts(&found->text, ", which ");
		found->place = own;
	}
	found->is_said_of = rare || own;
	found->said_of = rare ? rare->entity : own ? call_graph_caller(own) : NAMES_NONE;
	if (!found->place && !hot_code_find(&code, c, most->entity) && code.is_inlined)
		code_place_find(&found->code, c, most->entity, code.most_at);
}

/* "; its loop adds to memory in 2 threads: slow if they share 64 bytes (not recorded)" */
static void put_changes(const struct computing *c, struct strbuf *text, const struct row *most)
{
	const struct profile *profile = c->graph.profile;
	uint32_t threads = thread_shares_threads(&profile->shares, (uint32_t)(most - profile->rows));
	struct hot_code code;

	if (c->is_sampled || threads < 2 || hot_code_find(&code, c, most->entity) || !code.samples ||
	    !code.has_loop || !code.loop.changed_at)
		return;
	strbuf_printf(text,
		      "; its loop adds to memory in %u threads: slow if they share %d bytes (not recorded)",
		      threads, CODE_LOOPS_LINE);
}

/* "; 80 % of that at divisions" */
static void put_divisions(const struct computing *c, struct strbuf *text, const struct row *most)
{
	struct hot_code code;

	if (!c->is_sampled && !hot_code_find(&code, c, most->entity) && code.samples &&
	    DIVISIONS_PART * code.divided >= code.samples)
		strbuf_printf(text, "; %.0Lf %% of that at divisions or square roots",
			      100 * (long double)code.divided / (long double)code.samples);
}

/* Holds the sums of what libraries do for one function of the program. */
struct library_use {
	long double time;
	const struct row *most; /* its most frequent call of a library's function */
};

/* Tells whether the function, or one that it leads to, is the program's: then its time is not the
 * library's alone. */
static int leads_to_own(const struct computing *c, uint32_t entity, int level)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, entity, &n);

	if (computing_is_own(c, entity))
		return 1;
	for (size_t i = 0; i < n && level; i++)
		if (out[i]->entity != entity && leads_to_own(c, out[i]->entity, level - 1))
			return 1;
	return 0;
}

static struct library_use library_use_of(const struct computing *c, uint32_t entity)
{
	struct library_use use = { 0 };
	size_t n;
	const struct row **out = call_graph_out(&c->graph, entity, &n);

	for (size_t i = 0; i < n; i++) {
		if (leads_to_own(c, out[i]->entity, LIBRARIES_LEVELS))
			continue;
		use.time += computing_inclusive(c, out[i]);
		use.most = !use.most || out[i]->calls > use.most->calls ? out[i] : use.most;
	}
	return use;
}

/* Returns how often the call's function calls the same one, at all places. */
static uint64_t calls_between(const struct computing *c, const struct row *call)
{
	size_t n;
	const struct row **in = call_graph_in(&c->graph, call->entity, &n);
	uint64_t calls = 0;

	for (size_t i = 0; i < n; i++)
		calls += call_graph_caller(in[i]) == call_graph_caller(call) ? in[i]->calls : 0;
	return calls;
}

/* Finds the function for which libraries do most of what is computed, each of their functions too
 * little of it to be a hot spot. */
static int is_in_libraries(const struct computing *c, struct computing_found *found)
{
	struct library_use most = { 0 };

	for (uint32_t e = 0; e < c->graph.n_entities && !c->is_sampled; e++) {
		struct library_use use = { 0 };

		if (computing_is_own(c, e))
			use = library_use_of(c, e);
		if (use.time > most.time)
			most = use;
	}
	if (computing_percent(c, most.time) < LIBRARIES_PERCENT || most.most->calls < LIBRARIES_CALLS ||
	    computing_has_objects(c, 0))
		return 0;
	found->about = call_graph_caller(most.most);
	found->time = most.time;
	found->place = most.most;
	found->look_at = most.most->entity;
	found->verb = "callers";
	strbuf_printf(&found->text,
		      "%.0Lf %% of the computing is what libraries do for it: most often it calls ",
		      computing_percent(c, most.time));
	computing_put_name(c, &found->text, found->look_at);
	strbuf_puts(&found->text, ", ");
	output_plural(&found->text, calls_between(c, most.most), "time", "s");
	return 1;
}

int computing_hot(const struct computing *c, struct computing_found *found)
{
	const struct row *most = hottest(c);
	long double amount = most ? computing_processor(c, most) : 0;

	if (!most || computing_is_rough(c, most))
		return 0;
	if (computing_processor_percent(c, amount) < HOT_PERCENT)
		return is_in_libraries(c, found);
	if (is_explained(c, most))
		return 0;
	put_whose(c, found, most);
	found->time = amount;
	strbuf_printf(&found->text, "%s%.0Lf %%%s itself", c->is_sampled ? "has " : "does ",
		      computing_processor_percent(c, amount),
		      c->is_sampled ? " of the samples" : " of the computing");
	put_hot_calls(c, &found->text, most);
	put_changes(c, &found->text, most);
	put_divisions(c, &found->text, most);
	if (is_whole(c, most))
		strbuf_puts(&found->text, ". Samples tell where in it: cinstr record --sample");
	found->verb = computing_is_own(c, most->entity) ? "annotate" : "callers";
	return 1;
}
