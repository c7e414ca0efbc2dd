/* SPDX-License-Identifier: GPL-3.0-or-later */
/* operating.c - see operating.h. */
#include "operating.h"

#include "lib/order.h"

#include <math.h>
#include <stdlib.h>

#define PART_OF_OTHERS 10 /* if one of so many calls waits, or is waited for: they are answers */
#define CLIENTS_MOST 1000 /* that are answered after one poll */
/* std::endl at the end of a function is a jump, of which is not seen whether it entered the kernel:
 * if it takes so long it did, ns. */
#define KERNEL_NS 150

static uint64_t os_count(const struct row *row, enum os_kind kind)
{
	return row->os ? row->os->exclusive.of[kind] : 0;
}

static struct kernel_site site_of(const struct row *edge, enum call_kind kind)
{
	const struct sums *sums = &edge->sums;
	struct kernel_site site = { .edge = edge,
				    .caller = call_graph_caller(edge),
				    .kind = kind,
				    .calls = edge->calls,
				    .entered = os_count(edge, OS_SYSCALL),
				    .voluntary = os_count(edge, OS_VOLUNTARY),
				    .involuntary = os_count(edge, OS_INVOLUNTARY),
				    .elapsed = sums->elapsed_exclusive,
				    .off_cpu = sums->off_cpu_exclusive,
				    .on_cpu = fmaxl(sums->elapsed_exclusive - sums->off_cpu_exclusive, 0),
				    .usual = durations_quantile(&edge->durations, 0.5) };

	if (site.entered)
		return site;
	/* called through a pointer, or by a function that has used the register since */
	if (kind == CALL_READ || kind == CALL_WRITE || kind == CALL_ASK || kind == CALL_OPEN)
		site.entered = site.calls;
	if (kind == CALL_FLUSH && site.usual >= KERNEL_NS)
		site.entered = site.calls;
	return site;
}

ORDER_ITEMS(by_time, struct kernel_site, ORDER(y->elapsed, x->elapsed), ORDER(x->edge, y->edge))

static void add_calls(struct operating *o, const struct call_graph *graph, uint32_t callee,
		      enum call_kind kind)
{
	size_t n;
	const struct row **in = call_graph_in(graph, callee, &n);

	for (size_t i = 0; i < n; i++) {
		struct kernel_site site = site_of(in[i], kind);

		if (kind == CALL_POLL)
			o->polls += site.calls;
		o->reads += kind == CALL_READ ? site.calls : 0;
		o->writes += kind == CALL_WRITE ? site.calls : 0;
		if ((site.entered || kind != CALL_OTHER) && site.caller < graph->n_entities)
			o->sites[o->n_sites++] = site;
	}
}

void operating_make(struct operating *operating, const struct call_graph *graph, const uint8_t *known)
{
	const struct profile *profile = graph->profile;

	*operating = (struct operating){ 0 };
	if (profile_is_sampled(profile))
		return;
	operating->on_cpu = fmaxl(profile->totals.elapsed - waits_sum(&profile->totals.facts.waits), 0);
	operating->sites = xcalloc(profile->n_rows + 1, sizeof(*operating->sites));
	for (uint32_t e = 0; e < graph->n_entities; e++) {
		const struct entity *entity = call_graph_entity(graph, e);

		if (entity->is_function)
			add_calls(operating, graph, e,
				  call_kind_of(entity->assembler, (enum known_function)known[e]));
	}
	util_sort(operating->sites, operating->n_sites, sizeof(*operating->sites), by_time, NULL);
}

void operating_release(struct operating *operating)
{
	free(operating->sites);
	*operating = (struct operating){ 0 };
}

/* A server that reads a request and writes the answer, for many clients each time it looks. */
static int is_of_server(const struct operating *o, const struct kernel_site *site)
{
	uint64_t most = o->reads > o->writes ? o->reads : o->writes;
	uint64_t least = o->reads > o->writes ? o->writes : o->reads;

	return (site->kind == CALL_READ || site->kind == CALL_WRITE) &&
	       least * PART_OF_OTHERS >= most * (PART_OF_OTHERS - 1) && o->polls * CLIENTS_MOST >= most;
}

/* Tells whether reads that wait are as many as these writes: of each piece somebody waits for the
 * next one, as of requests and their answers. */
static int is_in_turn(const struct operating *o, const struct kernel_site *site)
{
	uint64_t waiting = 0;

	if (site->kind != CALL_WRITE)
		return 0;
	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_READ && o->sites[i].voluntary * 2 >= o->sites[i].calls)
			waiting += o->sites[i].calls;
	return waiting * PART_OF_OTHERS >= site->calls * (PART_OF_OTHERS - 1);
}

int kernel_site_enters(const struct kernel_site *site)
{
	return site->entered >= KERNEL_SITE_MANY && site->entered * 2 >= site->calls;
}

int kernel_site_is_question(const struct kernel_site *site)
{
	return site->kind == CALL_OTHER || site->kind == CALL_ASK || site->kind == CALL_OPEN;
}

int kernel_site_is_answer(const struct operating *operating, const struct kernel_site *site)
{
	return operating->polls * PART_OF_OTHERS >= site->calls || is_of_server(operating, site) ||
	       is_in_turn(operating, site) || site->voluntary * PART_OF_OTHERS >= site->calls ||
	       /* who is waiting for what was written gets the processor */
	       (site->kind == CALL_WRITE && site->involuntary * PART_OF_OTHERS >= site->calls);
}
