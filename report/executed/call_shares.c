/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call_shares.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/int_map.h"
#include "lib/order.h"
#include "lib/util.h"

#define NONE UINT32_MAX
/* Bounds the nodes that are made: so many in any case, and so many for each node that is given. */
#define NODES_MADE_MIN 65536u
#define NODES_MADE_EACH 4u

/* Describes the calls of one function. */
struct hidden {
	uint64_t seen;		  /* calls on the nodes that are given */
	uint64_t all;		  /* calls */
	uint64_t direct;	  /* calls by name that no event tells of, by their callers' code */
	uint64_t placed;	  /* of those that no event tells of: have known callers */
	uint64_t unknown;	  /* ... have none */
	uint64_t unnamed;	  /* of those seen: by instructions that do not name it */
	uint32_t n_given, n_made; /* nodes */
	int is_recursive;	  /* ... and calls itself, directly or not, without events */
	int is_guess;		  /* some calls may have been made elsewhere */
	size_t first;		  /* of the calls that it makes, in order */
};

struct making {
	struct call_shares *shares;
	struct hidden *of; /* by function */
	uint32_t *order;   /* numbers in shares->list, by caller */
	uint64_t *missing; /* of shares->list: calls that no event tells of */
	size_t n_given, size_weights;
	long double *weights;		    /* of nodes: calls */
	uint32_t unknown_caller, elsewhere; /* nodes; NONE */
	uint32_t *first_node, *next_node;   /* of a function; NONE: the last */
};

/* ---- whole numbers --------------------------------------------------------------------------- */

/* One of those that a number is divided among. */
struct part {
	uint32_t node;
	long double weight;
	uint64_t got;
	long double rest; /* what it has got too little */
};

ORDER_ITEMS(compare_rests, struct part, ORDER(y->rest, x->rest), ORDER(x->node, y->node))

/* Adds what rounding left over to the nodes that have most, or takes it from them. */
static uint64_t settle(struct part *parts, size_t n, uint64_t sum, uint64_t whole)
{
	for (size_t i = 0; i < n && sum > whole; i++) {
		uint64_t less = parts[i].got < sum - whole ? parts[i].got : sum - whole;

		parts[i].got -= less;
		sum -= less;
	}
	return sum;
}

/* Divides `whole` by weights, by the largest remainders: the parts add up to it. */
static void divide(struct part *parts, size_t n, uint64_t whole)
{
	long double weights = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		weights += parts[i].weight;
	for (size_t i = 0; i < n; i++) {
		long double exact = weights > 0 ? (long double)whole * (parts[i].weight / weights) : 0;

		parts[i].got = n == 1 ? whole : (uint64_t)exact;
		parts[i].rest = exact - (long double)parts[i].got;
		sum += parts[i].got;
	}
	sum = settle(parts, n, sum, whole);
	util_sort(parts, n, sizeof(*parts), compare_rests, NULL);
	for (size_t i = 0; n && sum < whole; i = (i + 1) % n) {
		parts[i].got++;
		sum++;
	}
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t node_add(struct making *m, uint32_t parent, uint32_t function, long double weight)
{
	struct call_shares *s = m->shares;
	uint32_t number = (uint32_t)s->n_nodes++;

	ARRAY_REACH(s->nodes, number, s->size_nodes);
	s->nodes[number] =
		(struct shares_node){ .parent = parent, .function = function, .caller = SHARES_NO_FUNCTION };
	ARRAY_REACH(m->weights, number, m->size_weights);
	m->weights[number] = weight;
	return number;
}

static uint32_t unknown_caller(struct making *m)
{
	if (m->unknown_caller == NONE)
		m->unknown_caller = node_add(m, 0, SHARES_UNKNOWN_CALLER, 0);
	return m->unknown_caller;
}

static int is_function(const struct call_shares *s, uint32_t function)
{
	return function < s->n_functions;
}

/* ---- what no event tells of ------------------------------------------------------------------ */

static void see(struct making *m, struct int_map *seen, uint64_t **seen_calls)
{
	const struct call_shares *s = m->shares;
	size_t size = 0;

	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct shares_node *node = &s->nodes[i];
		uint32_t number;
		int is_new;

		if (!is_function(s, node->function))
			continue;
		m->of[node->function].seen += node->calls;
		m->of[node->function].n_given++;
		m->of[node->function].unnamed += node->is_named ? 0 : node->calls;
		if (!is_function(s, node->caller))
			continue;
		number = int_map_add(seen, int_map_pair(node->caller, node->function), &is_new);
		ARRAY_ROOM(*seen_calls, number, size, 64);
		(*seen_calls)[number] = (is_new ? 0 : (*seen_calls)[number]) + node->calls;
	}
}

static int compare_callers(const void *a, const void *b, void *arg)
{
	const struct shares_calls *list = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER_FIRST(ORDER(list[x].from, list[y].from), ORDER(x, y));
}

/* Calls by name, less those of them that events tell of; in the order of their callers. */
static void direct_make(struct making *m)
{
	struct call_shares *s = m->shares;
	struct int_map seen = { 0 };
	uint64_t *seen_calls = NULL;

	see(m, &seen, &seen_calls);
	m->order = xcalloc(s->n_list + 1, sizeof(*m->order));
	m->missing = xcalloc(s->n_list + 1, sizeof(*m->missing));
	for (uint32_t i = 0; i < s->n_list; i++) {
		uint32_t at = int_map_find(&seen, int_map_pair(s->list[i].from, s->list[i].to));
		uint64_t n = at == INT_MAP_NONE ? 0 : seen_calls[at];

		m->missing[i] = s->list[i].n > n ? s->list[i].n - n : 0;
		m->of[s->list[i].to].direct += m->missing[i];
		m->order[i] = i;
	}
	util_sort(m->order, s->n_list, sizeof(*m->order), compare_callers, s->list);
	for (size_t f = 0, k = 0; f < s->n_functions; f++) {
		while (k < s->n_list && s->list[m->order[k]].from < f)
			k++;
		m->of[f].first = k;
	}
	int_map_release(&seen);
	free(seen_calls);
}

static void hidden_make(struct making *m)
{
	struct call_shares *s = m->shares;

	direct_make(m);
	for (size_t f = 0; f < s->n_functions; f++) {
		struct hidden *h = &m->of[f];
		const struct shares_function *function = &s->functions[f];
		uint64_t missing, known = function->has_calls ? function->calls : h->seen + h->direct;

		h->all = known > h->seen ? known : h->seen;
		missing = h->all - h->seen;
		h->placed = function->is_not_on_path ? 0 : h->direct < missing ? h->direct : missing;
		h->unknown = missing - h->placed;
		if (!h->all && !h->n_given && function->instructions)
			h->unknown = 1;
	}
}

/* Gives the nodes equal parts of what was executed without a known call, as in a forked child. */
static void weights_make(struct making *m)
{
	const struct call_shares *s = m->shares;

	m->weights = xcalloc(s->n_nodes + 1, sizeof(*m->weights));
	m->size_weights = s->n_nodes + 1;
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct shares_node *node = &s->nodes[i];

		m->weights[i] = is_function(s, node->function) && !m->of[node->function].all
					? 1
					: (long double)node->calls;
	}
}

/* Lists of each function's nodes. */
static void nodes_link(struct making *m)
{
	const struct call_shares *s = m->shares;

	free(m->first_node);
	free(m->next_node);
	m->first_node = xcalloc(s->n_functions + 1, sizeof(*m->first_node));
	m->next_node = xcalloc(s->n_nodes + 1, sizeof(*m->next_node));
	for (size_t f = 0; f < s->n_functions; f++)
		m->first_node[f] = NONE;
	for (size_t i = s->n_nodes; i-- > 0;) {
		uint32_t f = s->nodes[i].function;

		if (!is_function(s, f))
			continue;
		m->next_node[i] = m->first_node[f];
		m->first_node[f] = (uint32_t)i;
	}
}

/* ---- nodes below known callers --------------------------------------------------------------- */

/* Whether the function calls itself there by others that no event tells of: that is no node. */
static int is_within(const struct making *m, uint32_t node, uint32_t function)
{
	const struct shares_node *nodes = m->shares->nodes;

	while (node >= m->n_given && nodes[node].function != function && nodes[node].parent)
		node = nodes[node].parent;
	return nodes[node].function == function;
}

static void callees_add(struct making *m, uint32_t node, size_t most)
{
	struct call_shares *s = m->shares;
	uint32_t function = s->nodes[node].function;
	const struct hidden *caller = &m->of[function];
	long double part = caller->all ? m->weights[node] / (long double)caller->all : 0;

	for (size_t k = caller->first; k < s->n_list && s->list[m->order[k]].from == function; k++) {
		uint32_t number = m->order[k], to = s->list[number].to;
		struct hidden *callee = &m->of[to];
		long double calls;

		if (!m->missing[number] || !callee->placed || s->n_nodes >= most)
			continue;
		if (is_within(m, node, to)) {
			callee->is_recursive = 1;
			continue;
		}
		calls = part * (long double)m->missing[number] * (long double)callee->placed /
			(long double)callee->direct;
		if (calls * 2 < 1)
			continue;
		node_add(m, node, to, calls);
		callee->n_made++;
	}
}

/* Calls that have no known caller: to nodes of those that were seen to call the function without
 * naming it. */
static void unnamed_place(struct making *m, uint32_t function, struct part *parts)
{
	const struct shares_node *nodes = m->shares->nodes;
	struct hidden *h = &m->of[function];
	size_t n = 0;

	if (!h->unknown || !h->unnamed)
		return;
	for (uint32_t i = m->first_node[function]; i != NONE; i = m->next_node[i])
		if (!nodes[i].is_named && nodes[i].calls)
			parts[n++] = (struct part){ .node = i, .weight = (long double)nodes[i].calls };
	divide(parts, n, h->unknown);
	for (size_t i = 0; i < n; i++)
		m->weights[parts[i].node] += (long double)parts[i].got;
	h->unknown = 0;
	h->is_guess = 1;
}

static void unknown_add(struct making *m, uint32_t function)
{
	node_add(m, unknown_caller(m), function, (long double)m->of[function].unknown);
}

/* A function that would have no node at all: its callers have none either, or are called so seldom
 * that it is less than half a call. Returns whether one was added. */
static int lost_add(struct making *m)
{
	uint32_t n = (uint32_t)m->shares->n_functions;
	size_t before = m->shares->n_nodes;

	for (uint32_t f = 0; f < n; f++) {
		struct hidden *h = &m->of[f];

		if (!h->placed || h->n_given || h->n_made || h->unknown)
			continue;
		h->unknown = h->placed;
		h->placed = 0;
		unknown_add(m, f);
	}
	return m->shares->n_nodes > before;
}

/* Nodes are looked at in order, and so are those that are made. */
static void nodes_make(struct making *m)
{
	struct call_shares *s = m->shares;
	size_t most = s->n_nodes + NODES_MADE_EACH * s->n_nodes + NODES_MADE_MIN;
	uint32_t i = 0;

	for (uint32_t f = 0; f < s->n_functions; f++)
		if (m->of[f].unknown)
			unknown_add(m, f);
	m->n_given = s->n_nodes;
	do {
		for (; i < s->n_nodes; i++)
			if (is_function(s, s->nodes[i].function))
				callees_add(m, i, most);
	} while (lost_add(m));
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* The function's nodes from a number on, with weights; returns how many. */
static size_t parts_of(const struct making *m, uint32_t function, size_t from, struct part *parts)
{
	size_t n = 0;

	for (uint32_t i = m->first_node[function]; i != NONE; i = m->next_node[i])
		if (i >= from && m->weights[i] > 0)
			parts[n++] = (struct part){ .node = i, .weight = m->weights[i] };
	return n;
}

/* Calls that no event tells of, whose callers are known: to nodes that were made for them; where
 * there are none (it only calls itself so), to those that it has. */
static void calls_place(struct making *m, uint32_t function, struct part *parts)
{
	const struct hidden *h = &m->of[function];
	size_t n = parts_of(m, function, h->n_made ? m->n_given : 0, parts);

	divide(parts, n, h->placed);
	for (size_t i = 0; i < n; i++) {
		if (h->n_made)
			m->weights[parts[i].node] = 0;
		m->weights[parts[i].node] += (long double)parts[i].got;
	}
}

static uint64_t mixed_up(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The node without a caller that all parts are below; 0: there are several. */
static uint32_t top_of(const struct making *m, const struct part *parts, size_t n)
{
	const struct shares_node *nodes = m->shares->nodes;
	uint32_t top = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t at = parts[i].node;

		while (nodes[at].parent)
			at = nodes[at].parent;
		if (i && at != top)
			return 0;
		top = at;
	}
	return top;
}

/* A node that has nothing, for the mark of what may have been elsewhere: somewhere below what its
 * thread began with. */
static uint32_t elsewhere(struct making *m, uint32_t top)
{
	if (!top)
		return unknown_caller(m);
	if (m->elsewhere == NONE || m->shares->nodes[m->elsewhere].parent != top)
		m->elsewhere = node_add(m, top, SHARES_UNKNOWN_CALLER, 0);
	return m->elsewhere;
}

static void mark_add(struct making *m, uint32_t node, uint64_t mark)
{
	uint64_t *to = &m->shares->nodes[node].mark;

	*to = (*to + mark) % SHARES_WHOLE;
}

/* Marks are numbers without a meaning, always the same ones. */
static void marks_set(struct making *m, uint32_t function, const struct part *parts, size_t n)
{
	const struct shares_function *f = &m->shares->functions[function];
	const struct hidden *h = &m->of[function];
	uint64_t seed = mixed_up(function + 1 + f->instructions), sum = 0;
	size_t n_marked = h->is_guess ? n : n - 1;

	for (size_t i = 0; i < n_marked; i++) {
		uint64_t mark = mixed_up(seed + i * UINT64_C(0x9e3779b97f4a7c15)) % (SHARES_WHOLE - 1) + 1;

		mark_add(m, parts[i].node, mark);
		sum = (sum + mark) % SHARES_WHOLE;
	}
	mark_add(m, h->is_guess ? elsewhere(m, top_of(m, parts, n)) : parts[n - 1].node, SHARES_WHOLE - sum);
	/* how often one was called that returns twice (setjmp) is known by events only */
	if (!f->is_estimate && (f->has_calls || !h->direct))
		return;
	for (size_t i = 0; i < n; i++)
		mark_add(m, parts[i].node, mixed_up(~seed + i) % (SHARES_WHOLE - 1) + 1);
}

static void share_function(struct making *m, uint32_t function, struct part *parts)
{
	struct call_shares *s = m->shares;
	const struct shares_function *f = &s->functions[function];
	size_t n;

	calls_place(m, function, parts);
	n = parts_of(m, function, 0, parts);
	divide(parts, n, f->instructions);
	for (size_t i = 0; i < n; i++)
		s->nodes[parts[i].node].instructions = parts[i].got;
	for (uint32_t i = m->first_node[function]; i != NONE; i = m->next_node[i]) {
		s->nodes[i].calls = m->of[function].all ? (uint64_t)m->weights[i] : 0;
		s->nodes[i].is_recursive = m->of[function].is_recursive;
	}
	if (f->instructions && n)
		marks_set(m, function, parts, n);
}

void call_shares_make(struct call_shares *shares)
{
	struct making m = { .shares = shares, .unknown_caller = NONE, .elsewhere = NONE };
	struct part *parts;

	m.of = xcalloc(shares->n_functions + 1, sizeof(*m.of));
	hidden_make(&m);
	weights_make(&m);
	nodes_link(&m);
	parts = xcalloc(shares->n_nodes + 1, sizeof(*parts));
	for (uint32_t f = 0; f < shares->n_functions; f++)
		unnamed_place(&m, f, parts);
	free(parts);
	nodes_make(&m);
	nodes_link(&m);
	parts = xcalloc(shares->n_nodes + 1, sizeof(*parts));
	for (uint32_t f = 0; f < shares->n_functions; f++)
		share_function(&m, f, parts);
	free(parts);
	free(m.of);
	free(m.weights);
	free(m.order);
	free(m.missing);
	free(m.first_node);
	free(m.next_node);
}
