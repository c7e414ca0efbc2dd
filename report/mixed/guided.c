/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guided.c - places a stack if it is known in whose time it was taken (join.h): the moment lies in
 * a long interval, which is in the file. The frames that lead to that node are those of its path,
 * the outermost first; all others were counted, even if they are timed at other times. Frames of
 * the path that are not on the stack had ended when the sample was taken, though no event had shown
 * it: then the sample has a part of the node's time, but another place.
 */
#include <stdlib.h>
#include <string.h>

#include "join.h"
#include "lib/array.h"

#define DEPTH_MAX (1u << 20) /* a damaged file may have circles */

static const struct cinstr_cell *cell_at(const struct projection *p, uint32_t node)
{
	return p->thread->nodes[node].cell;
}

static uint32_t kind_at(const struct projection *p, uint32_t node)
{
	return CINSTR_CELL_KIND(cell_at(p, node)->tag);
}

static int is_frame(const struct projection *p, uint32_t node)
{
	return kind_at(p, node) == CINSTR_CELL_FRAME;
}

/* ---- guides ---------------------------------------------------------------------------------- */

static const struct cinstr_cell *file_cell(const struct data *data, uint32_t index)
{
	uint64_t at = (uint64_t)index * sizeof(struct cinstr_cell);

	return index && at < data->end ? (const void *)(data->memory + at) : NULL;
}

static int is_alike(const struct cinstr_cell *a, const struct cinstr_cell *b)
{
	return a->site == b->site && a->func == b->func &&
	       CINSTR_CELL_KIND(a->tag) == CINSTR_CELL_KIND(b->tag);
}

/* The child that has the same place in the tree as the cell; 0: none. Of a range of time, what was
 * open when it began has another one, which lasts for its rest only. */
static uint32_t child_like(const struct projection *p, uint32_t node, const struct cinstr_cell *cell)
{
	uint32_t found = 0;

	for (uint32_t i = child_after(p->thread, node, 0); i; i = child_after(p->thread, node, i)) {
		if (is_alike(cell_at(p, i), cell) &&
		    (!found || cell_at(p, i)->ticks > cell_at(p, found)->ticks))
			found = i;
	}
	return found;
}

/* From the cell to its root, without source lines; SIZE_MAX: not a path. */
static size_t cells_of(const struct data *data, uint32_t index, const struct cinstr_cell ***cells)
{
	size_t n = 0, size = 0, steps = 0;
	const struct cinstr_cell *cell;

	for (cell = file_cell(data, index); cell && steps++ < DEPTH_MAX;
	     cell = file_cell(data, cell->parent)) {
		uint32_t kind = CINSTR_CELL_KIND(cell->tag);

		if (kind == CINSTR_CELL_ROOT)
			return n;
		if (kind == CINSTR_CELL_LINE)
			continue;
		if (kind < CINSTR_CELL_FRAME || kind > CINSTR_CELL_INDIRECT)
			return SIZE_MAX;
		ARRAY_ROOM(*cells, n, size, 64);
		(*cells)[n++] = cell;
	}
	return SIZE_MAX;
}

static void guide_make(const struct projection *p, uint32_t index, struct guide *guide)
{
	const struct cinstr_cell **cells = NULL;
	size_t n = cells_of(p->join->data, index, &cells);
	uint32_t node = 0;

	*guide = (struct guide){ .is_known = n != SIZE_MAX };
	if (guide->is_known)
		guide->nodes = xcalloc(n + 1, sizeof(*guide->nodes));
	while (guide->is_known && n) {
		node = child_like(p, node, cells[--n]);
		guide->is_known = node != 0;
		guide->nodes[guide->n++] = node;
	}
	free(cells);
}

uint32_t guide_of(struct projection *p, uint32_t cell)
{
	int is_new;
	uint32_t number = int_map_add(&p->guide_keys, cell, &is_new);

	ARRAY_REACH(p->guides, number, p->size_guides);
	if (is_new) {
		guide_make(p, cell, &p->guides[number]);
		p->n_guides = number + 1;
	}
	return p->guides[number].is_known ? number : JOIN_NONE;
}

void guides_release(struct projection *p)
{
	for (size_t i = 0; i < p->n_guides; i++)
		free(p->guides[i].nodes);
	free(p->guides);
	int_map_release(&p->guide_keys);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static const struct guide *guide_at(const struct projection *p, const struct prefix *prefix)
{
	return &p->guides[prefix->guide - 1];
}

/* A function that has left by a jump to the next one has no frame. */
static int may_lack_frame(const struct projection *p, const struct guide *guide, uint32_t k)
{
	uint32_t site = k + 1 < guide->n ? cell_at(p, guide->nodes[k + 1])->site : 0;

	return !is_frame(p, guide->nodes[k]) || (site && CINSTR_CODE_KIND(site) == CINSTR_EV_TAIL);
}

/* How much of the path is behind with this function's frame; 0: it is none of it. */
static uint32_t next_done(const struct projection *p, const struct prefix *prefix, uint32_t code)
{
	const struct guide *guide = guide_at(p, prefix);

	for (uint32_t k = prefix->done; k < guide->n; k++) {
		if (is_frame(p, guide->nodes[k]) && cell_at(p, guide->nodes[k])->func == code)
			return k + 1;
		if (!may_lack_frame(p, guide, k))
			return 0;
	}
	return 0;
}

/* A stack without its outer end: by its first function with probes, or all of it is below the
 * node. */
static void begin_inside(const struct projection *p, struct prefix *prefix, uint32_t code)
{
	const struct guide *guide = guide_at(p, prefix);
	uint32_t k = guide->n;

	while (k && !(is_frame(p, guide->nodes[k - 1]) && cell_at(p, guide->nodes[k - 1])->func == code))
		k--;
	prefix->done = k ? k - 1 : guide->n;
	prefix->at = prefix->done ? guide->nodes[prefix->done - 1] : 0;
	prefix->is_found = 1;
}

/* Is the next node the call that the last frame is making, timed by its caller? */
static uint32_t call_of(const struct projection *p, const struct prefix *prefix)
{
	const struct guide *guide = guide_at(p, prefix);
	uint32_t next = prefix->done < guide->n ? guide->nodes[prefix->done] : 0;

	if (!next || is_frame(p, next) || prefix->at >= p->thread->n_nodes ||
	    cell_at(p, next)->site != prefix->site)
		return 0;
	return next;
}

/* Is it another call than the one whose time it is, which is over then? */
static int is_other_call(const struct projection *p, const struct prefix *prefix)
{
	const struct guide *guide = guide_at(p, prefix);
	uint32_t next = prefix->done < guide->n ? guide->nodes[prefix->done] : 0;

	return next && !is_frame(p, next) && prefix->at < p->thread->n_nodes && prefix->site &&
	       cell_at(p, next)->site != prefix->site;
}

/* Of a call through a pointer the target tells. */
static int is_called(const struct projection *p, uint32_t call, const struct frame *frame)
{
	const struct cinstr_cell *cell = cell_at(p, call);

	return CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_INDIRECT || !frame->address ||
	       CINSTR_CELL_TARGET(cell) == frame->address;
}

void guided_probed(struct projection *p, struct prefix *prefix, const struct frame *frame)
{
	uint32_t done, call;

	if (prefix->is_truncated && !prefix->is_found)
		begin_inside(p, prefix, frame->code);
	done = next_done(p, prefix, frame->code);
	call = done ? 0 : call_of(p, prefix);
	if (done) {
		projection_come_to(prefix, guide_at(p, prefix)->nodes[done - 1]);
		prefix->done = done;
	} else if (call && is_called(p, call, frame)) { /* it is counted */
		projection_come_to(prefix, call);
		prefix->done++;
		prefix->is_entered = 1;
	} else {
		prefix->is_elsewhere |= (uint8_t)is_other_call(p, prefix);
		projection_count(p, prefix, frame);
	}
	prefix->site = frame->site;
}

/* The one frame that is known is right below the node. */
static void begin_below(const struct projection *p, struct prefix *prefix)
{
	const struct guide *guide = guide_at(p, prefix);

	prefix->done = guide->n;
	prefix->at = guide->n ? guide->nodes[guide->n - 1] : 0;
	prefix->is_found = 1;
}

/* Returns the only call site in the node's function that names the callee, or 0. */
static uint32_t only_site(const struct projection *p, uint32_t node, const char *callee)
{
	const struct module *module;
	uint32_t found = 0;

	if (!callee || !node || !is_frame(p, node))
		return 0;
	module = modules_by_code(&p->join->data->modules, cell_at(p, node)->func);
	for (size_t i = 0; module && i < module->n_sites; i++) {
		const struct module_site *site = &module->sites[i];

		if (module->functions[site->function].code != cell_at(p, node)->func || !site->callee ||
		    strcmp(site->callee, callee) != 0)
			continue;
		if (found)
			return 0;
		found = site->code;
	}
	return found;
}

void guided_plain(struct projection *p, struct prefix *prefix, const struct frame *frame)
{
	uint32_t call;

	if (!p->join->sampled) {
		begin_below(p, prefix);
		prefix->site = only_site(p, prefix->at, frame->callee);
	}
	call = call_of(p, prefix);
	if (!p->join->sampled && !frame->address) {
		return; /* no function: part of the node */
	} else if (call) {
		projection_come_to(prefix, call);
		prefix->done++;
	} else {
		prefix->is_elsewhere |= (uint8_t)is_other_call(p, prefix);
		projection_plain(p, prefix, frame);
	}
	prefix->site = 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Is what is left of the path over: was the thread in another call, or back in who made it? */
static int is_past_calls(const struct projection *p, const struct prefix *prefix)
{
	return prefix->is_elsewhere ||
	       (prefix->at < p->thread->n_nodes && is_frame(p, prefix->at) && prefix->kind == FRAME_PROBED);
}

uint32_t guided_owner(const struct projection *p, const struct prefix *prefix)
{
	const struct guide *guide = guide_at(p, prefix);

	return prefix->done == guide->n ? projection_owner(p, prefix->at) : guide->nodes[guide->n - 1];
}

uint32_t guided_place(struct projection *p, const struct prefix *prefix)
{
	const struct guide *guide = guide_at(p, prefix);
	uint32_t last, k = prefix->done;
	const struct cinstr_cell *cell;

	if (prefix->done == guide->n)
		return prefix->at;
	last = guide->nodes[guide->n - 1];
	while (k < guide->n && !is_frame(p, guide->nodes[k]))
		k++;
	if (!prefix->at || (k == guide->n && !is_past_calls(p, prefix)))
		return last;
	if (prefix->at >= p->thread->n_nodes) {
		const struct estimate estimate = p->estimates[prefix->at - p->thread->n_nodes];

		return estimate_owned(p, estimate.parent, &estimate.cell, last);
	}
	cell = cell_at(p, prefix->at);
	return estimate_owned(p, p->thread->nodes[prefix->at].parent,
			      &(struct cinstr_cell){ .tag = cell->tag & 15,
						     .site = cell->site,
						     .func = cell->func,
						     .first_ticks = UINT64_MAX,
						     .last_exit = cell->last_exit },
			      last);
}
