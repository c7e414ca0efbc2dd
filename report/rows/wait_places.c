/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wait_places.h"

#include <stdlib.h>
#include <string.h>

#include "cinstr/amounts.h"
#include "cinstr/awaiting.h"
#include "names/system_paths.h"
#include "names/thread_names.h"

#define PATH_MAX_FRAMES 512

static const struct cinstr_cell *cell_at(const struct data *data, uint32_t index)
{
	return (const void *)(data->memory + (uint64_t)index * sizeof(struct cinstr_cell));
}

/* Returns the function above a cell: the FRAME that a line belongs to, or NULL at the root
 * and beyond the budget of paths. */
static const struct cinstr_cell *frame_above(const struct data *data, const struct cinstr_cell *cell)
{
	do {
		uint32_t kind = CINSTR_CELL_KIND(cell->tag);

		if (!cell->parent || kind == CINSTR_CELL_FLAT_FRAME || kind == CINSTR_CELL_FLAT_CALL)
			return NULL;
		cell = cell_at(data, cell->parent);
	} while (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE);
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME ? cell : NULL;
}

/* ---- places ---------------------------------------------------------------------------------- */

static const struct module_site *site_of(const struct data *data, uint32_t code, const struct module **module)
{
	*module = code ? modules_by_code(&data->modules, code) : NULL;
	return *module ? module_site_of_word(*module, code) : NULL;
}

const char *wait_callee(const struct data *data, uint32_t site)
{
	const struct module *module;
	const struct module_site *s = site_of(data, site, &module);

	return s && s->callee ? s->callee : "";
}

static enum cinstr_object_kind kind_of_end(uint64_t object)
{
	switch (cinstr_end_kind(object)) {
	case CINSTR_END_SOCKET:
		return CINSTR_OBJECT_SOCKET;
	case CINSTR_END_EVENT:
		return CINSTR_OBJECT_EVENT;
	default:
		return CINSTR_OBJECT_PIPE;
	}
}

enum cinstr_object_kind wait_kind(const struct data *data, uint32_t site, uint64_t object)
{
	const struct cinstr_object_call *call = cinstr_object_call_of(wait_callee(data, site));

	if (call)
		return call->kind;
	return cinstr_amount_use_of(wait_callee(data, site)) ? kind_of_end(object) : CINSTR_OBJECT_LOCK;
}

int wait_is_of_system(const struct names *names, uint32_t entity)
{
	return entity != NAMES_NONE && system_code_is_header(names->list[entity].file);
}

/* Returns the lambda that a function of std::thread calls, and that was inlined there; else the
 * entity itself. */
static uint32_t lambda_or(struct names *names, uint32_t entity)
{
	FREED char *lambda = thread_lambda(&names->list[entity]);

	return lambda ? names_made_up(names, lambda) : entity;
}

struct wait_place wait_place_of(struct names *names, const struct data *data, uint32_t code)
{
	struct wait_place place = { .entity = NAMES_NONE };
	const struct module *module;
	const struct module_site *site = site_of(data, code, &module);
	const struct module_function *function;

	if (!site || site->function >= module->n_functions)
		return place;
	place.code = code;
	function = &module->functions[site->function];
	place.entity = names_of_function(names, module, function);
	place.file = names_file(names, function->comp_dir, site->file ? site->file : function->file);
	place.line = site->line;
	/* the line of a header that was inlined here says nothing of the place */
	if (system_code_is_header(place.file)) {
		place.file = names_file(names, function->comp_dir, function->file);
		place.line = 0;
	}
	if (system_code_is_header(place.file)) {
		place.file = NULL;
		place.entity = lambda_or(names, place.entity);
	}
	return place;
}

struct wait_place wait_place_waiter(struct names *names, const struct data *data, uint32_t site,
				    uint32_t index)
{
	struct wait_place place = wait_place_of(names, data, site);
	const struct cinstr_cell *cell = index ? cell_at(data, index) : NULL;

	while (cell && wait_is_of_system(names, place.entity)) {
		struct wait_place outer;

		cell = frame_above(data, cell);
		outer = wait_place_of(names, data, cell ? cell->site : 0);
		if (outer.entity == NAMES_NONE)
			break;
		place = outer;
	}
	return place;
}

char *wait_path(struct names *names, const struct data *data, uint32_t index)
{
	uint32_t entities[PATH_MAX_FRAMES];
	const struct cinstr_cell *cell = index ? cell_at(data, index) : NULL;
	struct strbuf text = { 0 };
	size_t n = 0;

	while (cell && n < ARRAY_SIZE(entities)) {
		cell = frame_above(data, cell);
		if (cell)
			entities[n++] = names_of_cell(names, data, cell);
	}
	while (n--)
		if (entities[n] != NAMES_NONE)
			strbuf_printf(&text, "%s%s", text.length ? ";" : "", names->list[entities[n]].name);
	strbuf_puts(&text, "");
	return text.text;
}

char *wait_path_whole(struct names *names, const struct data *data, uint32_t index, uint32_t *entity)
{
	struct strbuf text = { 0 };
	char *outer;

	while (index && CINSTR_CELL_KIND(cell_at(data, index)->tag) == CINSTR_CELL_LINE)
		index = cell_at(data, index)->parent;
	outer = wait_path(names, data, index);
	*entity = index ? names_of_cell(names, data, cell_at(data, index)) : NAMES_NONE;
	strbuf_puts(&text, outer);
	if (*entity != NAMES_NONE)
		strbuf_printf(&text, "%s%s", *outer ? ";" : "", names->list[*entity].name);
	free(outer);
	return text.text;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Returns the module whose image begins closest below the address, or NULL. */
static const struct module *module_below(const struct data *data, uint64_t address)
{
	const struct module *found = NULL;

	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];

		if (module->raw->text_start <= address && *module->path &&
		    (!found || module->raw->text_start > found->raw->text_start))
			found = module;
	}
	return found;
}

char *wait_object_name(struct names *names, const struct data *data, uint64_t address, const char **file)
{
	const struct module *module = module_below(data, address);
	struct symbols *symbols = module ? names_symbols(names, module) : NULL;
	struct strbuf name = { 0 };
	const char *symbol;
	char *shown;
	uint64_t offset;

	*file = NULL;
	if (!address || !symbols)
		return NULL;
	symbol = symbols_object(symbols, address - module->raw->base, &offset);
	if (!symbol)
		return NULL;
	shown = names_shown(symbol, NULL, 0);
	*file = names_file(names, NULL, module->path);
	if (!offset)
		return shown;
	strbuf_printf(&name, "%s+%llu", shown, (unsigned long long)offset);
	free(shown);
	return name.text;
}

/* ---- threads --------------------------------------------------------------------------------- */

const struct data_thread *wait_thread(const struct data *data, uint32_t tid)
{
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].record->tid == tid)
			return &data->threads[i];
	return NULL;
}

/* Other C libraries have something else where glibc has the holder: a tid of no thread, or more
 * readers than there were threads, tells nothing. */
uint32_t wait_holder_tid(const struct data *data, uint32_t holder)
{
	uint32_t tid = holder & ~CINSTR_HOLDER_WRITER;

	return tid && wait_thread(data, tid) ? tid : 0;
}

uint32_t wait_holder_readers(const struct data *data, uint32_t holder)
{
	uint32_t readers = holder & ~CINSTR_HOLDER_READERS;

	return holder & CINSTR_HOLDER_READERS && readers <= data->n_threads ? readers : 0;
}

const char *wait_thread_called(struct names *names, const struct data *data, uint32_t tid)
{
	const struct data_thread *thread = wait_thread(data, tid);
	char *name = thread ? thread_shown_name(names, data, thread) : NULL;
	const char *kept = name && *name ? map_keep(&names->strings, name) : NULL;

	free(name);
	return kept;
}
