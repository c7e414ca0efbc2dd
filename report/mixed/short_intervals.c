/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * short_intervals.c - the time of timed functions whose intervals are short compared with the cost
 * of their probes (join.h). A processor hides a part of each probe beside the program's own work,
 * more in one function than in another, so that no calibrated cost corrects such an interval.
 * Samples do: an address shows whether the program or a probe was executed.
 *
 * Nodes with short intervals exchange time within a region: below the nearest caller whose calls
 * are long. The time that the region's nodes measured on the processor is divided among them, the
 * counted functions that they called, and the probes, by their samples. A region with too few
 * samples to be better than the calibration is a part of the next one; if there is none, its nodes
 * are corrected by the calibration.
 *
 * Within a region, nodes of one function that have few samples are taken together: samples give
 * their sum, calibrated values divide it. Functions that have few samples in all share theirs by
 * their samples, and by the calibration with the weight of one sample for each function. All nodes
 * of a function are taken together where only the function is known: for many samples without the
 * outer end of their stack; for those that a thread took of itself, where the interval was short
 * (then there is one region).
 */
#include <stdlib.h>
#include <string.h>

#include "file/samples_paths.h"
#include "join.h"
#include "lib/array.h"
#include "lib/share.h"
#include "values/overhead.h"

#define SHORT_PART 50		 /* an interval is short if its probes cost this part of it */
#define LONG_NS 20000		 /* a call that takes as long may begin a region */
#define BETTER_SAMPLES 25	 /* samples * (cost / ticks)^2: from here on they know better */
#define UNIT (UINT64_C(1) << 20) /* parts of a sample, for shares of less */
#define FEW_ARE_CUT 8		 /* of so many samples one may have lost its stack's outer end */
#define MANY_SAMPLES 16		 /* that a node has, or is expected to have */

struct region_sum {
	uint64_t ticks, cost, samples;
};

struct short_function {
	uint32_t node;	   /* a short one of it; 0: there is none */
	uint64_t unplaced; /* samples in it of which no node is known */
	uint64_t own, cut; /* ... of which one is; of stacks without their outer end */
};

/* Holds what short_intervals_make() knows of a thread. */
struct making {
	struct projection *p;
	struct short_intervals *s;
	struct overheads overheads;
	uint64_t *on_cpu, *cost;    /* by node, of short ones: ticks; else 0 */
	uint64_t *measured, *costs; /* by node, of all that are functions */
	uint64_t *inclusive;	    /* by node: ticks */
	uint32_t *begin_of;	    /* by node: that begins the region which it is in */
	struct region_sum *sums;    /* by node that begins a region */
	struct map function_keys;
	struct short_function *functions;
	size_t n_functions;
	uint32_t *function_of; /* by node */
	uint64_t unplaced_probes;
};

/* ---- nodes ----------------------------------------------------------------------------------- */

static const struct cinstr_cell *cell_at(const struct making *m, uint32_t node)
{
	return m->p->thread->nodes[node].cell;
}

static uint32_t kind_at(const struct making *m, uint32_t node)
{
	return CINSTR_CELL_KIND(cell_at(m, node)->tag);
}

static int is_function(uint32_t kind)
{
	return kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT;
}

/* Samples of a node, and of what it has called that was counted. */
static uint64_t samples_of(const struct owned *owned)
{
	return owned->own + owned->probes + owned->stubs + owned->estimated;
}

/* Adds what a cell, the node or a source line of it, has measured and what its probes cost. */
static void own_add(struct making *m, uint32_t node, uint32_t own)
{
	struct overhead overhead = overheads_of(&m->overheads, own);

	m->measured[node] += division_on_cpu(m->p->join->data, cell_at(m, own));
	m->costs[node] += overhead.of[OVERHEAD_MEAN];
}

/* Source lines stand behind their function, which has their time. */
static uint32_t holder_of(const struct making *m, uint32_t node)
{
	while (node && kind_at(m, node) == CINSTR_CELL_LINE)
		node = m->p->thread->nodes[node].parent;
	return node;
}

static void nodes_measure(struct making *m)
{
	const struct data_thread *thread = m->p->thread;

	for (uint32_t i = (uint32_t)thread->n_nodes; i-- > 0;) {
		own_add(m, holder_of(m, i), i);
		m->inclusive[i] += cell_at(m, i)->ticks;
		if (i)
			m->inclusive[thread->nodes[i].parent] += m->inclusive[i];
	}
	for (uint32_t i = 0; i < thread->n_nodes; i++) {
		if (!is_function(kind_at(m, i)) || !m->costs[i] || m->costs[i] < m->measured[i] / SHORT_PART)
			continue;
		m->on_cpu[i] = m->measured[i];
		m->cost[i] = m->costs[i];
	}
}

/* ---- regions --------------------------------------------------------------------------------- */

static int begins_region(const struct making *m, uint32_t node, uint64_t long_ticks)
{
	uint64_t calls = cell_at(m, node)->calls;

	return is_function(kind_at(m, node)) && m->inclusive[node] / (calls ? calls : 1) >= long_ticks;
}

/* Sets m->begin_of. Callers stand before callees. */
static void begins_find(struct making *m)
{
	const struct data_thread *thread = m->p->thread;
	int is_known;
	uint64_t long_ticks = (uint64_t)(LONG_NS / data_ns_per_tick(m->p->join->data, &is_known));

	for (uint32_t i = 1; m->p->join->sampled && i < thread->n_nodes; i++)
		m->begin_of[i] = begins_region(m, i, long_ticks) ? i : m->begin_of[thread->nodes[i].parent];
}

/* Returns whether the region has samples enough to be nearer the truth than the calibration. */
static int knows_better(const struct region_sum *sum)
{
	long double part = sum->ticks ? (long double)sum->cost / (long double)sum->ticks : 0;

	return (long double)sum->samples * part * part >= BETTER_SAMPLES;
}

static void sum_add(struct region_sum *to, const struct region_sum *from)
{
	to->ticks += from->ticks;
	to->cost += from->cost;
	to->samples += from->samples;
}

static void regions_sum(struct making *m)
{
	const struct data_thread *thread = m->p->thread;

	for (uint32_t i = 0; i < thread->n_nodes; i++) {
		if (!m->on_cpu[i])
			continue;
		sum_add(&m->sums[m->begin_of[i]],
			&(struct region_sum){ m->on_cpu[i], m->cost[i], samples_of(&m->p->owned[i]) });
	}
	m->sums[0].samples += m->unplaced_probes;
	for (size_t i = 0; i < m->n_functions; i++)
		m->sums[0].samples += m->functions[i].unplaced;
}

/* Regions that know too little are taken into the next ones, callees before callers; `into` has
 * where they went. */
static void regions_take_in(struct making *m, uint32_t *into)
{
	const struct data_thread *thread = m->p->thread;

	for (uint32_t i = (uint32_t)thread->n_nodes; i-- > 0;) {
		into[i] = i;
		if (!i || !m->sums[i].ticks || knows_better(&m->sums[i]))
			continue;
		into[i] = m->begin_of[thread->nodes[i].parent];
		sum_add(&m->sums[into[i]], &m->sums[i]);
	}
	for (uint32_t i = 0; i < thread->n_nodes; i++)
		into[i] = into[into[i]]; /* where that went: it stands before i */
}

static uint32_t region_number(struct making *m, uint32_t begin, uint32_t *numbers)
{
	if (!numbers[begin])
		numbers[begin] = ++m->s->n_regions;
	return numbers[begin];
}

/* Sets s->region_of of the nodes whose samples know better. */
static void regions_make(struct making *m)
{
	size_t n = m->p->thread->n_nodes;
	uint32_t *into = xcalloc(n, sizeof(*into)), *numbers = xcalloc(n, sizeof(*numbers));

	begins_find(m);
	regions_sum(m);
	regions_take_in(m, into);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = into[m->begin_of[i]];

		if (m->on_cpu[i] && knows_better(&m->sums[at]))
			m->s->region_of[i] = region_number(m, at, numbers);
	}
	free(into);
	free(numbers);
}

/* ---- functions ------------------------------------------------------------------------------- */

static uint32_t function_number(struct making *m, uint32_t kind, const void *key, size_t length)
{
	char bytes[256] = { (char)kind };
	int is_new;
	uint32_t number;

	length = length < sizeof(bytes) - 1 ? length : sizeof(bytes) - 1;
	memcpy(bytes + 1, key, length);
	number = (uint32_t)map_add(&m->function_keys, bytes, length + 1, &is_new);
	ARRAY_REACH_ZEROED(m->functions, number, m->n_functions);
	return number;
}

/* Returns the number of the function that a node's calls are of. */
static uint32_t function_of_node(struct making *m, uint32_t node)
{
	const struct cinstr_cell *cell = cell_at(m, node);
	const struct module *module = modules_by_code(&m->p->join->data->modules, cell->site);
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;
	uint32_t kind = kind_at(m, node);
	uint64_t target = CINSTR_CELL_TARGET(cell);

	if (kind == CINSTR_CELL_INDIRECT)
		return function_number(m, kind, &target, sizeof(target));
	if (kind == CINSTR_CELL_CALL && site && site->callee)
		return function_number(m, kind, site->callee, strlen(site->callee));
	return function_number(m, kind, kind == CINSTR_CELL_CALL ? &cell->site : &cell->func,
			       sizeof(cell->func));
}

/* Returns the number of the function that a sample is in, or JOIN_NONE: no short node is of it. */
static uint32_t function_of_frame(struct making *m, const struct frame *frame)
{
	uint32_t numbers[3], n = 0;

	if (frame->kind == FRAME_PROBED)
		numbers[n++] = function_number(m, CINSTR_CELL_FRAME, &frame->code, sizeof(frame->code));
	if (frame->kind == FRAME_PLAIN && frame->callee)
		numbers[n++] = function_number(m, CINSTR_CELL_CALL, frame->callee, strlen(frame->callee));
	if (frame->kind == FRAME_PLAIN && frame->address)
		numbers[n++] =
			function_number(m, CINSTR_CELL_INDIRECT, &frame->address, sizeof(frame->address));
	for (uint32_t i = 0; i < n; i++)
		if (m->functions[numbers[i]].node)
			return numbers[i];
	return JOIN_NONE;
}

static void functions_find(struct making *m)
{
	const struct projection *p = m->p;

	for (uint32_t i = 1; i < p->thread->n_nodes; i++) {
		if (!m->on_cpu[i])
			continue;
		m->function_of[i] = function_of_node(m, i);
		m->functions[m->function_of[i]].node = i;
		m->functions[m->function_of[i]].own += p->owned[i].own;
		m->functions[m->function_of[i]].cut += p->owned[i].cut;
	}
	for (uint32_t place = 0; place < p->n_unplaced; place++) {
		const struct frame *frame = p->unplaced[place] ? &p->join->frames[place] : NULL;
		uint32_t number;

		if (!frame)
			continue;
		if (frame->kind == FRAME_PROBE || frame->kind == FRAME_STUB) {
			m->unplaced_probes += p->unplaced[place];
			continue;
		}
		number = function_of_frame(m, frame);
		if (number != JOIN_NONE)
			m->functions[number].unplaced += p->unplaced[place];
	}
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* A node that has many samples, or those of a function that have few. */
struct group {
	uint32_t region;
	uint64_t samples, weight;
	struct parts parts; /* what its nodes get */
};

struct groups {
	struct int_map keys; /* (region, node, or behind all nodes a function) */
	struct group *list;
	size_t size;
	uint32_t *of;		/* by node */
	long double *densities; /* by region: samples that are expected of one unit of weight */
};

/* Returns the node's ticks less its calibrated cost: what it weighs in its group. Never 0. */
static uint64_t weight_of(const struct making *m, uint32_t node)
{
	uint64_t ticks = m->on_cpu[node], rest = ticks > m->cost[node] ? ticks - m->cost[node] : 0;

	return (rest > ticks / 64 ? rest : ticks / 64) + 1;
}

static uint32_t group_number(struct groups *groups, uint32_t region, uint32_t key)
{
	int is_new;
	uint32_t number = int_map_add(&groups->keys, int_map_pair(region, key), &is_new);

	ARRAY_ROOM(groups->list, number, groups->size, 64);
	if (is_new)
		groups->list[number] = (struct group){ .region = region };
	return number;
}

static void densities_make(const struct making *m, struct groups *groups)
{
	const struct short_intervals *s = m->s;
	long double *samples = groups->densities = xcalloc(s->n_regions + 1, sizeof(*samples));
	long double *weight = xcalloc(s->n_regions + 1, sizeof(*weight));

	for (uint32_t i = 0; i < m->p->thread->n_nodes; i++) {
		samples[s->region_of[i]] += (long double)m->p->owned[i].own;
		weight[s->region_of[i]] += (long double)weight_of(m, i);
	}
	for (size_t i = 0; i < m->n_functions; i++) /* there is one region */
		samples[s->n_regions] += (long double)m->functions[i].unplaced;
	for (uint32_t r = 1; r <= s->n_regions; r++)
		samples[r] /= weight[r];
	free(weight);
}

static int has_many(const struct groups *groups, uint32_t region, uint64_t samples, uint64_t weight)
{
	return samples >= MANY_SAMPLES || groups->densities[region] * (long double)weight >= MANY_SAMPLES;
}

/* Returns whether the samples of the node's function tell its nodes apart. */
static int tells_nodes(const struct making *m, uint32_t node)
{
	const struct short_function *function = &m->functions[m->function_of[node]];

	return m->p->join->sampled && function->cut * FEW_ARE_CUT <= function->own;
}

static void groups_make(const struct making *m, struct groups *groups)
{
	uint32_t n = (uint32_t)m->p->thread->n_nodes;

	groups->of = xcalloc(n, sizeof(*groups->of));
	densities_make(m, groups);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t region = m->s->region_of[i];
		uint64_t samples = m->p->owned[i].own, weight = weight_of(m, i);
		int is_alone = region && tells_nodes(m, i) && has_many(groups, region, samples, weight);

		if (!region)
			continue;
		groups->of[i] = group_number(groups, region, is_alone ? i : n + m->function_of[i]);
		groups->list[groups->of[i]].samples += samples;
		groups->list[groups->of[i]].weight += weight;
	}
	for (size_t i = 0; i < m->n_functions; i++)
		if (m->functions[i].unplaced)
			groups->list[groups->of[m->functions[i].node]].samples += m->functions[i].unplaced;
}

static void groups_release(struct groups *groups)
{
	int_map_release(&groups->keys);
	free(groups->list);
	free(groups->of);
	free(groups->densities);
}

/* Groups of a region that have few samples; these in UNITs. */
struct few {
	uint64_t n, samples, weight;
	struct parts parts;
};

static int has_few(const struct groups *groups, const struct group *group)
{
	return !has_many(groups, group->region, group->samples, group->weight);
}

/* Samples of a group among others that have few, in UNITs: its own, and one for each group, which
 * they share as the calibration says. */
static uint64_t likely_samples(const struct few *few, const struct group *group)
{
	return UNIT * group->samples + share(UNIT * few->n, group->weight, few->weight);
}

/* Returns what is added to the samples, in UNITs: where they have none, and are expected to have
 * less than one, they have run all the same. */
static uint64_t less_than_one(const struct groups *groups, uint32_t region, const struct few *few)
{
	long double expected = groups->densities[region] * (long double)few->weight;

	return expected < 1 ? (uint64_t)(expected * UNIT) : UNIT;
}

/* ---- ticks ----------------------------------------------------------------------------------- */

/* Holds the samples and ticks of one region while its nodes get their parts. */
struct dividing {
	struct parts parts, probes;
	uint64_t n_probes, missing; /* ticks that nodes have measured, and do not get */
};

static void regions_begin(struct making *m, struct dividing *regions)
{
	for (uint32_t i = 0; i < m->p->thread->n_nodes; i++) {
		struct dividing *region = &regions[m->s->region_of[i]];

		if (!m->s->region_of[i])
			continue;
		region->parts.ticks += m->on_cpu[i];
		region->parts.all += UNIT * samples_of(&m->p->owned[i]);
		region->n_probes += m->p->owned[i].probes;
	}
	regions[m->s->n_regions].n_probes += m->unplaced_probes;
	regions[m->s->n_regions].parts.all += UNIT * m->unplaced_probes;
	for (size_t i = 0; i < m->n_functions; i++)
		regions[m->s->n_regions].parts.all += UNIT * m->functions[i].unplaced;
}

static struct few *few_make(const struct making *m, const struct groups *groups, struct dividing *regions)
{
	struct few *few = xcalloc(m->s->n_regions + 1, sizeof(*few));

	for (size_t i = 0; i < groups->keys.n; i++) {
		struct few *f = &few[groups->list[i].region];

		if (!has_few(groups, &groups->list[i]))
			continue;
		f->n++;
		f->samples += UNIT * groups->list[i].samples;
		f->weight += groups->list[i].weight;
	}
	for (size_t i = 0; i < groups->keys.n; i++)
		if (has_few(groups, &groups->list[i]))
			few[groups->list[i].region].parts.all +=
				likely_samples(&few[groups->list[i].region], &groups->list[i]);
	for (uint32_t r = 1; r <= m->s->n_regions; r++) {
		uint64_t more = less_than_one(groups, r, &few[r]);

		regions[r].parts.all += more;
		few[r].parts.ticks = division_part(&regions[r].parts, few[r].samples + more);
	}
	return few;
}

static void groups_get(const struct making *m, struct groups *groups, struct dividing *regions)
{
	struct few *few = few_make(m, groups, regions);

	for (size_t i = 0; i < groups->keys.n; i++) {
		struct group *group = &groups->list[i];
		struct few *f = &few[group->region];

		group->parts.all = group->weight;
		group->parts.ticks =
			has_few(groups, group)
				? division_part(&f->parts, likely_samples(f, group))
				: division_part(&regions[group->region].parts, UNIT * group->samples);
	}
	free(few);
}

/* Sets s->own and s->below, and adds up what nodes have measured more than they get. */
static void nodes_get(struct making *m, struct groups *groups, struct dividing *regions)
{
	struct short_intervals *s = m->s;

	groups_get(m, groups, regions);
	for (uint32_t i = 0; i < m->p->thread->n_nodes; i++) {
		struct dividing *region = &regions[s->region_of[i]];
		const struct owned *owned = &m->p->owned[i];
		uint64_t gets;

		if (!s->region_of[i])
			continue;
		s->own[i] = division_part(&groups->list[groups->of[i]].parts, weight_of(m, i));
		s->below[i] = division_part(&region->parts, UNIT * (owned->stubs + owned->estimated));
		gets = s->own[i] + s->below[i];
		region->missing += m->on_cpu[i] > gets ? m->on_cpu[i] - gets : 0;
	}
}

/* Sets s->probes: nodes that get less than they have measured share the probes' ticks. */
static void probes_get(struct making *m, struct dividing *regions)
{
	struct short_intervals *s = m->s;

	for (uint32_t r = 1; r <= s->n_regions; r++) {
		struct dividing *region = &regions[r];

		s->regions[r - 1] = (struct mixed_pool){ .n = region->parts.all / UNIT - region->n_probes,
							 .region = MIXED_NO_POOL,
							 .ticks = region->parts.ticks };
		region->probes = (struct parts){ division_part(&region->parts, UNIT * region->n_probes),
						 region->missing, 0 };
		s->regions[r - 1].ticks -= region->probes.ticks;
	}
	for (uint32_t i = 0; i < m->p->thread->n_nodes; i++) {
		uint64_t gets = s->own[i] + s->below[i];

		if (s->region_of[i] && m->on_cpu[i] > gets)
			s->probes[i] = division_part(&regions[s->region_of[i]].probes, m->on_cpu[i] - gets);
	}
}

static void divide(struct making *m)
{
	struct groups groups = { 0 };
	struct dividing *regions = xcalloc(m->s->n_regions + 1, sizeof(*regions));

	groups_make(m, &groups);
	regions_begin(m, regions);
	m->s->regions = xcalloc(m->s->n_regions, sizeof(*m->s->regions));
	nodes_get(m, &groups, regions);
	probes_get(m, regions);
	groups_release(&groups);
	free(regions);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Samples whose function has no short node are in no interval that is known. */
static void count_unplaced(const struct making *m)
{
	struct mixed_samples *counts = m->p->join->counts;
	uint64_t n = 0, placed = m->s->n_regions ? m->unplaced_probes : 0;

	for (uint32_t place = 0; place < m->p->n_unplaced; place++)
		n += m->p->unplaced[place];
	for (size_t i = 0; m->s->n_regions && i < m->n_functions; i++)
		placed += m->functions[i].unplaced;
	counts->joined += placed;
	counts->probes += m->s->n_regions ? m->unplaced_probes : 0;
	counts->no_interval += n - placed;
}

static void making_release(struct making *m)
{
	overheads_release(&m->overheads);
	map_release(&m->function_keys);
	free(m->functions);
	free(m->function_of);
	free(m->on_cpu);
	free(m->cost);
	free(m->measured);
	free(m->costs);
	free(m->inclusive);
	free(m->begin_of);
	free(m->sums);
}

void short_intervals_make(struct short_intervals *s, struct projection *p)
{
	size_t n = p->thread->n_nodes;
	struct making m = { .p = p,
			    .s = s,
			    .on_cpu = xcalloc(n, sizeof(*m.on_cpu)),
			    .cost = xcalloc(n, sizeof(*m.cost)),
			    .measured = xcalloc(n, sizeof(*m.measured)),
			    .costs = xcalloc(n, sizeof(*m.costs)),
			    .inclusive = xcalloc(n, sizeof(*m.inclusive)),
			    .begin_of = xcalloc(n, sizeof(*m.begin_of)),
			    .sums = xcalloc(n, sizeof(*m.sums)),
			    .function_of = xcalloc(n, sizeof(*m.function_of)) };

	*s = (struct short_intervals){ .region_of = xcalloc(n, sizeof(*s->region_of)),
				       .own = xcalloc(n, sizeof(*s->own)),
				       .below = xcalloc(n, sizeof(*s->below)),
				       .probes = xcalloc(n, sizeof(*s->probes)) };
	overheads_init(&m.overheads, p->join->data, p->thread);
	nodes_measure(&m);
	functions_find(&m);
	regions_make(&m);
	if (s->n_regions)
		divide(&m);
	count_unplaced(&m);
	s->n_short = s->n_regions;
	few_samples_share(s, p, m.measured, m.costs);
	making_release(&m);
}

void short_intervals_release(struct short_intervals *s)
{
	free(s->region_of);
	free(s->own);
	free(s->below);
	free(s->probes);
	free(s->regions);
}
