/* SPDX-License-Identifier: GPL-3.0-or-later */
/* line_reach.c - see line_reach.h. Does not look at code that the compiler moved out of the
 * function (f.cold). */
#include "line_reach.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/util.h"
#include "symbols/code_flow.h"

#define CODE_MAX (1u << 20) /* bytes of a function; larger ones are known as a whole only */

struct reached_function {
	struct flow flow; /* n 0: not known */
	uint32_t *lines;  /* of its instructions; 0: not known, or another file's */
	struct lines_range whole;
	uint64_t *landings; /* link addresses where control comes back without a return */
	size_t n_landings;
	uint8_t *is_after; /* of its instructions: it is a probe behind a call */
};

static void widen(struct lines_range *range, uint32_t line)
{
	if (!line)
		return;
	if (!range->from || line < range->from)
		range->from = line;
	if (line > range->to)
		range->to = line;
}

/* ---- the function ---------------------------------------------------------------------------- */

static int is_same_file(const char *a, const char *b)
{
	return a && b && !strcmp(util_basename(a), util_basename(b));
}

/*
 * The line of `file` that the address is on; of what is inlined from above the function, the line
 * that it is inlined on: the range would have to begin there. 0: none.
 */
static uint32_t line_at(struct symbols *symbols, const struct module_function *f, const char *file,
			uint64_t address)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = symbols_frames(symbols, address, frames, SYMBOL_FRAMES_MAX);
	int is_own = is_same_file(f->file, file);
	uint32_t line = 0;

	for (size_t i = 0; i < n && (!line || (is_own && line < f->line)); i++)
		if (is_same_file(frames[i].file, file))
			line = frames[i].line;
	return line;
}

static void code_read(struct reached_function *r, struct symbols *symbols, const struct module_function *f,
		      const char *file)
{
	const uint8_t *code;
	uint64_t begin;
	size_t n;

	if (symbols_code(symbols, f->address, &begin, &code, &n) || n > CODE_MAX ||
	    flow_read(&r->flow, code, n, begin))
		return;
	r->lines = xcalloc(r->flow.n + 1, sizeof(*r->lines));
	r->is_after = xcalloc(r->flow.n + 1, 1);
	for (size_t i = 0; i < r->flow.n; i++) {
		r->lines[i] = line_at(symbols, f, file, r->flow.steps[i].is.address);
		widen(&r->whole, r->lines[i]);
	}
}

/* Numbers of a module's sites by function: those of f are order[first[f] .. first[f + 1]). */
struct sites_index {
	const struct module *module;
	size_t *first, *order;
};

static const struct sites_index *index_of(struct line_reach *reach, const struct module *module)
{
	struct sites_index *index;

	for (size_t i = 0; i < reach->n_indices; i++)
		if (reach->indices[i].module == module)
			return &reach->indices[i];
	reach->indices = xrealloc(reach->indices, reach->n_indices + 1, sizeof(*reach->indices));
	index = &reach->indices[reach->n_indices++];
	index->module = module;
	index->first = xcalloc(module->n_functions + 2, sizeof(*index->first));
	index->order = xcalloc(module->n_sites + 1, sizeof(*index->order));
	for (size_t i = 0; i < module->n_sites; i++)
		index->first[module->sites[i].function + 2]++;
	for (size_t f = 0; f < module->n_functions; f++)
		index->first[f + 2] += index->first[f + 1];
	/* first[f + 1] is where the next one of f goes, and so in the end where f's end */
	for (size_t i = 0; i < module->n_sites; i++)
		index->order[index->first[module->sites[i].function + 1]++] = i;
	return index;
}

static void site_read(struct reached_function *r, const struct module_site *site, const char *own,
		      const char *file, int has_calls)
{
	uint32_t kind = CINSTR_CODE_KIND(site->code);
	struct flow_step *step;

	if (is_same_file(site->file ? site->file : own, file))
		widen(&r->whole, site->line);
	if (kind == CINSTR_EV_LANDING) {
		r->landings = xrealloc(r->landings, r->n_landings + 1, sizeof(*r->landings));
		r->landings[r->n_landings++] = module_site_instruction(site);
	}
	step = kind == CINSTR_EV_LINE ? NULL : flow_step_at(&r->flow, site->address);
	if (step && kind == CINSTR_EV_AFTER)
		r->is_after[step - r->flow.steps] = 1;
	if (step && (has_calls || kind == CINSTR_EV_EXIT || kind == CINSTR_EV_TAIL))
		step->is_stop = 1;
}

static void sites_read(struct reached_function *r, const struct sites_index *index, uint32_t function,
		       const char *file, int has_calls)
{
	const struct module *module = index->module;

	for (size_t i = index->first[function]; i < index->first[function + 1]; i++)
		site_read(r, &module->sites[index->order[i]], module->functions[function].file, file,
			  has_calls);
}

static struct reached_function *function_of(struct line_reach *reach, struct symbols *symbols,
					    const struct module *module, const struct module_function *f,
					    const char *file, int has_calls)
{
	STRBUF(key);
	struct reached_function *r;
	size_t number;
	int is_new;

	strbuf_printf(&key, "%s\n%llx\n%s\n%s\n%u %d", module->path, (unsigned long long)f->address, f->name,
		      file ? file : "", f->line, has_calls);
	number = map_add(&reach->keys, key.text, key.length, &is_new);
	if (!is_new)
		return reach->list[number];
	ARRAY_REACH(reach->list, number, reach->size);
	r = reach->list[number] = xcalloc(1, sizeof(*r));
	if (is_same_file(f->file, file))
		widen(&r->whole, f->line);
	if (symbols && f->address)
		code_read(r, symbols, f, file);
	sites_read(r, index_of(reach, module), (uint32_t)(f - module->functions), file, has_calls);
	return r;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static struct lines_range reached_lines(const struct reached_function *r)
{
	struct lines_range range = { 0 };

	for (size_t i = 0; i < r->flow.n; i++)
		if (r->flow.steps[i].is_reached)
			widen(&range, r->lines[i]);
	return range;
}

struct lines_range line_reach_whole(struct line_reach *reach, struct symbols *symbols,
				    const struct module *module, const struct module_function *f)
{
	return function_of(reach, symbols, module, f, f->file, 1)->whole;
}

struct lines_range line_reach_entry(struct line_reach *reach, struct symbols *symbols,
				    const struct module *module, const struct module_function *f,
				    int has_calls)
{
	struct reached_function *r = function_of(reach, symbols, module, f, f->file, has_calls);
	struct lines_range range;

	flow_reach_begin(&r->flow);
	if (!r->flow.n || flow_reach(&r->flow, f->address + CINSTR_SLED_BYTES))
		return r->whole;
	range = reached_lines(r);
	widen(&range, f->line);
	return range;
}

/* Where time begins that follows the call: behind its instruction, and the probe there, which is
 * aligned. 0: not known. */
static uint64_t behind_call(const struct reached_function *r, const struct module_site *site)
{
	const struct flow_step *steps = r->flow.steps;
	const struct flow_step *call = flow_step_at(&r->flow, module_site_instruction(site));

	if (!call)
		return 0;
	for (size_t i = (size_t)(call - steps) + 1;
	     i < r->flow.n && steps[i].is.address < call->is.address + call->is.length + CINSTR_SLED_BYTES;
	     i++)
		if (r->is_after[i])
			return steps[i].is.address + steps[i].is.length;
	return call->is.address + call->is.length;
}

struct lines_range line_reach_call(struct line_reach *reach, struct symbols *symbols,
				   const struct module *module, const struct module_site *site, int has_calls)
{
	const struct module_function *f = &module->functions[site->function];
	struct reached_function *r =
		function_of(reach, symbols, module, f, site->file ? site->file : f->file, has_calls);
	uint64_t address = behind_call(r, site);
	struct lines_range range;
	int is_unknown = !address;

	flow_reach_begin(&r->flow);
	if (!is_unknown)
		is_unknown = flow_reach(&r->flow, address);
	for (size_t i = 0; !is_unknown && i < r->n_landings; i++) /* it may have ended by a throw */
		is_unknown = flow_reach(&r->flow, r->landings[i]);
	if (is_unknown)
		return r->whole;
	range = reached_lines(r);
	widen(&range, site->line);
	return range;
}

void line_reach_next_process(struct line_reach *reach)
{
	for (size_t i = 0; i < reach->n_indices; i++) {
		free(reach->indices[i].first);
		free(reach->indices[i].order);
	}
	free(reach->indices);
	reach->indices = NULL;
	reach->n_indices = 0;
}

void line_reach_release(struct line_reach *reach)
{
	line_reach_next_process(reach);
	for (size_t i = 0; i < reach->keys.n; i++) {
		flow_release(&reach->list[i]->flow);
		free(reach->list[i]->lines);
		free(reach->list[i]->landings);
		free(reach->list[i]->is_after);
		free(reach->list[i]);
	}
	free(reach->list);
	map_release(&reach->keys);
	*reach = (struct line_reach){ 0 };
}
