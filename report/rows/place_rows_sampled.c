/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_rows_sampled.c - rows of lines, call sites and instructions of sampled processes
 * (profile.h, samples.h). The executed instruction is known: its line is that in the debug
 * information; for a caller, that of its call, whose last byte is known.
 *
 * Inlined code was called by no instruction: such a call has a line, and a row as a call site,
 * which begins where the inlined code does. It has no row as an instruction: inlined code is
 * executed there.
 */
#include "place_rows.h"

#include <string.h>

/* The entity of a function by its number. */
static uint32_t entity_of(struct profile *profile, const struct data *data, uint32_t function)
{
	const struct cinstr_cell cell = { .tag = SAMPLES_CELL_FUNCTION, .func = function + 1 };

	return names_of_cell(profile->names, data, &cell);
}

/* "inner at file:line, outer at file:line": how the place got where it is executed. */
static void put_chain(struct strbuf *text, struct profile *profile, const struct data *data,
		      const struct sampled_place *place)
{
	while (place->inlined_at) {
		const struct sampled_place *outer = samples_place(data, place->inlined_at);

		strbuf_printf(text, "%s%s at ", text->length ? ", " : "",
			      profile->names->list[entity_of(profile, data, place->function)].name);
		if (outer->file)
			strbuf_printf(text, "%s:%u", outer->file, outer->line);
		else
			strbuf_puts(text, SYMBOL_UNKNOWN);
		place = outer;
	}
}

static uint32_t line_row_of(struct profile *profile, const struct data *data,
			    const struct sampled_place *place, uint32_t entity)
{
	const struct entity *e = &profile->names->list[entity];
	STRBUF(chain);
	uint32_t number = place->file ? place_line_row(profile, e->module,
						       map_keep(&profile->strings, place->file), place->line)
				      : place_lineless_row(profile, entity);

	place_of_function(profile, number, entity);
	strbuf_clear(&chain);
	put_chain(&chain, profile, data, place);
	if (chain.length)
		place_join(profile, &profile->rows[number].inlined_from, &profile->rows[number].n_inlined,
			   number, chain.text);
	return number;
}

/* "f+0x1c", or without a function "libx.so+0x1234"; what is no code of a file goes by its name. */
static void put_instruction(struct strbuf *text, struct profile *profile, const struct data *data,
			    const struct sampled_place *place)
{
	const struct sampled_function *f = &data->sampled->functions[place->physical];
	const char *name = profile->names->list[entity_of(profile, data, place->physical)].name;
	int is_before = f->entry && place->address < f->entry;

	if (!place->address)
		strbuf_puts(text, name);
	else if (!f->entry)
		strbuf_printf(text, "%s+0x%llx", f->module ? util_basename(f->module->path) : name,
			      (unsigned long long)place->address);
	else
		strbuf_printf(text, "%s%c0x%llx", name, is_before ? '-' : '+',
			      (unsigned long long)(is_before ? f->entry - place->address
							     : place->address - f->entry));
}

static uint32_t instruction_row_of(struct profile *profile, const struct data *data,
				   const struct sampled_place *place, uint32_t entity)
{
	const struct entity *e = &profile->names->list[entity];
	struct strbuf key = { 0 };
	STRBUF(text);
	uint32_t number;
	struct row *row;

	if (place->is_inlined_call)
		return ROW_NONE;
	strbuf_printf(&text, "0x%llx", (unsigned long long)place->address);
	strbuf_printf(&key, "%u\n%s", entity_of(profile, data, place->physical), text.text);
	number = place_row_of_text(profile, &key);
	row = &profile->rows[number];
	if (!row->name) {
		if (place->address)
			row->address = map_keep(&profile->strings, text.text);
		strbuf_clear(&text);
		put_instruction(&text, profile, data, place);
		row->name = map_keep(&profile->strings, text.text);
		row->function = e->name;
		row->module = e->module;
		row->file = place->file ? map_keep(&profile->strings, place->file) : NULL;
		row->line = place->line;
		row->callee = "";
		row->about = entity;
		row->which = place->address ? row->name : NULL;
		row->build = place_build(profile, data->sampled->functions[place->physical].module);
	}
	return number;
}

uint32_t sampled_place_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			   uint32_t entity)
{
	struct place_key key = { SAMPLED_PLACE, cell->site, 0 };
	const struct sampled_place *place;
	uint32_t number, *kept;
	int is_new;

	if (CINSTR_CELL_KIND(cell->tag) != SAMPLES_CELL_PLACE)
		return ROW_NONE; /* all that a function has, its places have */
	place = samples_place(data, cell->site);
	kept = place_known(profile, &key, &is_new);
	if (!is_new)
		return *kept;
	number = profile->by == BY_ADDRESS ? instruction_row_of(profile, data, place, entity)
					   : line_row_of(profile, data, place, entity);
	*place_known(profile, &key, &is_new) = number;
	return number;
}

/* An interrupt may be at any instruction: what they call of the kernel is one row a line. */
static int is_kernel(const struct profile *profile, uint32_t entity)
{
	return !strcmp(profile->names->list[entity].name, SAMPLES_KERNEL);
}

static uint32_t site_row_of(struct profile *profile, const struct data *data,
			    const struct sampled_place *place, uint32_t callee)
{
	uint32_t caller = entity_of(profile, data, place->function), number;
	const struct entity *e = &profile->names->list[caller];
	struct strbuf key = { 0 };
	STRBUF(address);
	int is_one = is_kernel(profile, callee) && place->file;
	struct row *row;

	strbuf_printf(&address, "0x%llx", (unsigned long long)place->address);
	if (is_one)
		strbuf_printf(&key, "%u %u %s:%u", caller, callee, place->file, place->line);
	else
		strbuf_printf(&key, "%u %u %s", caller, callee, address.text);
	number = place_row_of_text(profile, &key);
	row = &profile->rows[number];
	if (!row->name) {
		row->name = e->name;
		row->module = e->module;
		row->file = place->file ? map_keep(&profile->strings, place->file) : NULL;
		row->line = place->line;
		row->callee = profile->names->list[callee].name;
		row->about = callee;
		row->place = caller;
		row->address = is_one ? NULL : map_keep(&profile->strings, address.text);
	}
	return number;
}

uint32_t sampled_site_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			  uint32_t entity)
{
	struct place_key key = { SAMPLED_SITE, entity, cell->site };
	uint32_t number, *kept;
	int is_new;

	kept = place_known(profile, &key, &is_new);
	if (!is_new)
		return *kept;
	number = site_row_of(profile, data, samples_place(data, cell->site), entity);
	*place_known(profile, &key, &is_new) = number;
	return number;
}
