/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call_clusters.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/util.h"

#define NONE UINT32_MAX
#define BYTES_MOST (1u << 20) /* of a cluster: what is larger does not lie close together */
#define CALLS_LEAST 10	      /* the best caller makes at least one in so many of the calls */
#define THINNER_MOST 8	      /* a caller's cluster is not to get thinner than by this factor */

/* A cluster is the list of functions that begins with its first one, whose number is its own. */
struct clustering {
	const struct call_clusters *calls;
	uint32_t *cluster;	  /* of each function */
	uint32_t *next, *last;	  /* of a function the one behind it; of a cluster its last one */
	uint64_t *weight, *bytes; /* of each cluster */
	uint32_t *caller;	  /* of each function: who calls it most; NONE */
	uint64_t *caller_weight;
};

/* ---- calls ----------------------------------------------------------------------------------- */

void call_clusters_init(struct call_clusters *clusters, size_t n)
{
	*clusters = (struct call_clusters){ .n = n };
	clusters->weights = xcalloc(n + 1, sizeof(*clusters->weights));
	clusters->bytes = xcalloc(n + 1, sizeof(*clusters->bytes));
	for (size_t i = 0; i < n; i++)
		clusters->bytes[i] = 1;
}

void call_clusters_release(struct call_clusters *clusters)
{
	free(clusters->weights);
	free(clusters->bytes);
	free(clusters->arc_weights);
	int_map_release(&clusters->arcs);
}

void call_clusters_add(struct call_clusters *clusters, uint32_t callee, uint64_t calls)
{
	clusters->weights[callee] += calls;
}

void call_clusters_add_arc(struct call_clusters *clusters, uint32_t caller, uint32_t callee, uint64_t calls)
{
	int is_new;
	uint32_t number;

	call_clusters_add(clusters, callee, calls);
	if (caller == callee || !calls)
		return;
	number = int_map_add(&clusters->arcs, int_map_pair(caller, callee), &is_new);
	ARRAY_REACH_ZEROED(clusters->arc_weights, number, clusters->size_arcs);
	clusters->arc_weights[number] += calls;
}

/* ---- clusters -------------------------------------------------------------------------------- */

/* Compares weight per byte: a / b without rounding, the heavier first. */
static int compare_density(uint64_t weight_a, uint64_t bytes_a, uint64_t weight_b, uint64_t bytes_b)
{
	long double a = (long double)weight_a * (long double)bytes_b;
	long double b = (long double)weight_b * (long double)bytes_a;

	return a > b ? -1 : a < b;
}

static int compare_functions(const void *a, const void *b, void *arg)
{
	const struct call_clusters *calls = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_density(calls->weights[x], calls->bytes[x], calls->weights[y], calls->bytes[y]);

	return order ? order : x < y ? -1 : x > y;
}

static int compare_clusters(const void *a, const void *b, void *arg)
{
	const struct clustering *c = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_density(c->weight[x], c->bytes[x], c->weight[y], c->bytes[y]);

	return order ? order : x < y ? -1 : x > y;
}

static void callers_find(struct clustering *c)
{
	for (size_t i = 0; i < c->calls->arcs.n; i++) {
		uint32_t caller = (uint32_t)(c->calls->arcs.keys[i] >> 32);
		uint32_t callee = (uint32_t)c->calls->arcs.keys[i];
		uint64_t weight = c->calls->arc_weights[i];

		if (c->caller[callee] != NONE && weight <= c->caller_weight[callee])
			continue;
		c->caller[callee] = caller;
		c->caller_weight[callee] = weight;
	}
}

/* Whether the function's cluster is to stand behind that of who calls it most. */
static int is_to_follow(const struct clustering *c, uint32_t function)
{
	uint32_t caller = c->caller[function], into, from = c->cluster[function];

	if (caller == NONE || c->cluster[caller] == from ||
	    c->caller_weight[function] < c->calls->weights[function] / CALLS_LEAST)
		return 0;
	into = c->cluster[caller];
	if (c->bytes[into] + c->bytes[from] > BYTES_MOST)
		return 0;
	return compare_density(THINNER_MOST * (c->weight[into] + c->weight[from]),
			       c->bytes[into] + c->bytes[from], c->weight[into], c->bytes[into]) <= 0;
}

static void append(struct clustering *c, uint32_t into, uint32_t from)
{
	c->next[c->last[into]] = from;
	c->last[into] = c->last[from];
	c->weight[into] += c->weight[from];
	c->bytes[into] += c->bytes[from];
	for (uint32_t i = from; i != NONE; i = c->next[i])
		c->cluster[i] = into;
}

static void clustering_begin(struct clustering *c, const struct call_clusters *calls)
{
	size_t n = calls->n;

	*c = (struct clustering){ .calls = calls };
	c->cluster = xcalloc(n + 1, sizeof(*c->cluster));
	c->next = xcalloc(n + 1, sizeof(*c->next));
	c->last = xcalloc(n + 1, sizeof(*c->last));
	c->weight = xcalloc(n + 1, sizeof(*c->weight));
	c->bytes = xcalloc(n + 1, sizeof(*c->bytes));
	c->caller = xcalloc(n + 1, sizeof(*c->caller));
	c->caller_weight = xcalloc(n + 1, sizeof(*c->caller_weight));
	for (uint32_t i = 0; i < n; i++) {
		c->cluster[i] = c->last[i] = i;
		c->next[i] = c->caller[i] = NONE;
		c->weight[i] = calls->weights[i];
		c->bytes[i] = calls->bytes[i];
	}
	callers_find(c);
}

static void clustering_release(struct clustering *c)
{
	free(c->cluster);
	free(c->next);
	free(c->last);
	free(c->weight);
	free(c->bytes);
	free(c->caller);
	free(c->caller_weight);
}

uint32_t *call_clusters_order(const struct call_clusters *calls)
{
	struct clustering c;
	FREED uint32_t *functions = xcalloc(calls->n + 1, sizeof(*functions));
	uint32_t *order = xcalloc(calls->n + 1, sizeof(*order));
	size_t n = 0, n_clusters = 0;

	clustering_begin(&c, calls);
	for (uint32_t i = 0; i < calls->n; i++)
		functions[i] = i;
	util_sort(functions, calls->n, sizeof(*functions), compare_functions, (void *)(uintptr_t)calls);
	for (size_t i = 0; i < calls->n; i++)
		if (is_to_follow(&c, functions[i]))
			append(&c, c.cluster[c.caller[functions[i]]], c.cluster[functions[i]]);
	for (uint32_t i = 0; i < calls->n; i++)
		if (c.cluster[i] == i)
			functions[n_clusters++] = i;
	util_sort(functions, n_clusters, sizeof(*functions), compare_clusters, &c);
	for (size_t i = 0; i < n_clusters; i++)
		for (uint32_t at = functions[i]; at != NONE; at = c.next[at])
			order[n++] = at;
	clustering_release(&c);
	return order;
}
