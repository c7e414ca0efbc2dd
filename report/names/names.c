/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/search.h"
#include "system_paths.h"

/* What is known about a function before it has an entity. */
struct identity {
	const char *name; /* assembler name */
	const char *module, *image, *comp_dir, *file;
	uint32_t line;
	uint64_t address;
};

/* ---- entities -------------------------------------------------------------------------------- */

static void file_join(struct strbuf *path, const char *comp_dir, const char *file)
{
	if (!file)
		return;
	while (file[0] == '.' && file[1] == '/')
		file += 2;
	if (file[0] != '/' && comp_dir && comp_dir[0])
		strbuf_printf(path, "%s/", comp_dir);
	strbuf_puts(path, file);
}

static const char *keep(struct names *names, char *text)
{
	const char *kept = map_keep(&names->strings, text);

	free(text);
	return kept;
}

/* What tells a function from others. Two functions that the compiler made of one have the same full
 * name. */
static void identity_key(struct strbuf *key, const struct identity *id, const char *file)
{
	FREED char *full = names_full(id->name, file);

	strbuf_printf(key, "%s\n%s\n%s\n%u", id->module, full, file, id->line);
}

/* Entity of what has not been asked for before. */
static uint32_t entity_find(struct names *names, const struct identity *id)
{
	STRBUF(file);
	STRBUF(key);
	struct entity *entity;
	size_t number;
	int is_new, is_new_module;

	strbuf_clear(&file);
	file_join(&file, id->comp_dir, id->file);
	identity_key(&key, id, file.text);
	number = map_add(&names->keys, key.text, key.length, &is_new);
	ARRAY_ROOM(names->list, number, names->size, 64);
	entity = &names->list[number];
	if (is_new) {
		*entity = (struct entity){ .line = id->line, .is_function = 1 };
		entity->name = keep(names, names_shown(id->name, file.text, id->line));
		entity->assembler = keep(names, names_plain(id->name));
		entity->module = map_keep(&names->strings, id->module);
		entity->image = entity->module;
		entity->file = file.length ? map_keep(&names->strings, file.text) : NULL;
		entity->module_number =
			(uint32_t)map_add(&names->modules, id->module, strlen(id->module), &is_new_module);
	}
	return (uint32_t)number;
}

/* Every process of a session asks for much the same functions: their names are demangled once. */
static uint32_t entity_add(struct names *names, const struct identity *id)
{
	STRBUF(key);
	struct entity *entity;
	size_t number;
	int is_new;

	strbuf_printf(&key, "%s\n%s\n%s\n%s\n%u", id->module, id->name, id->comp_dir ? id->comp_dir : "",
		      id->file ? id->file : "", id->line);
	number = map_add(&names->asked, key.text, key.length, &is_new);
	ARRAY_REACH(names->entity_asked, number, names->size_asked);
	if (is_new)
		names->entity_asked[number] = entity_find(names, id);
	entity = &names->list[names->entity_asked[number]];
	if (!entity->address && id->address) {
		entity->address = id->address;
		entity->image = id->image ? map_keep(&names->strings, id->image) : entity->module;
	}
	return names->entity_asked[number];
}

const char *names_file(struct names *names, const char *comp_dir, const char *file)
{
	STRBUF(path);

	if (!file)
		return NULL;
	file_join(&path, comp_dir, file);
	return map_keep(&names->strings, path.text);
}

static const char *module_path(const struct module *module)
{
	return module && module->path[0] ? module->path : SYMBOL_UNKNOWN;
}

static const char *module_known_as(const struct module *module)
{
	return module && module->known_as ? module->known_as : module_path(module);
}

uint32_t names_of_function(struct names *names, const struct module *module, const struct module_function *f)
{
	return entity_add(names, &(struct identity){ .name = f->name,
						     .module = module_known_as(module),
						     .image = module_path(module),
						     .comp_dir = f->comp_dir,
						     .file = f->file,
						     .line = f->line,
						     .address = f->address });
}

/* How far a function's ENTER sled may be behind its begin: a counter of executions
 * may be between, and what it takes to save a register. */
#define COUNTED_ENTRY_BYTES_MAX 64u

/* The function of that name whose code begins at the address. */
static const struct module_function *function_from(const struct module *module, uint64_t link_address,
						   const char *name)
{
	size_t i;

	SEARCH(i, module->n_functions, module->functions[i].address >= link_address);
	if (i == module->n_functions ||
	    module->functions[i].address - link_address > COUNTED_ENTRY_BYTES_MAX ||
	    strcmp(module->functions[i].name, name) != 0)
		return NULL;
	return &module->functions[i];
}

uint32_t names_of_frame(struct names *names, const char *path, const struct symbol_frame *frame,
			const struct module *module)
{
	const struct module_function *f = NULL;

	if (module && !frame->is_inlined)
		f = function_from(module, frame->entry, frame->name);
	if (module && !f)
		f = module_function_named(module, frame->name, frame->decl_file);
	if (f)
		return names_of_function(names, module, f);
	return entity_add(names, &(struct identity){ .name = frame->name,
						     .module = path,
						     .image = path,
						     .file = frame->decl_file,
						     .line = frame->decl_line,
						     .address = frame->is_inlined ? 0 : frame->entry });
}

/* ---- symbols --------------------------------------------------------------------------------- */

static struct symbols *symbols_of(struct names *names, const char *path, const struct module *module)
{
	int is_new;
	size_t number = map_add(&names->paths, path, strlen(path), &is_new);

	if (is_new) {
		names->symbols = xrealloc(names->symbols, number + 1, sizeof(*names->symbols));
		names->symbols[number] = !module ? NULL
						 : symbols_shared(-1, path, module->raw->build_id,
								  module->raw->build_id_bytes);
	}
	return names->symbols[number];
}

struct symbols *names_symbols(struct names *names, const struct module *module)
{
	return symbols_of(names, module_path(module), module);
}

void names_know_build(struct names *names, const struct module *module)
{
	const char *path = module_path(module);
	int is_new;
	size_t number = map_add(&names->built, path, strlen(path), &is_new);
	struct names_build *build;

	if (!is_new)
		return;
	names->builds = xrealloc(names->builds, number + 1, sizeof(*names->builds));
	build = &names->builds[number];
	build->n = module->raw->build_id_bytes < sizeof(build->id) ? module->raw->build_id_bytes
								   : sizeof(build->id);
	memcpy(build->id, module->raw->build_id, build->n);
}

struct symbols *names_symbols_later(struct names *names, uint32_t entity)
{
	const char *path = names->list[entity].module;
	size_t build = map_find(&names->built, path, strlen(path)), number;
	int is_new;

	if (build == MAP_NONE)
		return symbols_of(names, path, NULL);
	number = map_add(&names->paths, path, strlen(path), &is_new);
	if (is_new) {
		names->symbols = xrealloc(names->symbols, number + 1, sizeof(*names->symbols));
		names->symbols[number] =
			symbols_shared(-1, path, names->builds[build].id, names->builds[build].n);
	}
	return names->symbols[number];
}

void names_resolve(struct names *names, uint32_t number)
{
	struct entity *entity = &names->list[number];
	struct symbols *symbols;
	const char *file;
	uint64_t address;

	if (entity->file || entity->image[0] != '/')
		return;
	symbols = symbols_of(names, entity->image, NULL);
	if (!symbols)
		return;
	address = entity->address ? entity->address : symbols_address(symbols, entity->assembler);
	if (!address || symbols_line(symbols, address, &file, &entity->line))
		return;
	entity->file = map_keep(&names->strings, file);
	entity->is_resolved = 1;
	/* the file tells the language */
	entity->named = entity->name;
	entity->name = keep(names, names_shown(entity->assembler, file, entity->line));
}

const char *names_address(struct names *names, uint32_t number)
{
	struct entity *entity = &names->list[number];
	char text[24];

	if (!entity->address_text && entity->address) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)entity->address);
		entity->address_text = map_keep(&names->strings, text);
	}
	return entity->address_text;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static uint32_t code_entity(struct names *names, const struct module *module, uint32_t code)
{
	char name[32];
	struct identity id = { .name = name, .module = module_known_as(module) };

	snprintf(name, sizeof(name), "[code 0x%x]", code);
	return entity_add(names, &id);
}

static uint32_t frame_entity(struct names *names, const struct data *data, uint32_t func)
{
	const struct module *module = modules_by_code(&data->modules, func);
	const struct module_function *f = module ? module_function(module, func) : NULL;

	return f ? names_of_function(names, module, f) : code_entity(names, module, func);
}

/* A function without probes, of which module and name are known. */
static uint32_t plain_entity(struct names *names, const struct module *module, const char *name,
			     const char *caller_file, uint64_t address)
{
	struct identity id = { .name = name,
			       .module = module_known_as(module),
			       .image = module_path(module),
			       .address = address };
	const struct module_function *f = module ? module_function_named(module, name, caller_file) : NULL;

	if (f)
		return names_of_function(names, module, f);
	/* opened with its build-id, for names_resolve */
	if (module)
		symbols_of(names, id.image, module);
	return entity_add(names, &id);
}

/* Of a stub's address, the function it leads to, if a module has it. */
static uint32_t import_entity(struct names *names, const struct data *data, const char *name)
{
	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];
		struct symbols *symbols = symbols_of(names, module_path(module), module);
		uint64_t address = symbols ? symbols_address(symbols, name) : 0;

		if (address)
			return plain_entity(names, module, name, NULL, address);
	}
	return NAMES_NONE;
}

/* The runtime's side of cinstr.h is called through a table; users know other names. */
static const char *api_name(const struct module *module, const char *name)
{
	static const char *const apis[][2] = {
		{ "api_change", "cinstr_start/stop/suspend/resume" },
		{ "api_choose", "cinstr_choose" },
		{ "api_flush", "cinstr_flush" },
		{ "api_is_on", "cinstr_is_on" },
		{ "api_mark", "cinstr_mark" },
		{ "api_name", "cinstr_name" },
	};

	if (strncmp(util_basename(module_path(module)), "libcinstr.so", strlen("libcinstr.so")))
		return name;
	for (size_t i = 0; i < ARRAY_SIZE(apis); i++)
		if (!strcmp(name, apis[i][0]))
			return apis[i][1];
	return name;
}

/* Of code without a symbol, as a stub that leads into another module; NULL: none. */
static const char *stub_name(struct symbols *symbols, uint64_t link)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = symbols_frames(symbols, link, frames, SYMBOL_FRAMES_MAX);

	return n && !frames[n - 1].is_guessed ? frames[n - 1].name : NULL;
}

static uint32_t symbol_entity(struct names *names, const struct data *data, const struct module *module,
			      uint64_t link)
{
	struct symbols *symbols = symbols_of(names, module_path(module), module);
	int is_import = 0;
	const char *name = symbols ? symbols_name(symbols, link, &is_import) : NULL;
	uint32_t entity = is_import ? import_entity(names, data, name) : NAMES_NONE;

	if (!name && symbols)
		name = stub_name(symbols, link);
	if (!name || entity != NAMES_NONE)
		return entity;
	return plain_entity(names, module, api_name(module, name), NULL, link);
}

/* Does the function begin there, or another one, a thunk before it? Symbols tell, if there are
 * any. */
static int begins_at(struct names *names, const struct module *module, const struct module_function *f,
		     uint64_t link)
{
	const struct module_site *enter = module_site(module, f->code);
	struct symbols *symbols =
		enter->address != link ? symbols_of(names, module_path(module), module) : NULL;
	const char *there = symbols ? symbols_name(symbols, link, NULL) : NULL;
	const char *name = there ? symbols_name(symbols, enter->address, NULL) : NULL;

	return !name || !strcmp(there, name);
}

static uint32_t address_entity(struct names *names, const struct data *data, uint64_t address)
{
	const struct module *module = modules_by_address(&data->modules, address);
	const struct module_function *f = module ? module_function_at(module, address) : NULL;
	uint64_t link = module ? address - module->raw->base : address;
	uint32_t entity = NAMES_NONE;
	char text[32];

	if (f && begins_at(names, module, f, link))
		return names_of_function(names, module, f);
	if (!address)
		return plain_entity(names, NULL, SYMBOL_UNKNOWN, NULL, 0);
	if (module)
		entity = symbol_entity(names, data, module, link);
	if (entity != NAMES_NONE)
		return entity;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)link);
	return plain_entity(names, module, text, NULL, module ? link : 0);
}

static uint32_t call_entity(struct names *names, const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code), *target;
	const struct module_site *site = module ? module_site(module, code) : NULL;
	uint64_t address;

	if (!site)
		return code_entity(names, module, code);
	if (!site->callee) /* the fold made it a CALL: the target's address was not recorded */
		return plain_entity(names, NULL, SYMBOL_UNKNOWN, NULL, 0);
	address = module_callee_address(module, site);
	target = address ? modules_by_address(&data->modules, address) : NULL;
	if (target)
		return plain_entity(names, target, site->callee, NULL, address - target->raw->base);
	return plain_entity(names, module, site->callee, module->functions[site->function].file, 0);
}

uint32_t names_made_up(struct names *names, const char *name)
{
	struct identity id = { .name = name, .module = "" };
	uint32_t number = entity_add(names, &id);

	names->list[number].is_function = 0;
	return number;
}

/* The executable is the program's own wherever it lies. */
static int is_main_module(const struct data *data, const char *path)
{
	for (size_t i = 0; i < data->modules.n; i++)
		if (data->modules.list[i].raw->flags & CINSTR_MODULE_MAIN &&
		    !strcmp(data->modules.list[i].path, path))
			return 1;
	return 0;
}

/* One name for all that is the system's. */
static uint32_t external_entity(struct names *names, const struct data *data, uint32_t number)
{
	const struct entity *e = number == NAMES_NONE ? NULL : &names->list[number];
	struct identity id = { .name = NAMES_EXTERNAL, .module = "" };

	if (!e || !e->is_function ||
	    !(system_code_is_header(e->file) ||
	      (system_code_is_library(e->module) && !is_main_module(data, e->module))))
		return number;
	return entity_add(names, &id);
}

static const char *sampled_module(const struct sampled_function *f)
{
	switch (f->kind) {
	case SAMPLED_KERNEL:
		return SAMPLES_KERNEL;
	case SAMPLED_ANONYMOUS:
		return SAMPLES_ANONYMOUS;
	case SAMPLED_TRUNCATED:
		return "";
	default:
		return module_path(f->module);
	}
}

static uint32_t sampled_entity(struct names *names, const struct data *data, const struct cinstr_cell *cell)
{
	const struct sampled_function *f = data->sampled ? samples_function(data, cell) : NULL;
	struct identity id = { .name = SYMBOL_UNKNOWN, .module = SYMBOL_UNKNOWN };
	uint32_t number;

	if (!f)
		return entity_add(names, &id);
	id.name = f->kind == SAMPLED_CODE ? api_name(f->module, f->name) : f->name;
	id.module = sampled_module(f);
	id.file = f->file;
	id.line = f->line;
	id.address = f->is_inlined ? 0 : f->entry;
	number = entity_add(names, &id);
	names->list[number].is_function = f->kind != SAMPLED_TRUNCATED;
	return number;
}

static uint32_t cell_entity(struct names *names, const struct data *data, const struct cinstr_cell *cell)
{
	switch (CINSTR_CELL_KIND(cell->tag)) {
	case CINSTR_CELL_FRAME:
	case CINSTR_CELL_FLAT_FRAME:
		return frame_entity(names, data, cell->func);
	case CINSTR_CELL_CALL:
		return call_entity(names, data, cell->site);
	case CINSTR_CELL_INDIRECT:
		return address_entity(names, data, CINSTR_CELL_TARGET(cell));
	case CINSTR_CELL_FLAT_CALL:
		if (cell->func)
			return address_entity(names, data, CINSTR_CELL_TARGET(cell));
		return call_entity(names, data, cell->site);
	case CINSTR_CELL_MERGED:
		return names_made_up(names, NAMES_MERGED);
	case SAMPLES_CELL_FUNCTION:
	case SAMPLES_CELL_PLACE:
		if (data->executed)
			return data->executed[cell->func];
		return sampled_entity(names, data, cell);
	default:
		return NAMES_NONE;
	}
}

/* What decides about a cell's entity. */
struct cell_key {
	uint32_t kind, a, b;
};

static struct cell_key cell_key(const struct cinstr_cell *cell)
{
	struct cell_key key = { CINSTR_CELL_KIND(cell->tag), 0, 0 };

	if (key.kind == CINSTR_CELL_FRAME || key.kind == CINSTR_CELL_FLAT_FRAME ||
	    key.kind == SAMPLES_CELL_FUNCTION || key.kind == SAMPLES_CELL_PLACE)
		key.a = cell->func;
	if (key.kind == CINSTR_CELL_CALL || (key.kind == CINSTR_CELL_FLAT_CALL && !cell->func))
		key.a = cell->site;
	if (key.kind == CINSTR_CELL_INDIRECT || (key.kind == CINSTR_CELL_FLAT_CALL && cell->func)) {
		key.a = cell->func;
		key.b = cell->last_exit;
	}
	return key;
}

uint32_t names_of_cell(struct names *names, const struct data *data, const struct cinstr_cell *cell)
{
	struct cell_key key = cell_key(cell);
	int is_new;
	size_t number = map_add(&names->cells, &key, sizeof(key), &is_new);

	if (is_new) {
		ARRAY_REACH(names->entity_of_cell, number, names->n_entity_of_cell);
		names->entity_of_cell[number] = cell_entity(names, data, cell);
		if (data->just_my_code)
			names->entity_of_cell[number] =
				external_entity(names, data, names->entity_of_cell[number]);
	}
	return names->entity_of_cell[number];
}

uint32_t *names_of_thread(struct names *names, const struct data *data, const struct data_thread *thread)
{
	uint32_t *entities = xcalloc(thread->n_nodes, sizeof(*entities));

	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];

		if (data_cell_is_line(node->cell))
			entities[i] = entities[node->parent];
		else
			entities[i] = names_of_cell(names, data, node->cell);
	}
	return entities;
}

void names_next_process(struct names *names)
{
	map_release(&names->cells);
}

void names_release(struct names *names)
{
	free(names->symbols);
	free(names->builds);
	free(names->list);
	free(names->entity_of_cell);
	free(names->entity_asked);
	map_release(&names->asked);
	map_release(&names->cells);
	map_release(&names->paths);
	map_release(&names->built);
	map_release(&names->strings);
	map_release(&names->modules);
	map_release(&names->keys);
	*names = (struct names){ 0 };
}

/* ---- of several ------------------------------------------------------------------------------ */

struct names *names_new(void)
{
	return xcalloc(1, sizeof(struct names));
}

struct names *names_share(struct names *names)
{
	names->users++;
	return names;
}

void names_drop(struct names *names)
{
	if (!names || names->users--)
		return;
	names_release(names);
	free(names);
}
