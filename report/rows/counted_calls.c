/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counted_calls.h"

#include <stdlib.h>

#include "lib/array.h"
#include "profile.h"

/* ---- what a process has counters of ---------------------------------------------------------- */

/* Of a function whose ENTER sled has this code; NAMES_NONE: there is none. */
static uint32_t entity_of(struct names *names, const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_function *function = module ? module_function(module, code) : NULL;

	return function ? names_of_function(names, module, function) : NAMES_NONE;
}

/* A call instruction. callee: NAMES_NONE: it is indirect. */
struct counted_site {
	struct cinstr_cell cell; /* as of a call that was timed */
	uint32_t caller, callee;
};

static struct counted_site site_of(struct names *names, const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_site *site = module ? module_site(module, code) : NULL;
	struct counted_site s = { .cell = { .tag = CINSTR_CELL_CALL, .site = code },
				  .caller = NAMES_NONE,
				  .callee = NAMES_NONE };

	if (!site)
		return s;
	s.caller = names_of_function(names, module, &module->functions[site->function]);
	if (site->callee)
		s.callee = names_of_cell(names, data, &s.cell);
	return s;
}

static void note(struct counted_calls *counted, uint32_t entity, uint8_t bits)
{
	if (entity == NAMES_NONE)
		return;
	ARRAY_REACH_ZEROED(counted->has, entity, counted->n);
	counted->has[entity] |= bits;
}

static int has(const struct counted_calls *counted, uint32_t entity, uint8_t bit)
{
	return entity < counted->n && counted->has[entity] & bit;
}

static void note_site(struct counted_calls *counted, struct names *names, const struct data *data,
		      uint32_t code)
{
	struct counted_site site = site_of(names, data, code);
	int is_new;

	note(counted, site.callee, COUNTED_SITES);
	if (site.callee != NAMES_NONE)
		int_map_add(&counted->edges, int_map_pair(site.caller, site.callee), &is_new);
}

static void note_frame(struct counted_calls *counted, struct names *names, const struct data *data,
		       const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	if (kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_FLAT_FRAME)
		note(counted, names_of_cell(names, data, cell), COUNTED_FRAMES);
}

static void note_frames(struct counted_calls *counted, struct names *names, const struct data *data)
{
	for (size_t t = 0; t < data->n_threads; t++) {
		const struct data_thread *thread = &data->threads[t];

		for (size_t i = 0; i < thread->n_nodes; i++)
			note_frame(counted, names, data, thread->nodes[i].cell);
		for (size_t i = 0; i < thread->n_flat; i++)
			note_frame(counted, names, data, thread->flat[i]);
	}
}

void counted_calls_release(struct counted_calls *counted)
{
	free(counted->has);
	int_map_release(&counted->edges);
	*counted = (struct counted_calls){ 0 };
}

void counted_calls_begin(struct counted_calls *counted, struct names *names, const struct data *data)
{
	const struct counters *c = data->counters;

	counted_calls_release(counted);
	if (!c || !c->n_codes || !counters_are_whole(data))
		return;
	counted->is_any = 1;
	for (size_t i = 0; i < c->n_codes; i++)
		if (c->codes[i] && counter_is_function(c->codes[i]))
			note(counted, entity_of(names, data, c->codes[i]), COUNTED_ENTRIES | COUNTED_FRAMES);
	for (size_t i = 0; i < c->n_sites; i++)
		note_site(counted, names, data, c->sites[i]);
	if (c->n_sites)
		note_frames(counted, names, data);
}

/* ---- calls that cells tell of ---------------------------------------------------------------- */

/* Its caller is the row's, and all calls that the caller makes by name were timed or counted. */
static int is_known_edge(const struct addition *a, const struct row *row)
{
	const struct int_map *edges = &a->profile->counted.edges, *unknown = &a->profile->known.edges;
	uint64_t edge = int_map_pair(row->caller, row->entity);

	if (a->data->counters->has_unknown_sites || int_map_find(unknown, edge) != INT_MAP_NONE)
		return 0;
	return int_map_find(edges, edge) != INT_MAP_NONE && (!a->profile->by_call_site || row->address);
}

/*
 * By callers: an activation without a site hangs below who was timed, and not below the counted
 * function that called it. Whether that was so, or code without probes did, is not known; calls
 * from counted ones are with their sites.
 */
static int has_edge(const struct addition *a, struct row *row, const struct cinstr_cell *cell, uint32_t kind)
{
	if (cell->site || (kind != CINSTR_CELL_FRAME && kind != CINSTR_CELL_FLAT_FRAME) ||
	    !has(&a->profile->counted, names_of_cell(a->profile->names, a->data, cell), COUNTED_SITES))
		return 0;
	row->are_calls_least |= !is_known_edge(a, row);
	return 1;
}

int counted_calls_of_entries(const struct addition *a, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	if (kind != CINSTR_CELL_CALL && kind != CINSTR_CELL_INDIRECT && kind != CINSTR_CELL_FLAT_CALL)
		return 0;
	return has(&a->profile->counted, names_of_cell(a->profile->names, a->data, cell), COUNTED_ENTRIES);
}

int counted_calls_by_name(const struct addition *a, const struct cinstr_cell *cell)
{
	return has(&a->profile->counted, names_of_cell(a->profile->names, a->data, cell), COUNTED_SITES);
}

/* Do counters tell of these calls? Then the row gets them from there, if they are known at all. */
static int have(const struct addition *a, struct row *row, const struct cinstr_cell *cell)
{
	if (a->is_by_edge)
		return has_edge(a, row, cell, CINSTR_CELL_KIND(cell->tag));
	return counted_calls_of_entries(a, cell);
}

struct calls_counted counted_calls_of_cell(const struct addition *a, struct row *row,
					   const struct cinstr_cell *cell)
{
	const struct merged_item *item = merged_head_of(a->data->merged, cell);

	if (!a->profile->counted.is_any || a->profile->by == BY_SITE)
		return (struct calls_counted){ 0 };
	if (item && !a->is_by_edge) /* as it was in each process */
		return item->mixed ? (struct calls_counted){ item->mixed->counted, item->mixed->untimed }
				   : (struct calls_counted){ 0 };
	if (!have(a, row, cell))
		return (struct calls_counted){ 0 };
	return (struct calls_counted){ cell->calls, a->thread->mixed ? 0 : cell->calls };
}

/* Where a call goes through a pointer, or to who jumps on, nobody counts by callee. */
static int is_known_site(const struct addition *a, size_t node)
{
	uint32_t site = a->thread->nodes[node].cell->site;

	return counters_have_site(a->data, site) &&
	       site_of(a->profile->names, a->data, site).callee == a->entities[node];
}

int counted_calls_are_known(const struct addition *a, const struct row *row, size_t node)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	uint32_t number = (uint32_t)(row - a->profile->rows);

	if (!a->profile->counted.is_any)
		return 0;
	if (a->is_by_edge)
		return is_known_edge(a, row);
	if (a->profile->by == BY_SITE)
		return is_known_site(a, node);
	if (a->places && a->places[node] == number && a->rows[node] != number)
		return counters_have_site(a->data, cell->site);
	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME)
		return counters_have(a->data, cell->func);
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL && counters_have_site(a->data, cell->site);
}

/* ---- calls that counters tell of ------------------------------------------------------------- */

static int has_counted_caller(const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_site *site = module ? module_site(module, code) : NULL;

	return site && counters_have(data, module->functions[site->function].code);
}

/* Where samples were joined, estimates are their time; without stacks those of calls that a counted
 * function makes are not among them. */
static int is_timed_by_samples(const struct addition *a, uint32_t code)
{
	return a->thread->mixed &&
	       (a->data->mixed->sampled || !a->is_by_edge || !has_counted_caller(a->data, code));
}

static void add(const struct addition *a, struct row *row, const struct data_counter *counter)
{
	uint64_t n = counter->n, untimed;

	if (profile_is_by_place(a->profile))
		row->entries += n;
	else
		row->calls += n;
	untimed = a->data->merged ? counter->untimed : is_timed_by_samples(a, counter->code) ? 0 : n;
	/* a damaged file's sum may go over */
	row->untimed = (int64_t)((uint64_t)row->untimed + untimed);
	row->is_partly_timed = 1;
}

static void add_to(const struct addition *a, const struct cinstr_cell *cell, uint32_t entity,
		   const struct data_counter *counter)
{
	uint32_t number = entity == NAMES_NONE ? ROW_NONE : a->row_of_flat(a->profile, a->data, cell, entity);

	if (number == ROW_NONE)
		return;
	add(a, &a->profile->rows[number], counter);
	if (data_cell_is_jump(a->data, cell))
		a->profile->rows[number].tail_calls += counter->n;
}

/* BY_LINE, BY_ADDRESS: the place of the call; a tail call has none (place_sums.c). */
static void add_to_place(const struct addition *a, const struct counted_site *site, uint64_t n)
{
	int has_lines = a->profile->by == BY_LINE && a->data->header->probes > 2;
	uint32_t number;

	if (has_lines || CINSTR_CODE_KIND(site->cell.site) != CINSTR_EV_BEFORE)
		return;
	number = place_of_call(a->profile, a->data, site->cell.site, site->caller);
	if (number == ROW_NONE)
		return;
	a->profile->rows[number].calls += n;
	a->profile->rows[number].is_partly_timed = 1;
	if (a->profile->by == BY_ADDRESS && site->callee != NAMES_NONE)
		place_calls(a->profile, number, site->callee);
}

/* A call that was timed in a counted function hangs below somebody else, where it has no place. */
static int is_lost_place(const struct addition *a, size_t node)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	const struct module *module = modules_by_code(&a->data->modules, cell->site);
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;

	return a->places[node] == ROW_NONE && cell->calls && site &&
	       (kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT || kind == CINSTR_CELL_FRAME) &&
	       counters_have(a->data, module->functions[site->function].code);
}

static void add_lost_places(const struct addition *a)
{
	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		const struct cinstr_cell *cell = a->thread->nodes[i].cell;
		struct counted_site site;

		if (!is_lost_place(a, i))
			continue;
		site = site_of(a->profile->names, a->data, cell->site);
		if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_INDIRECT)
			site.callee = a->entities[i];
		add_to_place(a, &site, cell->calls);
	}
}

static void add_site(const struct addition *a, const struct data_counter *counter)
{
	struct profile *profile = a->profile;
	struct counted_site site = site_of(profile->names, a->data, counter->code);

	if (profile->by == BY_SITE) {
		add_to(a, &site.cell, names_of_cell(profile->names, a->data, &site.cell), counter);
		return;
	}
	if (a->places)
		add_to_place(a, &site, counter->n);
	if (a->is_by_edge || !has(&profile->counted, site.callee, COUNTED_FRAMES))
		add_to(a, &site.cell, site.callee, counter);
}

/* ---- bytes that counted calls allocate ------------------------------------------------------- */

/* Returns the sums of counter number i of the list, which is of bytes: its site's is before it. */
static struct moved_sums sums_of_bytes(const struct data_counter *list, size_t i)
{
	int has_calls = i && list[i - 1].code == counter_site_of_bytes(list[i].code);

	return (struct moved_sums){ .calls = has_calls ? list[i - 1].n : 0, .bytes = list[i].n };
}

void counted_calls_add_own(const struct addition *a, uint32_t number, const struct os_tally *tally)
{
	if (number != ROW_NONE &&
	    (tally->moved[CINSTR_AMOUNT_ALLOCATED].calls || tally->moved[CINSTR_AMOUNT_HELD].calls))
		os_add_own(row_os(&a->profile->rows[number]), tally);
}

uint32_t counted_calls_row_of_caller(const struct addition *a, uint32_t site)
{
	struct profile *profile = a->profile;
	const struct module *module = modules_by_code(&a->data->modules, site);
	const struct module_site *at = module ? module_site(module, site) : NULL;
	struct cinstr_cell caller = { .tag = CINSTR_CELL_FRAME };
	uint32_t entity;

	if (!at || a->is_by_edge || profile->by == BY_SITE || profile->by == BY_ADDRESS)
		return ROW_NONE;
	entity = names_of_function(profile->names, module, &module->functions[at->function]);
	if (profile->by == BY_LINE)
		return place_of_call(profile, a->data, site, entity);
	caller.func = module->functions[at->function].code;
	return a->row_of_flat(profile, a->data, &caller, entity);
}

/* A counted function has no node, but some of its calls are timed all the same: their nodes are
 * below that of the innermost timed function. */
void counted_calls_add_node_own(const struct addition *a, uint32_t node, const struct os_tally *tally)
{
	uint32_t row = a->places ? a->places[node] : a->rows[a->thread->nodes[node].parent],
		 caller = ROW_NONE;

	if (!a->places && a->profile->counted.is_any)
		caller = counted_calls_row_of_caller(a, a->thread->nodes[node].cell->site);
	counted_calls_add_own(a, caller == ROW_NONE ? row : caller, tally);
}

/* Adds bytes of a site to the rows of the function that it is in, and of what it calls. */
static void add_bytes(const struct addition *a, uint32_t code, const struct moved_sums *sums)
{
	struct counted_site site = site_of(a->profile->names, a->data, code);
	uint32_t callee = ROW_NONE, caller = counted_calls_row_of_caller(a, code);
	const struct os_tally tally = { .moved = { [CINSTR_AMOUNT_ALLOCATED] = *sums } };

	if (site.callee != NAMES_NONE)
		callee = a->row_of_flat(a->profile, a->data, &site.cell, site.callee);
	if (callee != ROW_NONE) {
		struct os_counts *os = row_os(&a->profile->rows[callee]);

		moved_add(&os->exclusive.moved[CINSTR_AMOUNT_ALLOCATED], sums);
		moved_add(&os->inclusive.moved[CINSTR_AMOUNT_ALLOCATED], sums);
	}
	if (caller != ROW_NONE && caller != callee)
		moved_add(&row_os(&a->profile->rows[caller])->inclusive.moved[CINSTR_AMOUNT_ALLOCATED], sums);
	counted_calls_add_own(a, caller, &tally);
}

/* Returns what is known of row `i`, also where rows are made while they are written; or NULL. */
static struct os_counts *os_of(const struct profile *profile, size_t i)
{
	return profile->stream.list ? profile->stream.os[i] : profile->rows[i].os;
}

void counted_calls_finish(struct profile *profile)
{
	int is_whole = profile->by == BY_THREAD || profile->by == BY_PROCESS;
	size_t n = profile->stream.list ? profile->stream.n : profile->n_rows;

	for (size_t i = 0; (is_whole || profile->totals.mixed.counted_bytes) && i < n; i++) {
		struct os_counts *os = os_of(profile, i);
		const struct moved_sums *all = os ? &os->exclusive.moved[CINSTR_AMOUNT_ALLOCATED] : NULL;

		if (os && is_whole) {
			os->own = *all;
			os->held = os->exclusive.moved[CINSTR_AMOUNT_HELD];
		} else if (os)
			os->is_least = !all->calls ||
				       all->calls != os->inclusive.moved[CINSTR_AMOUNT_ALLOCATED].calls;
	}
}

/* ---- all counters of a thread ---------------------------------------------------------------- */

void counted_calls_add(const struct addition *a)
{
	const struct data_counter *list;
	size_t n;

	if (!a->profile->counted.is_any)
		return;
	list = counters_of_thread(a->data, a->thread, &n);
	for (size_t i = 0; i < n; i++) {
		const struct cinstr_cell cell = { .tag = CINSTR_CELL_FRAME, .func = list[i].code };

		if (counter_is_bytes(list[i].code)) {
			const struct moved_sums sums = sums_of_bytes(list, i);

			add_bytes(a, counter_site_of_bytes(list[i].code), &sums);
		} else if (counter_is_site(list[i].code))
			add_site(a, &list[i]);
		else if (!a->is_by_edge && a->profile->by != BY_SITE)
			add_to(a, &cell, entity_of(a->profile->names, a->data, list[i].code), &list[i]);
	}
	if (a->places && a->data->counters->n_sites)
		add_lost_places(a);
}

/* Is it a call that nothing else tells of? */
static int is_whole(const struct addition *a, uint32_t code)
{
	struct counted_site site;

	if (!counter_is_site(code))
		return 1;
	site = site_of(a->profile->names, a->data, code);
	return site.callee != NAMES_NONE && !has(&a->profile->counted, site.callee, COUNTED_FRAMES);
}

void counted_calls_add_whole(const struct addition *a, struct row *row)
{
	const struct data_counter *list;
	size_t n;

	if (!a->profile->counted.is_any)
		return;
	list = counters_of_thread(a->data, a->thread, &n);
	for (size_t i = 0; i < n; i++) {
		const struct moved_sums sums = sums_of_bytes(list, i);

		if (counter_is_bytes(list[i].code))
			moved_add(&row_os(row)->exclusive.moved[CINSTR_AMOUNT_ALLOCATED], &sums);
		else if (is_whole(a, list[i].code))
			add(a, row, &list[i]);
	}
}
