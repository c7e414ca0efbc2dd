/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * projection.c - finds the node of a thread's tree that a stack belongs to (join.h). Frame by
 * frame, the outermost first: a function that was timed then leads to its node, a counted one to an
 * estimate, and so does one without probes that was called by code with probes; its callees are a
 * part of it, as for probes (semantics R4). Outermost frames before the first one with probes are
 * outside any function.
 *
 * Stacks that begin alike are looked up once.
 */
#include <stdlib.h>
#include <string.h>

#include "join.h"
#include "lib/array.h"

/* ---- estimates ------------------------------------------------------------------------------- */

static int is_estimate(const struct projection *p, uint32_t at)
{
	return at >= p->thread->n_nodes;
}

static struct estimate *estimate_at(const struct projection *p, uint32_t at)
{
	return &p->estimates[at - p->thread->n_nodes];
}

static const struct cinstr_cell *cell_of(const struct projection *p, uint32_t at)
{
	return is_estimate(p, at) ? &estimate_at(p, at)->cell : p->thread->nodes[at].cell;
}

static uint32_t kind_of(const struct projection *p, uint32_t at)
{
	return CINSTR_CELL_KIND(cell_of(p, at)->tag);
}

uint32_t projection_owner(const struct projection *p, uint32_t at)
{
	return is_estimate(p, at) ? estimate_at(p, at)->owner : at;
}

uint32_t estimate_owned(struct projection *p, uint32_t parent, const struct cinstr_cell *cell, uint32_t owner)
{
	uint32_t key[6] = { parent, owner, cell->tag, cell->site, cell->func, cell->last_exit };
	int is_new;
	size_t number = map_add(&p->estimate_keys, key, sizeof(key), &is_new);

	if (is_new) {
		ARRAY_ROOM(p->estimates, p->n_estimates, p->size_estimates, 64);
		p->estimates[p->n_estimates++] =
			(struct estimate){ .parent = parent, .owner = owner, .cell = *cell };
	}
	return (uint32_t)(p->thread->n_nodes + number);
}

uint32_t estimate_of(struct projection *p, uint32_t parent, const struct cinstr_cell *cell)
{
	return estimate_owned(p, parent, cell, projection_owner(p, parent));
}

/* ---- frames ---------------------------------------------------------------------------------- */

void projection_come_to(struct prefix *prefix, uint32_t node)
{
	prefix->via = prefix->at;
	prefix->at = node;
	prefix->old = 0;
	prefix->is_entered = 0;
}

void projection_count(struct projection *p, struct prefix *prefix, const struct frame *frame)
{
	struct cinstr_cell cell = {
		.tag = CINSTR_CELL_FRAME, .site = prefix->site, .func = frame->code, .first_ticks = UINT64_MAX
	};

	if (kind_of(p, prefix->at) != CINSTR_CELL_FRAME && !prefix->is_entered)
		cell.site = 0; /* it was called by code without probes */
	prefix->at = estimate_of(p, prefix->at, &cell);
	prefix->is_entered = 0;
}

uint32_t projection_caller(const struct projection *p, uint32_t node)
{
	const struct data_node *nodes = p->thread->nodes;
	uint32_t caller = nodes[node].parent;

	while (CINSTR_CELL_KIND(nodes[caller].cell->tag) == CINSTR_CELL_LINE)
		caller = nodes[caller].parent;
	return caller;
}

static int is_function(const struct projection *p, uint32_t node, uint32_t code)
{
	const struct cinstr_cell *cell = p->thread->nodes[node].cell;

	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME && cell->func == code;
}

/* A stack without its outer end, by its first function with probes: who called that, if it was
 * always the same. Recursion may have called it, too. */
static void find_begin(const struct projection *p, struct prefix *prefix, uint32_t code)
{
	uint32_t found = JOIN_NONE;

	for (uint32_t i = 1; i < p->thread->n_nodes; i++) {
		uint32_t caller = is_function(p, i, code) ? projection_caller(p, i) : JOIN_NONE;

		if (caller == JOIN_NONE || is_function(p, caller, code))
			continue;
		if (found != JOIN_NONE && found != caller)
			return;
		found = caller;
	}
	if (found == JOIN_NONE)
		return;
	prefix->at = found;
	prefix->is_found = 1;
}

/* Of each function with nodes, finds the one with the most time. */
static void largest_find(struct projection *p)
{
	for (uint32_t i = 1; i < p->thread->n_nodes; i++) {
		const struct cinstr_cell *cell = p->thread->nodes[i].cell;
		int is_new;
		uint32_t number;

		if (CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_FRAME)
			continue;
		number = int_map_add(&p->largest_keys, cell->func, &is_new);
		ARRAY_REACH(p->largest, number, p->size_largest);
		if (is_new || cell->ticks > p->thread->nodes[p->largest[number]].cell->ticks)
			p->largest[number] = i;
	}
}

/* Moves the prefix to a node of a function that was timed, though its caller has none of it: the
 * stack is another than events could tell, as a fiber's, whose events are below those of the fiber
 * that it was switched to from. Its function is sure. */
static void come_to_largest(struct projection *p, struct prefix *prefix, uint32_t code)
{
	uint32_t number;

	if (!p->largest)
		largest_find(p);
	number = int_map_find(&p->largest_keys, code);
	prefix->is_hidden = number == INT_MAP_NONE;
	if (prefix->is_hidden)
		return;
	prefix->at = p->largest[number];
	prefix->old = 0;
	prefix->is_entered = 0;
	prefix->is_apart = 1;
	prefix->is_found = 1;
}

/* A counted function's node of when it was timed. */
static void pass_over(const struct projection *p, struct prefix *prefix, const struct frame *frame)
{
	uint32_t from = prefix->old ? prefix->old : projection_owner(p, prefix->at);
	uint32_t node = child_timed(p, from, frame->code, 0);

	if (node)
		prefix->old = node;
}

/* What has no node below functions that are counted by now has one below what they were. */
static uint32_t come_to_old(const struct projection *p, struct prefix *prefix, const struct frame *frame)
{
	uint32_t node = child_timed(p, prefix->old, frame->code, prefix->is_silent ? 0 : prefix->site);

	if (node) {
		prefix->at = node;
		prefix->old = 0;
	}
	return node;
}

static void step_probed(struct projection *p, struct prefix *prefix, const struct frame *frame,
			uint32_t epoch)
{
	uint32_t node;

	if (prefix->guide) {
		guided_probed(p, prefix, frame);
		return;
	}
	prefix->is_hidden = 0;
	if (prefix->is_truncated && !prefix->at)
		find_begin(p, prefix, frame->code);
	if (!level_is_timed(p->join, frame->code, epoch)) {
		pass_over(p, prefix, frame);
		projection_count(p, prefix, frame);
	} else {
		node = child_timed(p, projection_owner(p, prefix->at), frame->code,
				   prefix->is_silent ? 0 : prefix->site);
		if (node)
			projection_come_to(prefix, node);
		else if (prefix->old)
			node = come_to_old(p, prefix, frame);
		if (!node)
			come_to_largest(p, prefix, frame->code);
	}
	prefix->is_silent = !level_has_calls(p->join, frame->code, epoch);
	prefix->site = frame->site;
}

/* What the call site names, if it does: as probes would have named it. An address is as good. */
static struct cinstr_cell plain_cell(const struct projection *p, const struct prefix *prefix,
				     const struct frame *frame)
{
	const struct modules *modules = &p->join->data->modules;
	const struct module *module = modules_by_code(modules, prefix->site);
	const struct module_site *site = module ? module_site(module, prefix->site) : NULL;

	if (site && site->callee && !module_function_named(module, site->callee, NULL))
		return (struct cinstr_cell){ .tag = CINSTR_CELL_CALL,
					     .site = prefix->site,
					     .first_ticks = UINT64_MAX };
	return (struct cinstr_cell){ .tag = CINSTR_CELL_INDIRECT,
				     .site = prefix->site,
				     .func = (uint32_t)frame->address,
				     .last_exit = (uint32_t)(frame->address >> 32),
				     .first_ticks = UINT64_MAX };
}

/* Of a function that is counted by now, and whose last activation that was timed still goes on:
 * what it calls has its node there. */
static uint32_t child_of_timed(const struct projection *p, const struct prefix *prefix,
			       const struct frame *frame)
{
	uint32_t timed = child_timed(p, projection_owner(p, prefix->at), cell_of(p, prefix->at)->func, 0);

	return timed && prefix->site ? child_plain(p, timed, frame, prefix->site, 0) : 0;
}

void projection_plain(struct projection *p, struct prefix *prefix, const struct frame *frame)
{
	struct cinstr_cell cell;

	if (kind_of(p, prefix->at) != CINSTR_CELL_FRAME && !prefix->is_entered)
		return;
	cell = plain_cell(p, prefix, frame);
	prefix->at = estimate_of(p, prefix->at, &cell);
	prefix->is_entered = 0;
}

static void step_plain(struct projection *p, struct prefix *prefix, const struct frame *frame)
{
	int is_direct = !is_estimate(p, prefix->at);
	uint32_t owner = projection_owner(p, prefix->at), node;

	if (prefix->guide) {
		guided_plain(p, prefix, frame);
		return;
	}
	if (kind_of(p, prefix->at) != CINSTR_CELL_FRAME || prefix->is_hidden)
		return;
	node = child_plain(p, owner, frame, prefix->site, is_direct);
	if (!node && !is_direct)
		node = child_of_timed(p, prefix, frame);
	if (node)
		projection_come_to(prefix, node);
	else
		projection_plain(p, prefix, frame);
	prefix->site = 0;
}

static void step(struct projection *p, struct prefix *prefix, const struct frame *frame, uint32_t epoch)
{
	prefix->via = JOIN_NONE;
	switch (frame->kind) {
	case FRAME_KERNEL:
		return;
	case FRAME_TRUNCATED:
		prefix->is_truncated = 1;
		return;
	case FRAME_PROBED:
		step_probed(p, prefix, frame, epoch);
		break;
	case FRAME_PLAIN:
		if (prefix->kind == FRAME_RUNTIME) /* called by it */
			return;
		step_plain(p, prefix, frame);
		break;
	default:
		break;
	}
	prefix->kind = frame->kind;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static uint32_t prefix_number(struct projection *p, uint64_t key, int *is_new)
{
	uint32_t number = int_map_add(&p->prefix_keys, key, is_new);

	if (*is_new) {
		ARRAY_ROOM(p->prefixes, p->n_prefixes, p->size_prefixes, 256);
		p->n_prefixes++;
	}
	return number;
}

/* Of no frame. when: a number of changes of levels, or behind all these a guide. */
static uint32_t prefix_empty(struct projection *p, uint32_t when, int is_truncated)
{
	int is_new;
	uint32_t n_epochs = (uint32_t)p->join->n_changes + 1;
	uint32_t number =
		prefix_number(p, int_map_pair(JOIN_NONE, when * 2 + (uint32_t)is_truncated), &is_new);

	if (is_new)
		p->prefixes[number] = (struct prefix){ .parent = JOIN_NONE,
						       .via = JOIN_NONE,
						       .guide = when < n_epochs ? 0 : when - n_epochs + 1,
						       .is_truncated = (uint8_t)is_truncated };
	return number;
}

static uint32_t prefix_longer(struct projection *p, uint32_t shorter, uint32_t place, uint32_t when)
{
	int is_new;
	uint32_t number = prefix_number(p, int_map_pair(shorter, place), &is_new);
	struct prefix prefix;

	if (!is_new)
		return number;
	prefix = p->prefixes[shorter];
	prefix.parent = shorter;
	prefix.n = 0;
	step(p, &prefix, frame_at(p->join, place), when);
	p->prefixes[number] = prefix;
	return number;
}

/* The places where the stack's functions were, innermost first; those of inlined ones are parts of
 * them. */
static size_t places_of(struct projection *p, uint32_t path)
{
	const struct samples *s = p->join->samples;
	size_t n = 0;

	for (; path; path = s->paths[path].parent) {
		uint32_t what = s->paths[path].what;

		/* But for TRUNCATED, each function has a place. */
		if (!(what & 1) || p->join->sampled->sampled->places[what / 2].is_inlined_call)
			continue;
		ARRAY_ROOM(p->places, n, p->size_places, 64);
		p->places[n++] = what / 2;
	}
	return n;
}

/* The outermost node stands for missing ones. */
static int is_truncated(const struct projection *p, uint32_t path)
{
	const struct samples *s = p->join->samples;
	const struct sampled *sampled = p->join->sampled->sampled;
	uint32_t outermost = path;

	for (; path; path = s->paths[path].parent)
		outermost = path;
	return outermost && !(s->paths[outermost].what & 1) &&
	       sampled->functions[s->paths[outermost].what / 2].kind == SAMPLED_TRUNCATED;
}

static uint32_t prefix_of_path(struct projection *p, uint32_t path, uint32_t when)
{
	uint32_t number = prefix_empty(p, when, is_truncated(p, path));
	size_t n = places_of(p, path);

	while (n)
		number = prefix_longer(p, number, p->places[--n], when);
	return number;
}

static uint32_t prefix_of_sample(struct projection *p, uint32_t path, uint32_t when)
{
	int is_new;
	uint32_t number = int_map_add(&p->ends, int_map_pair(path, when), &is_new);

	ARRAY_REACH(p->ends_at, number, p->size_ends);
	if (is_new)
		p->ends_at[number] = prefix_of_path(p, path, when);
	return p->ends_at[number];
}

/* Whether the sample says what the thread did in an interval. */
static int is_joined(const struct projection *p, const struct prefix *prefix)
{
	struct mixed_samples *counts = p->join->counts;

	if (prefix->kind == FRAME_RUNTIME)
		counts->runtime++;
	else if (prefix->is_truncated && !prefix->is_found && !prefix->guide)
		counts->truncated++;
	else
		return 1;
	return 0;
}

static void sample_of_cost(struct projection *p, const struct prefix *prefix)
{
	uint32_t owner = prefix->guide ? guided_owner(p, prefix) : projection_owner(p, prefix->at);

	if (prefix->kind == FRAME_STUB) {
		p->owned[owner].stubs++;
		p->join->counts->stubs++;
	} else {
		p->owned[owner].probes++;
		p->join->counts->probes++;
	}
}

static void sample_of_code(struct projection *p, const struct prefix *prefix)
{
	uint32_t at = prefix->guide ? guided_place(p, prefix) : prefix->at;
	struct owned *owned = &p->owned[projection_owner(p, at)];

	if (is_estimate(p, at)) {
		owned->estimated++;
		estimate_at(p, at)->n++;
	} else {
		owned->own++;
		owned->cut += prefix->is_apart || (prefix->is_truncated && !prefix->guide);
	}
}

static void sample_add(struct projection *p, struct prefix *prefix)
{
	p->join->counts->joined++;
	prefix->n++;
	if (prefix->kind == FRAME_STUB || prefix->kind == FRAME_PROBE)
		sample_of_cost(p, prefix);
	else
		sample_of_code(p, prefix);
}

static uint64_t moment(const struct join *join, uint64_t ticks)
{
	long double since = (long double)(int64_t)(ticks - join->begin_sampled) * join->ticks_per_tick;

	return join->begin_timed + (uint64_t)util_whole_signed(since);
}

int projection_is_in_time(const struct projection *p, uint64_t ticks)
{
	const struct join *join = p->join;

	return ticks >= join->from && ticks < join->to && ticks >= p->thread->record->first_ticks &&
	       ticks <= p->thread->state->time;
}

static uint32_t guide_at(struct projection *p, uint64_t ticks)
{
	uint32_t cell = long_intervals_cell(p->thread, ticks);

	return cell ? guide_of(p, cell) : JOIN_NONE;
}

static uint32_t when_guided(const struct projection *p, uint32_t guide)
{
	return (uint32_t)p->join->n_changes + 1 + guide;
}

static uint32_t when_of(struct projection *p, uint64_t ticks)
{
	uint32_t guide = guide_at(p, ticks);

	return guide == JOIN_NONE ? levels_epoch(p->join, ticks) : when_guided(p, guide);
}

int projection_add_one(struct projection *p, uint32_t place, uint64_t ticks)
{
	uint32_t guide = guide_at(p, ticks), when, number;

	if (guide == JOIN_NONE)
		return 0;
	when = when_guided(p, guide);
	number = prefix_longer(p, prefix_empty(p, when, 1), place, when);
	if (is_joined(p, &p->prefixes[number]))
		sample_add(p, &p->prefixes[number]);
	return 1;
}

void projection_add(struct projection *p, uint32_t task)
{
	const struct samples *s = p->join->samples;

	for (uint64_t i = s->first[task]; i < s->first[task + 1]; i++) {
		uint64_t ticks = moment(p->join, s->ticks[i]);
		struct prefix *prefix;
		uint32_t number;

		if (!projection_is_in_time(p, ticks)) {
			p->join->counts->out_of_time++;
			continue;
		}
		number = prefix_of_sample(p, s->paths_at[i], when_of(p, ticks));
		prefix = &p->prefixes[number];
		if (is_joined(p, prefix))
			sample_add(p, prefix);
	}
}

void projection_make(struct projection *p, struct join *join, struct data_thread *thread)
{
	*p = (struct projection){ .join = join, .thread = thread };
	p->owned = xcalloc(thread->n_nodes, sizeof(*p->owned));
	p->hangs_at = xcalloc(thread->n_nodes, sizeof(*p->hangs_at));
	memset(p->hangs_at, 0xff, thread->n_nodes * sizeof(*p->hangs_at));
}

void projection_release(struct projection *p)
{
	free(p->estimates);
	map_release(&p->estimate_keys);
	free(p->prefixes);
	int_map_release(&p->prefix_keys);
	int_map_release(&p->ends);
	free(p->ends_at);
	free(p->places);
	int_map_release(&p->largest_keys);
	free(p->largest);
	guides_release(p);
	free(p->owned);
	free(p->hangs_at);
	free(p->unplaced);
}
