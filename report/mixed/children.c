/* SPDX-License-Identifier: GPL-3.0-or-later */
/* children.c - finds the child of a node that a frame belongs to (join.h), best by its call site.
 * Stacks do not show callers that left by a jump (R15): then it is searched below these. */
#include <string.h>

#include "join.h"

#define JUMPS_MAX 8 /* one behind another */

static const struct cinstr_cell *cell_at(const struct data_thread *thread, uint32_t node)
{
	return thread->nodes[node].cell;
}

static uint32_t kind_at(const struct data_thread *thread, uint32_t node)
{
	return CINSTR_CELL_KIND(cell_at(thread, node)->tag);
}

static int is_line(const struct data_thread *thread, uint32_t node)
{
	return kind_at(thread, node) == CINSTR_CELL_LINE;
}

uint32_t child_after(const struct data_thread *thread, uint32_t node, uint32_t after)
{
	uint32_t next = after ? thread->nodes[after].last + 1 : node + 1;

	while (next <= thread->nodes[node].last && is_line(thread, next))
		next++;
	return next <= thread->nodes[node].last ? next : 0;
}

static int is_jump(const struct cinstr_cell *cell)
{
	return cell->site && CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL;
}

/* What is looked for. */
struct wanted {
	const struct projection *p;
	uint32_t code;		   /* of a timed function; else 0 */
	const struct frame *frame; /* of one without probes */
};

static int has_name(const struct wanted *wanted, const struct cinstr_cell *cell)
{
	const struct modules *modules = &wanted->p->join->data->modules;
	const struct module *module = modules_by_code(modules, cell->site);
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;
	const struct frame *frame = wanted->frame;

	if (!site || !site->callee)
		return 0;
	if (frame->address && module_callee_address(module, site) == frame->address)
		return 1;
	return frame->name && !strcmp(frame->name, site->callee);
}

static int is_wanted(const struct wanted *wanted, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	if (wanted->code)
		return kind == CINSTR_CELL_FRAME && cell->func == wanted->code;
	if (kind == CINSTR_CELL_INDIRECT)
		return wanted->frame->address && CINSTR_CELL_TARGET(cell) == wanted->frame->address;
	return kind == CINSTR_CELL_CALL && has_name(wanted, cell);
}

/* Below a function that has left by jumps. */
static uint32_t behind_jumps(const struct wanted *wanted, uint32_t node, int jumps)
{
	const struct data_thread *thread = wanted->p->thread;
	uint32_t found = 0;

	for (uint32_t i = child_after(thread, node, 0); i && !found; i = child_after(thread, node, i)) {
		if (!is_jump(cell_at(thread, i)))
			continue;
		if (is_wanted(wanted, cell_at(thread, i)))
			return i;
		if (jumps < JUMPS_MAX)
			found = behind_jumps(wanted, i, jumps + 1);
	}
	return found;
}

static uint32_t behind_jumps_of(const struct wanted *wanted, uint32_t node, uint32_t site)
{
	const struct data_thread *thread = wanted->p->thread;
	uint32_t found = 0;

	for (uint32_t i = child_after(thread, node, 0); i && !found; i = child_after(thread, node, i))
		if (cell_at(thread, i)->site == site && kind_at(thread, i) == CINSTR_CELL_FRAME)
			found = behind_jumps(wanted, i, 1);
	return found;
}

/* How well a child that is wanted fits. */
static int fitness(const struct cinstr_cell *cell, uint32_t site)
{
	if (site && cell->site == site)
		return 3;
	return cell->site ? 1 : 2;
}

static uint32_t best_child(const struct wanted *wanted, uint32_t node, uint32_t site)
{
	const struct data_thread *thread = wanted->p->thread;
	uint32_t best = 0;
	int most = 0;

	for (uint32_t i = child_after(thread, node, 0); i; i = child_after(thread, node, i)) {
		const struct cinstr_cell *cell = cell_at(thread, i);
		int fit = is_wanted(wanted, cell) ? fitness(cell, site) : 0;

		if (fit > most || (fit && fit == most && cell->ticks > cell_at(thread, best)->ticks)) {
			most = fit;
			best = i;
		}
	}
	return best;
}

/* A child of this kind, and (where it is not 0) call site. */
static uint32_t child_of_kind(const struct data_thread *thread, uint32_t node, uint32_t kind, uint32_t site)
{
	for (uint32_t i = child_after(thread, node, 0); i; i = child_after(thread, node, i))
		if (kind_at(thread, i) == kind && (!site || cell_at(thread, i)->site == site))
			return i;
	return 0;
}

uint32_t child_timed(const struct projection *p, uint32_t node, uint32_t code, uint32_t site)
{
	const struct wanted wanted = { .p = p, .code = code };
	uint32_t found = best_child(&wanted, node, site);

	if (!found)
		found = behind_jumps_of(&wanted, node, site);
	return found ? found : child_of_kind(p->thread, node, CINSTR_CELL_MERGED, 0);
}

/* Of an indirect call the target must be the one: a site calls several functions. */
uint32_t child_plain(const struct projection *p, uint32_t node, const struct frame *frame, uint32_t site,
		     int by_name)
{
	const struct wanted wanted = { .p = p, .frame = frame };
	uint32_t found = site ? child_of_kind(p->thread, node, CINSTR_CELL_CALL, site) : 0;

	if (!found && (by_name || site))
		found = best_child(&wanted, node, site);
	if (found && !by_name && cell_at(p->thread, found)->site != site)
		found = 0;
	return found || !site ? found : behind_jumps_of(&wanted, node, site);
}
