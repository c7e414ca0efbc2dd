/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_names.c - finds the functions and places of an address in a stack, including inlined ones
 * (samples_paths.h). The collector writes them into the file at its end (SYMBOLS). While it runs,
 * or if it was killed, the modules themselves are read, if they still exist.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/search.h"
#include "samples_paths.h"
#include "symbols/debug_files.h"
#include "symbols/symbols.h"

/* The SYMBOLS segment, as far as it is sound. */
struct table {
	const struct cinstr_symbol_address *addresses;
	const struct cinstr_symbol_frame *frames;
	const char *strings;
	uint32_t n_addresses, n_frames;
	uint64_t strings_bytes;
};

struct samples_naming {
	struct data *data;
	struct table table;
	int has_table;
	const struct module **modules; /* by number - 1: in the order of MODULES */
	struct symbols **symbols;      /* of these */
	uint8_t *is_open;
	size_t n_modules;
	uint64_t no_module; /* nodes that name a module which is not there */
};

static int show_inlines = 1;

void samples_show_inlines(int on)
{
	show_inlines = on;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int is_before(const struct cinstr_symbol_address *a, uint32_t module, uint64_t address)
{
	return a->module != module ? a->module < module : a->address < address;
}

/* NULL, or what is wrong. */
static const char *table_check(const struct table *t, uint64_t bytes)
{
	uint64_t addresses = (uint64_t)t->n_addresses * sizeof(*t->addresses);
	uint64_t frames = (uint64_t)t->n_frames * sizeof(*t->frames);

	if (addresses > bytes || frames > bytes - addresses ||
	    t->strings_bytes > bytes - addresses - frames || !t->strings_bytes)
		return "its symbols are longer than their place";
	if (t->strings[t->strings_bytes - 1])
		return "the last name of its symbols has no end";
	for (uint32_t i = 1; i < t->n_addresses; i++)
		if (!is_before(&t->addresses[i - 1], t->addresses[i].module, t->addresses[i].address))
			return "its symbols are out of order";
	for (uint32_t i = 0; i < t->n_addresses; i++)
		if (t->addresses[i].first_frame > t->n_frames ||
		    t->addresses[i].n_frames > t->n_frames - t->addresses[i].first_frame)
			return "a symbol names frames that are not there";
	return NULL;
}

static int table_read(struct data *data, const struct data_segment *s, struct table *table)
{
	const struct cinstr_symbols *head = (const void *)(data->memory + s->offset);
	const char *reason = "its symbols are cut off";

	if (s->used >= sizeof(*head)) {
		table->n_addresses = head->n_addresses;
		table->n_frames = head->n_frames;
		table->strings_bytes = head->strings_bytes;
		table->addresses = (const void *)(head + 1);
		table->frames = (const void *)(table->addresses + table->n_addresses);
		table->strings = (const char *)(table->frames + table->n_frames);
		reason = table_check(table, s->used - sizeof(*head));
	}
	if (reason)
		data_problem(data, s->offset, "%s: names are looked up in the modules", reason);
	return !reason;
}

static const struct cinstr_symbol_address *table_find(const struct table *t, uint32_t module,
						      uint64_t address)
{
	uint32_t i;

	SEARCH(i, t->n_addresses, !is_before(&t->addresses[i], module, address));
	if (i == t->n_addresses || t->addresses[i].module != module || t->addresses[i].address != address)
		return NULL;
	return &t->addresses[i];
}

static const char *table_string(const struct table *t, uint32_t offset)
{
	return offset && offset < t->strings_bytes ? &t->strings[offset] : NULL;
}

/* As symbols_frames() would tell it. */
static size_t frames_of_table(const struct table *t, uint32_t module, uint64_t address,
			      struct symbol_frame *frames)
{
	const struct cinstr_symbol_address *at = table_find(t, module, address);
	uint32_t n = at ? at->n_frames : 0;

	if (n > SYMBOL_FRAMES_MAX)
		n = SYMBOL_FRAMES_MAX;
	for (uint32_t i = 0; i < n; i++) {
		const struct cinstr_symbol_frame *f = &t->frames[at->first_frame + i];

		frames[i] = (struct symbol_frame){ .name = table_string(t, f->name),
						   .entry = f->entry,
						   .file = table_string(t, f->file),
						   .line = f->line,
						   .decl_file = table_string(t, f->decl_file),
						   .decl_line = f->decl_line,
						   .is_inlined = (f->flags & CINSTR_SYMBOL_INLINED) != 0,
						   .is_guessed = (f->flags & CINSTR_SYMBOL_GUESSED) != 0 };
	}
	return n;
}

/* ---- the modules themselves ------------------------------------------------------------------ */

static size_t frames_of_module(struct samples_naming *naming, uint32_t module, uint64_t address,
			       struct symbol_frame *frames)
{
	const struct module *m = naming->modules[module - 1];

	if (!naming->is_open[module - 1]++)
		naming->symbols[module - 1] =
			symbols_shared(-1, m->path, m->raw->build_id,
				       m->raw->build_id_bytes <= sizeof(m->raw->build_id)
					       ? m->raw->build_id_bytes
					       : 0);
	if (!naming->symbols[module - 1])
		return 0;
	return symbols_frames(naming->symbols[module - 1], address, frames, SYMBOL_FRAMES_MAX);
}

/* ---- functions, places ----------------------------------------------------------------------- */

static const char *keep(struct samples_naming *naming, const char *text)
{
	return text && *text ? map_keep(&naming->data->sampled->samples->strings, text) : NULL;
}

static uint32_t function_number(struct samples_naming *naming, const struct sampled_function *f)
{
	struct sampled *sampled = naming->data->sampled;
	struct samples *s = sampled->samples;
	/* Strings are kept: equal ones have one address. */
	uint64_t key[] = {
		(uintptr_t)f->name,	     (uintptr_t)f->module, (uintptr_t)f->file, f->entry, f->line,
		f->kind * 2u + f->is_inlined
	};
	int is_new;
	size_t number = map_add(&s->functions, key, sizeof(key), &is_new);

	if (!is_new)
		return (uint32_t)number;
	ARRAY_ROOM(sampled->functions, number, s->size_functions, 64);
	sampled->functions[number] = *f;
	sampled->n_functions = number + 1;
	return (uint32_t)number;
}

static uint32_t place_number(struct samples_naming *naming, const struct sampled_place *place)
{
	struct sampled *sampled = naming->data->sampled;
	struct samples *s = sampled->samples;
	uint64_t key[] = { place->function, place->address, (uintptr_t)place->file, place->line,
			   place->inlined_at * 2ull + place->is_inlined_call };
	int is_new;
	size_t number = map_add(&s->places, key, sizeof(key), &is_new);

	if (!is_new)
		return (uint32_t)number;
	ARRAY_ROOM(sampled->places, number, s->size_places, 64);
	sampled->places[number] = *place;
	sampled->n_places = number + 1;
	return (uint32_t)number;
}

static void chain_add(struct samples *s, struct samples_chain *chain, uint32_t place)
{
	ARRAY_ROOM(s->chains, s->n_chains, s->size_chains, 64);
	s->chains[s->n_chains++] = place;
	chain->n++;
}

/* A name that was made up is told from those of other modules. */
static const char *function_name(struct samples_naming *naming, const struct module *module,
				 const struct symbol_frame *frame)
{
	STRBUF(text);

	if (!frame->is_guessed || (frame->name && strncmp(frame->name, "0x", 2)))
		return keep(naming, frame->name);
	strbuf_printf(&text, "%s+0x%llx", util_basename(module->path), (unsigned long long)frame->entry);
	return keep(naming, text.text);
}

static uint32_t function_of(struct samples_naming *naming, const struct module *module,
			    const struct symbol_frame *frame)
{
	struct sampled_function f = { .name = function_name(naming, module, frame),
				      .module = module,
				      .entry = frame->entry,
				      .file = keep(naming, frame->decl_file),
				      .line = frame->decl_file ? frame->decl_line : 0,
				      .is_inlined = frame->is_inlined != 0,
				      .kind = frame->is_guessed ? SAMPLED_GUESSED : SAMPLED_CODE };

	if (!f.name) {
		f.name = keep(naming, SYMBOL_UNKNOWN);
		f.kind = SAMPLED_UNKNOWN;
	}
	return function_number(naming, &f);
}

/* The one place of a function that is all there is to know. */
static struct samples_chain chain_of_one(struct samples_naming *naming, const struct sampled_function *f,
					 uint64_t address)
{
	struct samples *s = naming->data->sampled->samples;
	struct samples_chain chain = { .first = (uint32_t)s->n_chains };
	struct sampled_place place = { .function = function_number(naming, f), .address = address };

	place.physical = place.function;
	chain_add(s, &chain, place_number(naming, &place));
	return chain;
}

/* frames[n]: innermost first. Inlines are frames of their own, or only the outermost one counts,
 * with its line: that of the call. */
static struct samples_chain chain_of_frames(struct samples_naming *naming, const struct module *module,
					    uint64_t address, const struct symbol_frame *frames, size_t n)
{
	struct samples *s = naming->data->sampled->samples;
	struct samples_chain chain = { .first = (uint32_t)s->n_chains };
	uint32_t outer = 0, physical = 0;

	for (size_t i = n; i-- > (show_inlines ? 0 : n - 1);) {
		int is_call = show_inlines && i > 0;
		struct sampled_place place = { .function = function_of(naming, module, &frames[i]),
					       .address = is_call ? frames[i - 1].entry : address,
					       .file = keep(naming, frames[i].file),
					       .line = frames[i].file ? frames[i].line : 0,
					       .inlined_at = outer,
					       .is_inlined_call = (uint8_t)is_call };

		physical = i == n - 1 ? place.function : physical;
		place.physical = physical;
		outer = place_number(naming, &place) + 1;
		chain_add(s, &chain, outer - 1);
	}
	return chain;
}

/*
 * What was written when the recording ended, unless the user names folders of debug files now: what
 * these tell counts, but where it is less.
 */
static size_t frames_of(struct samples_naming *naming, uint32_t module, uint64_t address,
			struct symbol_frame *frames)
{
	size_t n = 0;

	if (!naming->has_table || debug_files_are_chosen())
		n = frames_of_module(naming, module, address, frames);
	if (naming->has_table && (!n || frames[n - 1].is_guessed))
		n = frames_of_table(&naming->table, module, address, frames);
	return n;
}

static struct samples_chain chain_of_code(struct samples_naming *naming, uint32_t module, uint64_t address)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	const struct module *m = naming->modules[module - 1];
	size_t n = frames_of(naming, module, address, frames);
	struct sampled_function unknown = { .name = keep(naming, SYMBOL_UNKNOWN),
					    .module = m,
					    .kind = SAMPLED_UNKNOWN };

	if (n)
		return chain_of_frames(naming, m, address, frames, n);
	return chain_of_one(naming, &unknown, address);
}

static struct samples_chain chain_make(struct samples_naming *naming, uint32_t module, uint64_t address)
{
	struct sampled_function special = { .name = keep(naming, SAMPLES_ANONYMOUS),
					    .kind = SAMPLED_ANONYMOUS };

	if (module == CINSTR_NODE_KERNEL) {
		special.name = keep(naming, SAMPLES_KERNEL);
		special.kind = SAMPLED_KERNEL;
		return chain_of_one(naming, &special, 0);
	}
	if (module == CINSTR_NODE_TRUNCATED) { /* as something executed: nothing is known */
		special.name = keep(naming, SYMBOL_UNKNOWN);
		special.kind = SAMPLED_UNKNOWN;
		return chain_of_one(naming, &special, 0);
	}
	if (module && module <= naming->n_modules)
		return chain_of_code(naming, module, address);
	naming->no_module += module != 0;
	return chain_of_one(naming, &special, address);
}

struct samples_chain samples_chain_of(struct samples_naming *naming, uint32_t module, uint64_t address)
{
	struct samples *s = naming->data->sampled->samples;
	uint64_t key[2] = { module, address };
	int is_new;
	size_t number = map_add(&s->addresses, key, sizeof(key), &is_new);

	ARRAY_ROOM(s->chain_of, number, s->size_chain_of, 64);
	if (is_new)
		s->chain_of[number] = chain_make(naming, module, address);
	return s->chain_of[number];
}

uint32_t samples_truncated(struct samples_naming *naming)
{
	struct sampled_function f = { .name = keep(naming, SAMPLES_TRUNCATED), .kind = SAMPLED_TRUNCATED };

	return function_number(naming, &f);
}

/* ---- begin and end --------------------------------------------------------------------------- */

struct samples_naming *samples_naming_new(struct data *data)
{
	struct samples_naming *naming = xcalloc(1, sizeof(*naming));

	naming->data = data;
	naming->n_modules = data->modules.n;
	naming->modules = xcalloc(naming->n_modules, sizeof(*naming->modules));
	naming->symbols = xcalloc(naming->n_modules, sizeof(*naming->symbols));
	naming->is_open = xcalloc(naming->n_modules, sizeof(*naming->is_open));
	for (size_t i = 0; i < naming->n_modules; i++)
		naming->modules[i] = &data->modules.list[i];
	for (size_t i = 0; i < data->n_segments && !naming->has_table; i++)
		if (data->segments[i].type == CINSTR_SEG_SYMBOLS && data->segments[i].used)
			naming->has_table = table_read(data, &data->segments[i], &naming->table);
	return naming;
}

void samples_naming_release(struct samples_naming *naming, int is_live)
{
	if (naming->no_module && !is_live)
		data_problem(naming->data, 0,
			     "%llu addresses are of modules that the file does not have: they count as %s",
			     (unsigned long long)naming->no_module, SAMPLES_ANONYMOUS);
	free(naming->modules);
	free(naming->symbols);
	free(naming->is_open);
	free(naming);
}
