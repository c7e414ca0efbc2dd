/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_rows.c - the rows of source lines, of call sites and of instructions (profile.h; semantics
 * R14).
 *
 * A line is (module, file, line), in whatever functions it is executed. Code without a known line,
 * such as a function without probes, has a row by itself, so that no time is missing. A call site
 * is (call instruction, callee): a call through a pointer has a row for each function that it
 * called.
 */
#include <stdlib.h>
#include <string.h>

#include "place_rows.h"
#include "lib/array.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* ---- rows by key ----------------------------------------------------------------------------- */

uint32_t *place_known(struct profile *profile, const struct place_key *key, int *is_new)
{
	size_t number = map_add(&profile->codes, key, sizeof(*key), is_new);

	ARRAY_REACH(profile->row_of_code, number, profile->n_row_of_code);
	return &profile->row_of_code[number];
}

uint32_t place_row_of_text(struct profile *profile, struct strbuf *key)
{
	int is_new;
	uint32_t number = (uint32_t)map_add(&profile->keys, key->text, key->length, &is_new);

	strbuf_release(key);
	profile_row(profile, number);
	return number;
}

void place_join(struct profile *profile, const char **text, uint32_t *n, uint32_t row, const char *more)
{
	STRBUF(key);
	STRBUF(joined);
	int is_new;

	strbuf_printf(&key, "%u\n%d\n%s", row, (int)(text - &profile->rows[row].function), more);
	map_add(&profile->joined, key.text, key.length, &is_new);
	if (!is_new || *n > PLACES_SHOWN)
		return;
	strbuf_printf(&joined, "%s%s%s", *text ? *text : "", *n ? PLACES_SEPARATOR : "",
		      *n == PLACES_SHOWN ? ELLIPSIS : more);
	*text = map_keep(&profile->strings, joined.text);
	(*n)++;
}

/* ---- lines ----------------------------------------------------------------------------------- */

uint32_t place_line_row(struct profile *profile, const char *module, const char *file, uint32_t line)
{
	struct strbuf key = { 0 };
	STRBUF(name);
	uint32_t number;
	struct row *row;

	strbuf_printf(&key, "%s\n%s\n%u", module, file, line);
	number = place_row_of_text(profile, &key);
	row = &profile->rows[number];
	if (row->name)
		return number;
	strbuf_printf(&name, "%s:%u", util_basename(file), line);
	row->name = map_keep(&profile->strings, name.text);
	row->module = module;
	row->file = file;
	row->line = line;
	row->inlined_from = "";
	return number;
}

uint32_t place_lineless_row(struct profile *profile, uint32_t entity)
{
	const struct entity *e = &profile->names->list[entity];
	struct strbuf key = { 0 };
	uint32_t number;

	strbuf_printf(&key, "%u", entity);
	number = place_row_of_text(profile, &key);
	profile->rows[number].name = e->name;
	profile->rows[number].module = e->module;
	profile->rows[number].entity = entity;
	profile->rows[number].inlined_from = "";
	return number;
}

void place_of_function(struct profile *profile, uint32_t number, uint32_t entity)
{
	struct row *row = &profile->rows[number];

	if (row->about == NAMES_NONE)
		row->about = entity;
	row->is_of_several |= row->about != entity;
	place_join(profile, &row->function, &row->n_functions, number, profile->names->list[entity].name);
}

/* The line that a function is defined in; a row of its own where that is not known. */
static uint32_t function_line_row(struct profile *profile, uint32_t entity)
{
	const struct entity *e = &profile->names->list[entity];
	const char *file = entity_told_file(e);
	uint32_t number = file ? place_line_row(profile, e->module, file, e->line)
			       : place_lineless_row(profile, entity);

	place_of_function(profile, number, entity);
	return number;
}

/* "f\tfile\tline\ng\tfile\tline\n" -> "f at file:line, g at file:line" */
static void put_chain(struct strbuf *text, const char *levels)
{
	while (*levels) {
		size_t n = strcspn(levels, "\n"), name = strcspn(levels, "\t\n"), file;
		const char *at = levels + name + (levels[name] == '\t');
		FREED char *function = xcalloc(name + 1, 1);
		FREED char *plain = NULL;

		memcpy(function, levels, name);
		plain = names_shown(function, NULL, 0);
		file = strcspn(at, "\t\n");
		strbuf_printf(text, "%s%s at %.*s", text->length ? ", " : "", plain, (int)file, at);
		if (at[file] == '\t')
			strbuf_printf(text, ":%.*s", (int)strcspn(at + file + 1, "\t\n"), at + file + 1);
		levels += n + (levels[n] == '\n');
	}
}

#define PROBES_LINES 3 /* where lines have probes, their sleds have the levels */

/* Of code whose line has no levels, as of calls: what the debug information says. */
static void put_debug_chain(struct strbuf *text, struct profile *profile, const struct module *module,
			    const struct module_site *site)
{
	struct symbols *symbols = names_symbols(profile->names, module);
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = symbols ? symbols_frames(symbols, module_site_instruction(site), frames, SYMBOL_FRAMES_MAX)
			   : 0;

	for (size_t i = 0; i + 1 < n && frames[i].is_inlined; i++) {
		FREED char *plain = names_shown(frames[i].name, frames[i].decl_file, frames[i].decl_line);

		strbuf_printf(text, "%s%s at %s:%u", text->length ? ", " : "", plain,
			      frames[i + 1].file ? frames[i + 1].file : SYMBOL_UNKNOWN, frames[i + 1].line);
	}
}

static uint32_t sled_line_row(struct profile *profile, const struct data *data, const struct module *module,
			      const struct module_site *site)
{
	const struct module_function *f = &module->functions[site->function];
	uint32_t entity = names_of_function(profile->names, module, f), number;
	const struct entity *e = &profile->names->list[entity];
	const char *file =
		site->file ? names_file(profile->names, f->comp_dir, site->file) : entity_told_file(e);
	STRBUF(chain);
	struct row *row;

	if (!file)
		return function_line_row(profile, entity);
	number = place_line_row(profile, e->module, file, site->line);
	place_of_function(profile, number, entity);
	row = &profile->rows[number];
	strbuf_clear(&chain);
	for (uint32_t i = 0; i < site->n_levels; i++)
		put_chain(&chain, module->levels[site->first_level + i]);
	if (!site->n_levels && data->header->probes < PROBES_LINES)
		put_debug_chain(&chain, profile, module, site);
	if (chain.length)
		place_join(profile, &row->inlined_from, &row->n_inlined, number, chain.text);
	return number;
}

static const struct module_site *site_of(const struct data *data, uint32_t code, const struct module **module)
{
	*module = modules_by_code(&data->modules, code);
	return *module ? module_site(*module, code) : NULL;
}

uint32_t place_of_line(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity)
{
	int is_line = CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE, is_new;
	struct place_key key = { is_line ? LINE_OF_SLED : LINE_OF_FUNCTION, entity,
				 is_line ? cell->site : 0 };
	const struct module_site *site;
	const struct module *module;
	uint32_t number, *kept;

	if (entity == NAMES_NONE || !profile->names->list[entity].is_function)
		return ROW_NONE;
	if (data->sampled)
		return sampled_place_row(profile, data, cell, entity);
	kept = place_known(profile, &key, &is_new);
	if (is_new) {
		site = is_line ? site_of(data, cell->site, &module) : NULL;
		*kept = site ? sled_line_row(profile, data, module, site)
			     : function_line_row(profile, entity);
	}
	number = *kept;
	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FLAT_FRAME)
		place_reaches_from_entry(profile, data, cell, number, 1);
	return number;
}

/* ---- lines that are not known ---------------------------------------------------------------- */

/* The row's own time may be of these lines, too. */
static void row_widen(struct row *row, struct lines_range range)
{
	if (!range.from || !row->line || !row->file || (range.from == row->line && range.to == row->line))
		return;
	row->line_from = row->line_from ? row->line_from : row->line;
	row->line_to = row->line_to ? row->line_to : row->line;
	if (range.from < row->line_from)
		row->line_from = range.from;
	if (range.to > row->line_to)
		row->line_to = range.to;
}

int row_has_range(const struct row *row)
{
	return row->line_to && row->sums.elapsed_exclusive > 0;
}

/* Whether all calls of functions with probes had probes, all the time. */
static int has_calls(const struct profile *profile, const struct data *data)
{
	return data->header->probes >= 2 && !profile->taken_outs.n;
}

static void reach_from_call(struct profile *profile, const struct data *data, uint32_t site, uint32_t number)
{
	struct place_key key = { REACH_OF_CALL, site, number };
	const struct module *module;
	const struct module_site *called = site_of(data, site, &module);
	int is_new;

	if (number == ROW_NONE || !called)
		return;
	*place_known(profile, &key, &is_new) = number;
	if (is_new)
		row_widen(&profile->rows[number],
			  line_reach_call(&profile->reach, names_symbols(profile->names, module), module,
					  called, has_calls(profile, data)));
}

void place_reaches_from_entry(struct profile *profile, const struct data *data,
			      const struct cinstr_cell *cell, uint32_t number, int is_whole)
{
	struct place_key key = { is_whole ? REACH_OF_ALL : REACH_OF_ENTRY, cell->func, number };
	const struct module *module = modules_by_code(&data->modules, cell->func);
	const struct module_function *f = module ? module_function(module, cell->func) : NULL;
	struct symbols *symbols;
	int is_new;

	if (number == ROW_NONE || !f)
		return;
	*place_known(profile, &key, &is_new) = number;
	if (!is_new)
		return;
	symbols = names_symbols(profile->names, module);
	row_widen(&profile->rows[number],
		  is_whole ? line_reach_whole(&profile->reach, symbols, module, f)
			   : line_reach_entry(&profile->reach, symbols, module, f, has_calls(profile, data)));
}

uint32_t place_of_call(struct profile *profile, const struct data *data, uint32_t site, uint32_t entity)
{
	const struct cinstr_cell place = { .tag = CINSTR_CELL_LINE, .site = site };
	uint32_t row;

	if (profile->by == BY_ADDRESS)
		return place_of_address(profile, data, &place, entity);
	row = place_of_line(profile, data, &place, entity);
	reach_from_call(profile, data, site, row);
	return row;
}

/* ---- call sites ------------------------------------------------------------------------------ */

static uint32_t site_row(struct profile *profile, const struct module *module, const struct module_site *site,
			 uint32_t callee)
{
	const struct module_function *f = &module->functions[site->function];
	uint32_t caller = names_of_function(profile->names, module, f), number;
	const struct entity *e = &profile->names->list[caller];
	struct strbuf key = { 0 };
	STRBUF(address);
	struct row *row;

	strbuf_printf(&address, "0x%llx", (unsigned long long)module_site_instruction(site));
	strbuf_printf(&key, "%u %u %s", caller, callee, address.text);
	number = place_row_of_text(profile, &key);
	row = &profile->rows[number];
	if (!row->name) {
		row->name = e->name;
		row->module = e->module;
		row->file = site->file ? names_file(profile->names, f->comp_dir, site->file)
				       : entity_told_file(e);
		row->line = site->line;
		row->callee = profile->names->list[callee].name;
		row->about = callee;
		row->place = caller;
		row->address = map_keep(&profile->strings, address.text);
	}
	return number;
}

uint32_t place_of_site(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity)
{
	struct place_key key = { CALL_SITE, entity, cell->site };
	const struct module_site *site;
	const struct module *module;
	uint32_t number, *kept;
	int is_new;

	if (!cell->site || entity == NAMES_NONE || !profile->names->list[entity].is_function ||
	    data_cell_is_line(cell))
		return ROW_NONE;
	if (data->sampled)
		return sampled_site_row(profile, data, cell, entity);
	kept = place_known(profile, &key, &is_new);
	if (!is_new)
		return *kept;
	site = site_of(data, cell->site, &module);
	number = site ? site_row(profile, module, site, entity) : ROW_NONE;
	*kept = number;
	return number;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* "f+0x1c": `address`, link address of an instruction of the function. */
static uint32_t instruction_row(struct profile *profile, const struct module *module,
				const struct module_function *f, uint64_t address)
{
	uint32_t entity = names_of_function(profile->names, module, f), number;
	const struct entity *e = &profile->names->list[entity];
	uint64_t entry = f->address;
	struct strbuf key = { 0 };
	STRBUF(text);
	struct row *row;

	strbuf_printf(&text, "0x%llx", (unsigned long long)address);
	strbuf_printf(&key, "%u\n%s", entity, text.text);
	number = place_row_of_text(profile, &key);
	row = &profile->rows[number];
	if (!row->name) {
		row->address = map_keep(&profile->strings, text.text);
		strbuf_clear(&text);
		strbuf_printf(&text, "%s%c0x%llx", e->name, address < entry ? '-' : '+',
			      (unsigned long long)(address < entry ? entry - address : address - entry));
		row->name = map_keep(&profile->strings, text.text);
		row->function = e->name;
		row->module = e->module;
		row->file = entity_told_file(e);
		row->line = entity_told_line(e);
		row->callee = "";
		row->about = entity;
	}
	return number;
}

const char *place_build(struct profile *profile, const struct module *module)
{
	const struct cinstr_module *raw = module ? module->raw : NULL;
	STRBUF(text);

	for (uint32_t i = 0; raw && i < raw->build_id_bytes && i < sizeof(raw->build_id); i++)
		strbuf_printf(&text, "%02x", raw->build_id[i]);
	return text.length ? map_keep(&profile->strings, text.text) : NULL;
}

/* Whether both are calls of the same function, or neither is a call. */
static int are_alike(const struct module_site *a, const struct module_site *b)
{
	if (!module_site_is_call(a) || !module_site_is_call(b))
		return CINSTR_CODE_KIND(a->code) == CINSTR_CODE_KIND(b->code);
	return a->callee == b->callee || (a->callee && b->callee && !strcmp(a->callee, b->callee));
}

/*
 * Counted among all that the function has, executed or not, so that in the same build it is the
 * same instruction, and in another one very likely. Sites are in order of addresses, so a
 * function's stand together, those of its cold part elsewhere.
 */
static const char *which_of(struct profile *profile, const struct module *module,
			    const struct module_site *site)
{
	const struct module_site *at = site;
	STRBUF(text);
	uint32_t before = 0;

	for (; at > module->sites && at[-1].function == site->function; at--)
		before += are_alike(&at[-1], site);
	strbuf_printf(&text, "%s%u %s", CINSTR_CODE_KIND(at->code) == CINSTR_EV_ENTER ? "" : "cold ", before,
		      !module_site_is_call(site) ? "line"
		      : site->callee		 ? site->callee
						 : "*");
	return map_keep(&profile->strings, text.text);
}

static uint32_t site_instruction_row(struct profile *profile, const struct module *module,
				     const struct module_site *site)
{
	const struct module_function *f = &module->functions[site->function];
	uint32_t number = instruction_row(profile, module, f, module_site_instruction(site));
	struct row *row = &profile->rows[number];

	if (site->file)
		row->file = names_file(profile->names, f->comp_dir, site->file);
	row->line = site->line;
	if (!row->which) {
		row->which = which_of(profile, module, site);
		row->build = place_build(profile, module);
	}
	return number;
}

static uint32_t entry_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			  uint32_t entity)
{
	const struct module *module = modules_by_code(&data->modules, cell->func);
	const struct module_function *f = module ? module_function(module, cell->func) : NULL;
	struct strbuf key = { 0 };
	uint32_t number;

	if (f && f->address)
		return instruction_row(profile, module, f, f->address);
	strbuf_printf(&key, "%u", entity);
	number = place_row_of_text(profile, &key);
	profile_row_name(profile, &profile->rows[number], entity);
	profile->rows[number].function = profile->rows[number].name;
	profile->rows[number].callee = "";
	profile->rows[number].about = entity;
	return number;
}

uint32_t place_of_address(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			  uint32_t entity)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag), number, *kept;
	int is_line = kind == CINSTR_CELL_LINE, is_frame = kind == CINSTR_CELL_FRAME, is_new;
	struct place_key key = { is_line ? LINE_OF_SLED : LINE_OF_FUNCTION, entity,
				 is_line    ? cell->site
				 : is_frame ? cell->func
					    : 0 };
	const struct module_site *site;
	const struct module *module;

	if (entity == NAMES_NONE || !profile->names->list[entity].is_function)
		return ROW_NONE;
	if (data->sampled)
		return sampled_place_row(profile, data, cell, entity);
	kept = place_known(profile, &key, &is_new);
	if (!is_new)
		return *kept;
	site = is_line ? site_of(data, cell->site, &module) : NULL;
	if (site)
		number = site_instruction_row(profile, module, site);
	else
		number = entry_row(profile, data, cell, entity);
	*kept = number;
	return number;
}

void place_calls(struct profile *profile, uint32_t row, uint32_t callee)
{
	struct place_key key = { CALLEE, row, callee };
	int is_new;

	place_known(profile, &key, &is_new);
	if (is_new)
		place_join(profile, &profile->rows[row].callee, &profile->rows[row].n_callees, row,
			   profile->names->list[callee].name);
}

void places_next_process(struct profile *profile)
{
	map_release(&profile->codes);
	line_reach_next_process(&profile->reach);
}
