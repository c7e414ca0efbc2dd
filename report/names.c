/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.c - see names.h. */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known about a function before it has an entity. */
struct identity {
	const char *name; /* assembler name */
	const char *module, *comp_dir, *file;
	uint32_t line;
	uint64_t address;
};

/* ---- names of clones ------------------------------------------------------------------------- */

#define REGION "._omp_fn."

/* Length of the clone suffix at s ("." word or "." digits), 0 if it is something else. */
static size_t suffix_length(const char *s)
{
	static const char *const words[] = { ".constprop", ".isra",	  ".part",  ".cold",
					     ".lto_priv",  ".localalias", ".clone", ".nonlocalalias" };
	size_t n = 1;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t length = strlen(words[i]);

		if (!strncmp(s, words[i], length) && (!s[length] || s[length] == '.'))
			return length;
	}
	while (isdigit((unsigned char)s[n]))
		n++;
	return n > 1 && (!s[n] || s[n] == '.') ? n : 0;
}

static int is_only_suffixes(const char *s)
{
	size_t n;

	while (*s) {
		n = suffix_length(s);
		if (!n)
			return 0;
		s += n;
	}
	return 1;
}

/* What OpenMP makes of a parallel region of f is a function of its own, f._omp_fn.0. Cuts it off and returns its number. */
static const char *region_cut(char *name)
{
	char *region = NULL, *number;

	for (char *at = strstr(name, REGION); at; at = strstr(at + 1, REGION))
		region = at;
	if (!region || region == name)
		return NULL;
	number = region + strlen(REGION);
	if (!isdigit((unsigned char)*number) || !is_only_suffixes(number - 1))
		return NULL;
	*region = '\0';
	number[strspn(number, "0123456789")] = '\0';
	return number;
}

char *names_plain(const char *name)
{
	char *plain = xstrdup(name + (name[0] == '*' && name[1]));
	const char *number = region_cut(plain);

	if (number) {
		struct strbuf text = { 0 };
		char *outer = names_plain(plain);

		strbuf_printf(&text, "%s [parallel region %s]", outer, number);
		free(outer);
		free(plain);
		return text.text;
	}
	for (char *dot = strchr(plain, '.'); dot; dot = strchr(dot + 1, '.'))
		if (dot != plain && is_only_suffixes(dot)) {
			*dot = '\0';
			break;
		}
	return plain;
}

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

static uint32_t entity_add(struct names *names, const struct identity *id)
{
	char *name = names_plain(id->name);
	struct strbuf file = { 0 }, key = { 0 };
	struct entity *entity;
	size_t number;
	int is_new, is_new_module;

	strbuf_clear(&file);
	file_join(&file, id->comp_dir, id->file);
	strbuf_printf(&key, "%s\n%s\n%s\n%u", id->module, name, file.text, id->line);
	number = map_add(&names->keys, key.text, key.length, &is_new);
	if (number >= names->size) {
		names->size = names->size ? 2 * names->size : 64;
		names->list = xrealloc(names->list, names->size, sizeof(*names->list));
	}
	entity = &names->list[number];
	if (is_new) {
		*entity = (struct entity){ .line = id->line, .is_function = 1 };
		entity->name = map_keep(&names->strings, name);
		entity->module = map_keep(&names->strings, id->module);
		entity->file = file.length ? map_keep(&names->strings, file.text) : NULL;
		entity->module_number =
			(uint32_t)map_add(&names->modules, id->module, strlen(id->module), &is_new_module);
	}
	if (!entity->address)
		entity->address = id->address;
	free(name);
	strbuf_release(&file);
	strbuf_release(&key);
	return (uint32_t)number;
}

const char *names_file(struct names *names, const char *comp_dir, const char *file)
{
	struct strbuf path = { 0 };
	const char *kept;

	if (!file)
		return NULL;
	file_join(&path, comp_dir, file);
	kept = map_keep(&names->strings, path.text);
	strbuf_release(&path);
	return kept;
}

static const char *module_path(const struct module *module)
{
	return module && module->path[0] ? module->path : NAMES_UNKNOWN;
}

uint32_t names_of_function(struct names *names, const struct module *module, const struct module_function *f)
{
	struct identity id = { f->name, module_path(module), f->comp_dir, f->file, f->line, 0 };

	return entity_add(names, &id);
}

/* ---- symbols --------------------------------------------------------------------------------- */

static struct symbols *symbols_of(struct names *names, const char *path, const struct module *module)
{
	int is_new;
	size_t number = map_add(&names->paths, path, strlen(path), &is_new);

	if (is_new) {
		names->symbols = xrealloc(names->symbols, number + 1, sizeof(*names->symbols));
		names->symbols[number] =
			!module ? NULL
				: symbols_open(path, module->raw->build_id, module->raw->build_id_bytes);
	}
	return names->symbols[number];
}

void names_resolve(struct names *names, uint32_t number)
{
	struct entity *entity = &names->list[number];
	struct symbols *symbols;
	const char *file;
	uint64_t address;

	if (entity->file || entity->module[0] != '/')
		return;
	symbols = symbols_of(names, entity->module, NULL);
	if (!symbols)
		return;
	address = entity->address ? entity->address : symbols_address(symbols, entity->name);
	if (address && !symbols_line(symbols, address, &file, &entity->line))
		entity->file = map_keep(&names->strings, file);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static uint32_t code_entity(struct names *names, const struct module *module, uint32_t code)
{
	char name[32];
	struct identity id = { .name = name, .module = module_path(module) };

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
	struct identity id = { .name = name, .module = module_path(module), .address = address };
	const struct module_function *f = module ? module_function_named(module, name, caller_file) : NULL;

	if (f)
		return names_of_function(names, module, f);
	if (module)
		symbols_of(names, id.module, module); /* opened with its build-id, for names_resolve */
	return entity_add(names, &id);
}

static uint32_t address_entity(struct names *names, const struct data *data, uint64_t address)
{
	const struct module *module = modules_by_address(&data->modules, address);
	const struct module_function *f = module ? module_function_at(module, address) : NULL;
	struct symbols *symbols;
	const char *name = NULL;
	char text[32];
	uint64_t link;

	if (f)
		return names_of_function(names, module, f);
	if (!address)
		return plain_entity(names, NULL, NAMES_UNKNOWN, NULL, 0);
	link = module ? address - module->raw->base : address;
	symbols = module ? symbols_of(names, module_path(module), module) : NULL;
	if (symbols)
		name = symbols_name(symbols, link);
	if (!name)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)link);
	return plain_entity(names, module, name ? name : text, NULL, module ? link : 0);
}

static uint32_t call_entity(struct names *names, const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code), *target;
	const struct module_site *site = module ? module_site(module, code) : NULL;
	uint64_t address;

	if (!site)
		return code_entity(names, module, code);
	if (!site->callee) /* the fold made this a CALL: the address was not recorded */
		return plain_entity(names, NULL, NAMES_UNKNOWN, NULL, 0);
	address = module_callee_address(module, site);
	target = address ? modules_by_address(&data->modules, address) : NULL;
	if (target)
		return plain_entity(names, target, site->callee, NULL, address - target->raw->base);
	return plain_entity(names, module, site->callee, module->functions[site->function].file, 0);
}

static uint32_t merged_entity(struct names *names)
{
	struct identity id = { .name = NAMES_MERGED, .module = "" };
	uint32_t number = entity_add(names, &id);

	names->list[number].is_function = 0;
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
		return address_entity(names, data, cell->func | (uint64_t)cell->last_exit << 32);
	case CINSTR_CELL_FLAT_CALL:
		if (cell->func)
			return address_entity(names, data, cell->func | (uint64_t)cell->last_exit << 32);
		return call_entity(names, data, cell->site);
	case CINSTR_CELL_MERGED:
		return merged_entity(names);
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

	if (key.kind == CINSTR_CELL_FRAME || key.kind == CINSTR_CELL_FLAT_FRAME)
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
		if (number >= names->n_entity_of_cell) {
			names->n_entity_of_cell = 2 * number + 64;
			names->entity_of_cell =
				xrealloc(names->entity_of_cell, names->n_entity_of_cell, sizeof(uint32_t));
		}
		names->entity_of_cell[number] = cell_entity(names, data, cell);
	}
	return names->entity_of_cell[number];
}

uint32_t *names_of_thread(struct names *names, const struct data *data, const struct data_thread *thread)
{
	uint32_t *entities = xcalloc(thread->n_nodes, sizeof(*entities));

	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];

		if (CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_LINE)
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
	for (size_t i = 0; i < names->paths.n; i++)
		symbols_release(names->symbols[i]);
	free(names->symbols);
	free(names->list);
	free(names->entity_of_cell);
	map_release(&names->cells);
	map_release(&names->paths);
	map_release(&names->strings);
	map_release(&names->modules);
	map_release(&names->keys);
	*names = (struct names){ 0 };
}
