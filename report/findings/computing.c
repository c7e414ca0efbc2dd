/* SPDX-License-Identifier: GPL-3.0-or-later */
/* computing.c - see computing.h. */
#include "computing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call_place.h"
#include "file/samples.h"
#include "lib/globs.h"
#include "lib/order.h"
#include "rows/uncertainty.h"
#include "selection/just_my_code.h"

#define EVENTS_OF_CALL 2   /* at least */
#define ROUGH 0.5L	   /* of the total: it is uncertain by more than this part */
#define LEVELS 24	   /* of callers that pass calls on: templates in templates */
#define LEAST_PART 0.01L   /* of an edge that is passed on further */
#define WRAPPER_CALLS 1.1L /* a wrapper makes one call for each of its own ... */
#define MOST_PART 0.5L	   /* of a function's calls are by one caller */
#define CALLS_KNOWN 0.9L   /* of a function: weights of its callers */
#define MOST_CALLS 0.5L	   /* of all of a group */
#define FEW_CALLS 0.01L	   /* of those of the function with most */
#define SELDOM 10	   /* calls are fewer than this part of the most frequent ones */
#define INLINED_PART 0.01L /* of all computing: less of inlined code is not looked at */
#define PASSING_CALLS 0.5L /* for each of its own: a function that makes a call for its callers */
#define WRAPPER_TIMES 2.0L /* ... and takes at most so many times (by its name: twice that) */

/* ---- time ------------------------------------------------------------------------------------ */

long double computing_likely(long double value, long double uncertainty)
{
	return uncertainty < value ? value : (value + uncertainty) / 2;
}

/* Forgets the only places that are in libraries: group_uses_make() finds for whom these call. */
static void leave_out_system(struct computing *c)
{
	for (uint32_t e = 0; e < c->graph.n_entities; e++)
		if (c->graph.only[e] && computing_is_system(c, call_graph_caller(c->graph.only[e])))
			c->graph.only[e] = NULL;
}

void computing_make(struct computing *computing, struct profile *edges)
{
	const struct totals *t = &edges->totals;
	long double uncertainty = uncertainty_of_whole(t);

	call_graph_make(&computing->graph, edges);
	leave_out_system(computing);
	computing->is_sampled = profile_is_sampled(edges);
	computing->total = computing->is_sampled
				   ? t->elapsed
				   : computing_likely(t->application + t->preempted_work, uncertainty);
	computing->is_rough = !computing->is_sampled && uncertainty > ROUGH * computing->total;
	computing->processor = totals_cpu(t);
	computing->with_probes = 0;
	if (!computing->is_sampled && uncertainty > 0 && uncertainty >= t->application + t->preempted_work)
		computing->with_probes = t->application + t->preempted_work + t->overhead;
	computing->events = fmaxl(1, (long double)t->events);
}

void computing_release(struct computing *computing)
{
	call_graph_release(&computing->graph);
}

int computing_is_enough(const struct computing *computing)
{
	return computing->total >= (computing->is_sampled ? COMPUTING_LEAST_SAMPLES : COMPUTING_LEAST_NS);
}

/* Of a recording by probes: what it computes, with what it did while it lost its processor. */
static long double value_of(const struct row *row, enum value_kind kind)
{
	const struct sums *sums = &row->sums;

	return uncertainty_value(sums, kind) +
	       (kind == VALUE_APPLICATION_INCLUSIVE   ? sums->preempted_work_inclusive
		: kind == VALUE_APPLICATION_EXCLUSIVE ? sums->preempted_work_exclusive
						      : 0);
}

static long double amount(const struct computing *c, const struct row *row, enum value_kind kind)
{
	long double overhead = kind == VALUE_APPLICATION_INCLUSIVE ? row->sums.overhead_inclusive
								   : row->sums.overhead_exclusive;

	if (c->with_probes > 0) {
		long double by_time = (value_of(row, kind) + overhead) / c->with_probes;
		long double by_events = EVENTS_OF_CALL * (long double)row->calls / c->events;

		return c->total * fminl(1, fmaxl(by_time, by_events));
	}
	return computing_likely(value_of(row, kind), uncertainty_of(&row->sums, kind));
}

/* Returns the row that has the time of this one: of the only place that can have made the calls,
 * that of the function. NULL: it is another place's. */
static const struct row *row_of_time(const struct computing *c, const struct row *row)
{
	const struct row *only = row->caller == EDGE_NO_CALLER || row->entity >= c->graph.n_entities
					 ? NULL
					 : c->graph.only[row->entity];

	if (!only)
		return row;
	return row == only ? c->graph.nodes[row->entity] : NULL;
}

long double computing_inclusive(const struct computing *computing, const struct row *row)
{
	row = row_of_time(computing, row);
	if (!row)
		return 0;
	return amount(computing, row,
		      computing->is_sampled ? VALUE_ELAPSED_INCLUSIVE : VALUE_APPLICATION_INCLUSIVE);
}

long double computing_exclusive(const struct computing *computing, const struct row *row)
{
	return amount(computing, row,
		      computing->is_sampled ? VALUE_ELAPSED_EXCLUSIVE : VALUE_APPLICATION_EXCLUSIVE);
}

/* With what other events of the system leave out, but for system calls. */
long double computing_processor(const struct computing *c, const struct row *row)
{
	if (c->is_sampled || c->with_probes > 0 || (row->os && row->os->exclusive.of[OS_SYSCALL]))
		return computing_exclusive(c, row);
	return fmaxl(computing_exclusive(c, row), row->sums.elapsed_exclusive - row->sums.off_cpu_exclusive);
}

long double computing_processor_percent(const struct computing *c, long double part)
{
	long double whole = c->is_sampled || c->with_probes > 0 ? c->total : fmaxl(c->total, c->processor);

	return whole > 0 ? fminl(100, 100 * part / whole) : 0;
}

/* Application time is next to nothing where each call has lost its processor: then it is what was
 * computed by the processor's time. */
int computing_is_rough(const struct computing *computing, const struct row *row)
{
	if (computing->is_sampled || !uncertainty_is_rough(&row->sums, VALUE_APPLICATION_EXCLUSIVE))
		return 0;
	return uncertainty_of(&row->sums, VALUE_ELAPSED_EXCLUSIVE) >
	       ROUGH * computing_processor(computing, row);
}

long double computing_percent(const struct computing *computing, long double part)
{
	return computing->total > 0 ? fminl(100, 100 * part / computing->total) : 0;
}

int computing_has_only_place(const struct computing *c, const struct row *edge)
{
	const struct row *node = c->graph.nodes[edge->entity];
	size_t n;

	call_graph_in(&c->graph, edge->entity, &n);
	return n == 1 && edge->are_calls_least && node && !node->are_calls_least && node->calls > edge->calls;
}

static uint64_t calls_of(const struct computing *c, const struct row *edge)
{
	return computing_has_only_place(c, edge) ? call_graph_calls(&c->graph, edge->entity) : edge->calls;
}

long double computing_for_each_call(const struct computing *c, const struct row *edge)
{
	uint64_t calls = call_graph_calls(&c->graph, call_graph_caller(edge));

	return calls ? (long double)calls_of(c, edge) / (long double)calls : 0;
}

/* Of the function's calls: those by this one, at all places. */
static long double part_by(const struct computing *c, uint32_t entity, uint32_t caller)
{
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);
	uint64_t calls = 0, all = call_graph_calls(&c->graph, entity);

	for (size_t i = 0; i < n; i++)
		calls += call_graph_caller(in[i]) == caller ? in[i]->calls : 0;
	return all ? (long double)calls / (long double)all : 0;
}

const struct row *computing_repeated(const struct computing *c, const struct row *edge)
{
	for (int level = 0; edge && level < LEVELS; level++) {
		long double calls = computing_for_each_call(c, edge);
		uint32_t caller = call_graph_caller(edge);

		if (calls > WRAPPER_CALLS || (calls > 0 && edge->is_recursive & RECURSIVE_CALLER))
			return edge;
		if (calls < PASSING_CALLS)
			return NULL;
		edge = call_graph_main_caller(&c->graph, caller);
		if (!edge || part_by(c, caller, call_graph_caller(edge)) < MOST_PART)
			return NULL;
	}
	return NULL;
}

long double computing_own_time(const struct computing *c, uint32_t entity)
{
	const struct row *node = c->graph.nodes[entity];

	return node ? computing_inclusive(c, node) : 0;
}

/* ---- whose code it is ------------------------------------------------------------------------ */

/* Programs define nothing in namespace std, though what they instantiate is in them. */
static int is_of_std(const char *assembler)
{
	static const char *const begins[] = {
		"_ZNSt", "_ZNKSt", "_ZZNSt", "_ZZNKSt",	      "_ZSt",
		"_ZNSs", "_ZNKSs", "_ZNSo",  "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(assembler, begins[i], strlen(begins[i])))
			return 1;
	return 0;
}

int computing_is_system(const struct computing *computing, uint32_t entity)
{
	const struct entity *e = call_graph_entity(&computing->graph, entity);
	const struct totals *t = &computing->graph.profile->totals;

	if (!e || system_code_is_header(e->file))
		return e != NULL;
	if (!strcmp(e->name, SAMPLES_KERNEL) || (!e->file && e->assembler && is_of_std(e->assembler)))
		return 1;
	return system_code_is_library(e->module) && (!t->exe || strcmp(t->exe, e->module)) &&
	       map_find(&t->facts.instrumented, e->module, strlen(e->module)) == MAP_NONE;
}

int computing_is_own(const struct computing *c, uint32_t entity)
{
	return entity < c->graph.n_entities && !computing_is_system(c, entity);
}

const struct row *computing_own_call(const struct computing *c, uint32_t entity)
{
	for (int level = 0; level < LEVELS && computing_is_system(c, entity); level++) {
		const struct row *edge = call_graph_main_caller(&c->graph, entity), *again;

		entity = edge ? call_graph_caller(edge) : NAMES_NONE;
		if (!computing_is_own(c, entity))
			continue;
		again = computing_repeated(c, edge);
		return again && computing_is_own(c, call_graph_caller(again)) ? again : edge;
	}
	return NULL;
}

int computing_is_one_of(const struct entity *entity, const char *const *globs)
{
	for (; *globs; globs++)
		if (globs_text_matches(*globs, entity->assembler))
			return 1;
	return 0;
}

/* ---- uses of a group of functions ------------------------------------------------------------ */

struct search {
	const struct computing *computing;
	const struct group *group;
	struct group_uses *uses;
	uint8_t *is_in_group;	/* by entity */
	int is_counted;		/* what is added: calls that are asked for */
	long double inner;	/* of what is added: calls on behalf of the group itself */
	struct int_map numbers; /* entity -> number in uses->list */
};

static const char *const moving[] = { "memcpy", "memmove", "__memcpy_*", "__memmove_*", NULL };

/* What programs call their own functions that allocate, where calls are not known. */
static const char *const allocators[] = { "*alloc*", "*Alloc*", "*free", "*Free", "*dealloc*", NULL };

/* Does the caller of this edge little else than make this call? */
static int is_wrapper(const struct computing *c, const struct row *edge, uint32_t caller)
{
	const struct row *node = c->graph.nodes[caller];
	int is_by_name = c->is_sampled || edge->are_calls_least;

	if (!node || computing_inclusive(c, node) >
			     (is_by_name ? 2 : 1) * WRAPPER_TIMES * computing_inclusive(c, edge))
		return 0;
	if (is_by_name)
		return computing_is_one_of(call_graph_entity(&c->graph, caller), allocators);
	return node->calls && edge->calls <= WRAPPER_CALLS * (long double)node->calls &&
	       WRAPPER_CALLS * (long double)edge->calls >= (long double)node->calls;
}

static int passes_on(const struct search *s, const struct row *edge, uint32_t caller)
{
	const struct row *above = call_graph_main_caller(&s->computing->graph, caller);

	return above && call_graph_caller(above) != NAMES_NONE &&
	       (computing_is_system(s->computing, caller) ||
		(s->group->has_wrappers && is_wrapper(s->computing, edge, caller) &&
		 (s->computing->is_sampled || call_graph_calls(&s->computing->graph, caller) > 1)));
}

static void add_use(struct search *s, uint32_t entity, const struct row *edge, long double amount,
		    long double calls)
{
	int is_new;
	uint32_t number = int_map_add(&s->numbers, entity, &is_new);
	struct group_use *use;

	if (is_new) {
		s->uses->list = xrealloc(s->uses->list, s->uses->n + 1, sizeof(*s->uses->list));
		s->uses->list[s->uses->n++] = (struct group_use){ .entity = entity };
	}
	use = &s->uses->list[number];
	use->amount += amount;
	use->calls += calls;
	if (calls > 0)
		use->are_calls_least |= edge->are_calls_least;
	else
		use->has_unseen_calls |= edge->are_calls_least;
	if (!use->edge ||
	    (s->is_counted == use->is_edge_counted ? amount > use->edge_amount : s->is_counted)) {
		use->edge = edge;
		use->edge_amount = amount;
		use->is_edge_counted = s->is_counted;
	}
}

/* May callers of a function be weighed by their calls? Where these are not known of all, as in a
 * mixed recording, or of nearly all of the function's calls, by their times: never some by one and
 * some by the other. */
static int are_calls_known(const struct computing *c, uint32_t entity, const struct row **in, size_t n)
{
	uint64_t calls = 0;
	int are_all = 1;

	for (size_t i = 0; i < n; i++) {
		are_all &= in[i]->calls && !in[i]->are_calls_least;
		calls += in[i]->calls;
	}
	return are_all || (c->graph.profile->totals.is_mixed && calls &&
			   (long double)calls >= CALLS_KNOWN * call_graph_calls(&c->graph, entity));
}

/* The weight of an edge among those that lead to the same function. */
static long double weight(const struct computing *c, const struct row *edge, int by_calls)
{
	return by_calls ? (long double)edge->calls : computing_inclusive(c, edge);
}

/* `amount` and `calls` are made by the caller of this edge, or passed on by it. */
static void spread(struct search *s, const struct row *edge, long double amount, long double calls,
		   long double part, int level)
{
	const struct call_graph *graph = &s->computing->graph;
	uint32_t caller = call_graph_caller(edge);
	const struct row **in;
	long double sum = 0;
	int by_calls;
	size_t n;

	if (caller >= graph->n_entities)
		return;
	if (s->is_in_group[caller]) { /* whoever calls that has it already */
		s->inner += amount;
		return;
	}
	if (level >= LEVELS || part < LEAST_PART || !passes_on(s, edge, caller)) {
		add_use(s, caller, edge, amount, calls);
		return;
	}
	in = call_graph_in(graph, caller, &n);
	by_calls = are_calls_known(s->computing, caller, in, n);
	for (size_t i = 0; i < n; i++)
		sum += call_graph_caller(in[i]) == caller ? 0 : weight(s->computing, in[i], by_calls);
	for (size_t i = 0; i < n && sum > 0; i++) {
		long double of_it = weight(s->computing, in[i], by_calls) / sum;

		if (call_graph_caller(in[i]) != caller)
			spread(s, in[i], amount * of_it, calls * of_it, part * of_it, level + 1);
	}
}

ORDER_ITEMS(by_amount, struct group_use, ORDER(y->amount, x->amount), ORDER(x->entity, y->entity))

/* Does nobody call it by name, so that samples only know of it? */
static int is_only_inside(const struct computing *c, const struct entity *entity)
{
	return c->is_sampled ||
	       !call_graph_calls(&c->graph, (uint32_t)(entity - c->graph.profile->names->list));
}

static int is_in_group(const struct computing *c, const struct group *group, const struct entity *entity)
{
	return computing_is_one_of(entity, group->globs) ||
	       (group->more && computing_is_one_of(entity, group->more)) ||
	       (group->inside && computing_is_one_of(entity, group->inside) && is_only_inside(c, entity)) ||
	       (group->module && entity->module &&
		!strncmp(util_basename(entity->module), group->module, strlen(group->module)));
}

static void find_group(struct search *s)
{
	const struct call_graph *graph = &s->computing->graph;

	s->is_in_group = xcalloc(graph->n_entities + 1, sizeof(*s->is_in_group));
	for (uint32_t e = 0; e < graph->n_entities; e++)
		s->is_in_group[e] =
			graph->nodes[e] && is_in_group(s->computing, s->group, call_graph_entity(graph, e));
}

/* Calls of a function of the group. Returns how much time they are. */
static long double add_calls(struct search *s, uint32_t entity)
{
	const struct computing *c = s->computing;
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);
	const struct entity *e = call_graph_entity(&c->graph, entity);
	long double sum = 0;

	s->inner = 0;
	s->is_counted = !s->group->counted || computing_is_one_of(e, s->group->counted);
	for (size_t i = 0; i < n; i++) {
		uint32_t caller = call_graph_caller(in[i]);
		uint64_t calls = s->is_counted ? in[i]->calls : 0;

		if (caller < c->graph.n_entities && s->is_in_group[caller])
			continue;
		s->uses->calls += calls;
		sum += computing_inclusive(c, in[i]);
		spread(s, in[i], computing_inclusive(c, in[i]), (long double)calls, 1, 0);
	}
	return fmaxl(0, sum - s->inner);
}

/* Tells whether the program's function makes this call in inlined code of the group's functions. */
static int is_inlined(const struct search *s, const struct row *edge)
{
	return computing_is_own(s->computing, call_graph_caller(edge)) &&
	       call_place_is_within(&s->computing->graph, edge, s->group->is_inlined);
}

/* Tells whether the group's functions, inlined or not, make all frequent calls of this function:
 * then it works for the group also where samples found it, which do not know who called. */
static int is_called_by_group(const struct search *s, const struct row **in, size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = in[i]->calls > most ? in[i]->calls : most;
	for (size_t i = 0; i < n; i++) {
		uint32_t caller = call_graph_caller(in[i]);

		if (in[i]->calls && SELDOM * in[i]->calls >= most &&
		    !(caller < s->computing->graph.n_entities && s->is_in_group[caller]) &&
		    !is_inlined(s, in[i]))
			return 0;
	}
	return most > 0;
}

/* Adds calls of a function that copies memory in inlined code of the group's functions. */
static void add_inlined(struct search *s, uint32_t entity)
{
	const struct computing *c = s->computing;
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);
	int is_by_group = is_called_by_group(s, in, n);

	s->is_counted = 1;
	for (size_t i = 0; i < n; i++) {
		uint32_t caller = call_graph_caller(in[i]);
		long double time = computing_inclusive(c, in[i]);

		if (time < INLINED_PART * c->total || !computing_is_own(c, caller) ||
		    s->is_in_group[caller] || !(in[i]->address ? is_inlined(s, in[i]) : is_by_group))
			continue;
		s->uses->calls += in[i]->calls;
		s->uses->amount += time;
		add_use(s, caller, in[i], time, 0);
	}
}

static int leads_to(const struct computing *c, uint32_t caller, uint32_t entity)
{
	for (int level = 0; level < LEVELS && entity < c->graph.n_entities; level++) {
		const struct row *edge = call_graph_main_caller(&c->graph, entity);

		entity = edge ? call_graph_caller(edge) : NAMES_NONE;
		if (entity == caller)
			return 1;
	}
	return 0;
}

/*
 * In a mixed recording samples of a library are taken for the innermost function that was timed,
 * however many callees lead from there to the library. Calls tell more: what a function has that
 * makes next to none of them is of its callee that makes most.
 */
static void move_to_callers(struct search *s)
{
	struct group_uses *uses = s->uses;
	struct group_use *most = uses->list;

	for (size_t i = 0; i < uses->n; i++)
		most = uses->list[i].calls > most->calls ? &uses->list[i] : most;
	if (!s->computing->graph.profile->totals.is_mixed || !uses->n ||
	    most->calls < MOST_CALLS * (long double)uses->calls)
		return;
	for (size_t i = 0; i < uses->n; i++)
		if (&uses->list[i] != most && uses->list[i].calls < FEW_CALLS * most->calls &&
		    leads_to(s->computing, uses->list[i].entity, most->entity)) {
			most->amount += uses->list[i].amount;
			uses->list[i].amount = 0;
		}
}

void group_uses_make(struct group_uses *uses, const struct computing *computing, const struct group *group)
{
	struct search search = { .computing = computing, .group = group, .uses = uses };
	long double most = 0;
	int is_main_counted = 0;

	*uses = (struct group_uses){ .main = NAMES_NONE };
	find_group(&search);
	for (uint32_t e = 0; e < computing->graph.n_entities; e++) {
		long double of_it = search.is_in_group[e] ? add_calls(&search, e) : 0;

		uses->amount += of_it;
		if (of_it > 0 && (search.is_counted == is_main_counted ? of_it > most : search.is_counted)) {
			most = of_it;
			uses->main = e;
			is_main_counted = search.is_counted;
		}
	}
	for (uint32_t e = 0; group->is_inlined && e < computing->graph.n_entities; e++)
		if (!search.is_in_group[e] &&
		    computing_is_one_of(call_graph_entity(&computing->graph, e), moving))
			add_inlined(&search, e);
	move_to_callers(&search);
	for (size_t i = 0; i < uses->n; i++)
		uses->list[i].are_calls_least |= uses->list[i].has_unseen_calls && uses->list[i].calls <= 0;
	util_sort(uses->list, uses->n, sizeof(*uses->list), by_amount, NULL);
	while (uses->n && uses->list[uses->n - 1].amount <= 0 && uses->list[0].amount > 0)
		uses->n--;
	free(search.is_in_group);
	int_map_release(&search.numbers);
}

void group_uses_release(struct group_uses *uses)
{
	free(uses->list);
	*uses = (struct group_uses){ 0 };
}
