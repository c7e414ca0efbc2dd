/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frames.c - finds what a place of a stack is to the runtime (join.h). Its function is found by the
 * address of its first instruction, where its ENTER sled is; so the symbols of the sampled file
 * distinguish cold parts, clones, and static functions of the same name. */
#include <stdlib.h>
#include <string.h>

#include "join.h"
#include "lib/array.h"
#include "lib/search.h"

#define RUNTIME "libcinstr"
/* endbr64. A function without probes that lies right before another one is not as short. */
#define BEFORE_SLED 4u

void own_code_add(struct join *join, uint64_t start, uint64_t end, enum frame_kind kind)
{
	ARRAY_ONE_MORE(join->own, join->n_own);
	join->own[join->n_own++] = (struct own_code){ start, end, kind };
}

enum frame_kind own_code_kind(const struct join *join, const char *module, uint64_t address)
{
	if (module && !strncmp(util_basename(module), RUNTIME, strlen(RUNTIME)))
		return FRAME_RUNTIME;
	for (size_t i = 0; i < join->n_own; i++)
		if (address >= join->own[i].start && address < join->own[i].end)
			return join->own[i].kind;
	return FRAME_PLAIN;
}

/* The module of the process's own file. */
static const struct module *module_of(const struct join *join, const struct module *sampled)
{
	const struct modules *modules = &join->data->modules;

	for (size_t i = 0; i < modules->n; i++)
		if (modules->list[i].raw->base == sampled->raw->base &&
		    !strcmp(modules->list[i].path, sampled->path))
			return &modules->list[i];
	return modules_by_address(modules, sampled->raw->text_start);
}

static const struct module_function *function_of(const struct module *module,
						 const struct sampled_function *f, uint64_t address)
{
	const struct module_function *found = f->entry ? module_function_at(module, address) : NULL;

	if (found &&
	    (found->address + module->raw->base - address <= BEFORE_SLED || !strcmp(found->name, f->name)))
		return found;
	return f->entry || f->kind != SAMPLED_CODE ? NULL : module_function_named(module, f->name, f->file);
}

void frame_of_function(const struct module *module, const struct sampled_function *f, struct frame *frame)
{
	const struct module_function *function = function_of(module, f, frame->address);

	if (!function)
		return;
	frame->kind = FRAME_PROBED;
	frame->code = function->code;
}

/* No instruction is longer. */
#define INSTRUCTION_BYTES_MAX 15u

/* The call site of the instruction that this byte (link address), its last, belongs to; NULL: none
 * with a probe. */
static const struct module_site *site_of_call(const struct module *module, uint64_t link_address)
{
	size_t i;
	const struct module_site *site;

	SEARCH(i, module->n_sites, module->sites[i].address > link_address);
	site = i ? &module->sites[i - 1] : NULL;
	return site && CINSTR_CODE_KIND(site->code) == CINSTR_EV_BEFORE &&
			       link_address - module_site_instruction(site) < INSTRUCTION_BYTES_MAX
		       ? site
		       : NULL;
}

static void of_module(const struct join *join, const struct sampled_function *f,
		      const struct sampled_place *place, struct frame *frame)
{
	const struct module *module = module_of(join, f->module);
	const struct module_site *site;
	uint64_t address = place->address + f->module->raw->base;

	if (f->entry)
		frame->address = f->entry + f->module->raw->base;
	frame->kind = own_code_kind(join, f->module->path, address);
	if (frame->kind != FRAME_PLAIN || !module)
		return;
	frame_of_function(module, f, frame);
	if (frame->kind != FRAME_PROBED)
		return;
	site = site_of_call(module, address - module->raw->base);
	frame->site = site ? site->code : 0;
}

static void frame_make(const struct join *join, uint32_t number, struct frame *frame)
{
	const struct sampled_place *place = &join->sampled->sampled->places[number];
	const struct sampled_function *f = &join->sampled->sampled->functions[place->physical];

	frame->kind = FRAME_PLAIN;
	frame->name = f->kind == SAMPLED_CODE ? f->name : NULL;
	if (f->kind == SAMPLED_KERNEL)
		frame->kind = FRAME_KERNEL;
	else if (f->kind == SAMPLED_TRUNCATED || (f->kind == SAMPLED_UNKNOWN && !f->module))
		frame->kind = FRAME_TRUNCATED;
	else if (f->kind == SAMPLED_ANONYMOUS)
		frame->kind = own_code_kind(join, NULL, place->address);
	else if (f->module)
		of_module(join, f, place, frame);
}

const struct frame *frame_at(struct join *join, uint32_t place)
{
	struct frame *frame = &join->frames[place];

	if (frame->kind == FRAME_NOT_LOOKED_UP)
		frame_make(join, place, frame);
	return frame;
}
