/* SPDX-License-Identifier: GPL-3.0-or-later */
/* self.c - samples that a thread took of itself (join.h): an address and a moment. A long interval
 * shows whose time it was; the module's tables and symbols show the function executing there. Its
 * callers within that time are not known: its place is right below. */
#include <stdlib.h>
#include <string.h>

#include "file/self_samples.h"
#include "join.h"
#include "lib/array.h"
#include "lib/search.h"
#include "symbols/base_names.h"
#include "symbols/symbols.h"

static struct symbols *symbols_of(const struct module *module)
{
	const struct cinstr_module *raw = module->raw;
	size_t n = raw->build_id_bytes <= sizeof(raw->build_id) ? raw->build_id_bytes : 0;

	return symbols_shared(-1, module->path, raw->build_id, n);
}

/* Without the module's file: between two sleds of a function is nothing but this function. */
static void by_sleds(const struct module *module, uint64_t link, struct frame *frame)
{
	size_t i;

	SEARCH(i, module->n_sites, module->sites[i].address > link);
	if (!i || i == module->n_sites || module->sites[i - 1].function != module->sites[i].function)
		return;
	frame->kind = FRAME_PROBED;
	frame->code = module->functions[module->sites[i].function].code;
}

/* A call site that names its callee. */
struct called {
	const struct module *module;
	const struct module_site *site; /* NULL: no site of the process has such a callee */
};

static struct called called_by_name(const struct join *join, const char *name)
{
	const struct modules *modules = &join->data->modules;

	for (size_t m = 0; m < modules->n; m++)
		for (size_t i = 0; i < modules->list[m].n_sites; i++) {
			const struct module_site *site = &modules->list[m].sites[i];

			if (site->callee && !strcmp(site->callee, name))
				return (struct called){ &modules->list[m], site };
		}
	return (struct called){ 0 };
}

/* Returns the call site whose callee has the address of the module's function, by another name of
 * it: strtol, which is strtoll where long has 64 bits. */
static struct called called_by_alias(const struct join *join, const struct symbols *symbols, const char *name)
{
	const struct modules *modules = &join->data->modules;
	uint64_t address = symbols_address(symbols, name);

	for (size_t m = 0; address && m < modules->n; m++)
		for (size_t i = 0; i < modules->list[m].n_sites; i++) {
			const struct module_site *site = &modules->list[m].sites[i];

			if (site->callee && symbols_address(symbols, site->callee) == address)
				return (struct called){ &modules->list[m], site };
		}
	return (struct called){ 0 };
}

/* Returns the callee that jumps to an internal function of its library (pow: __ieee754_pow_fma). */
static struct called called_for(const struct join *join, const struct symbols *symbols, const char *name)
{
	struct called called = { 0 };
	STRBUF(public);

	if (!base_name_put_public(&public, name))
		return called;
	called = called_by_name(join, public.text);
	if (called.site && !symbols_address(symbols, called.site->callee))
		called.site = NULL; /* another library's */
	return called.site ? called : called_by_alias(join, symbols, public.text);
}

/* Returns the callee that a function is called as: what the C library chooses by the processor
 * (__strlen_evex) as strlen, and so is the jump to it in the module that calls (strlen@plt). */
static struct called called_as(const struct join *join, const struct symbols *symbols, const char *name)
{
	struct called called, memcpy_too = { 0 };
	char *plain = xstrdup(name);
	struct strbuf base = { 0 };

	if (strstr(plain, "@plt"))
		*strstr(plain, "@plt") = '\0';
	base_name_put(&base, plain);
	called = called_by_name(join, base.text);
	if (!strcmp(base.text, "memmove")) /* one code in glibc: the name tells nothing of both */
		memcpy_too = called_by_name(join, "memcpy");
	if (!called.site && !memcpy_too.site)
		called = called_for(join, symbols, plain);
	strbuf_release(&base);
	free(plain);
	if (called.site && memcpy_too.site)
		return (struct called){ 0 };
	return called.site ? called : memcpy_too;
}

static void by_callee(const struct module *module, const struct called *called, uint64_t link,
		      struct frame *frame)
{
	uint64_t address =
		link ? link + module->raw->base : module_callee_address(called->module, called->site);

	frame->callee = called->site->callee;
	if (address)
		frame->address = address;
}

/* Makes the frame one of the callee that it was executed for. */
static void by_part(struct frame *frame, const struct inside_part *part)
{
	frame->callee = part->callee;
	frame->address = part->address;
}

/* Each of several callees gets a place of its own, by its address, which no code is executed at. */
static void by_parts(struct join *join, uint32_t place, struct inside_found *found)
{
	for (size_t i = 0; i < found->n; i++) {
		struct inside_part *part = &found->parts[i];
		struct frame frame = join->frames[place];
		int is_new;

		if (part->place == JOIN_NONE)
			part->place = int_map_add(&join->places, ~part->address, &is_new);
		ARRAY_REACH_ZEROED(join->frames, part->place, join->n_frames);
		by_part(&frame, part);
		join->frames[part->place] = frame;
	}
	inside_divide(join, place, found);
}

/* Whether threads meet in this function, at a lock of the C library's own: then it says more than
 * who called it. */
static int is_of_lock(const struct join *join, const char *name)
{
	static const char *const names[] = { "random", "random_r", "__lll_lock_wait_private",
					     "__lll_lock_wake_private" };
	int is = 0;

	for (size_t i = 0; join->data->n_threads > 1 && i < ARRAY_SIZE(names); i++)
		is |= !strcmp(name, names[i]);
	return is;
}

/* A library's function is one that the program calls, or was executed for one. */
static void by_calls(struct join *join, uint32_t place, const struct module *module, struct symbols *symbols,
		     uint64_t link)
{
	struct frame *frame = &join->frames[place];
	struct called called = called_as(join, symbols, frame->name);
	const char *callee = called.site ? called.site->callee : NULL;
	uint64_t callee_link = callee ? symbols_address(symbols, callee) : 0;
	struct inside_found *found = module->n_functions || is_of_lock(join, frame->name)
					     ? NULL
					     : inside_find(join, module, link, callee, callee_link);

	if (found && found->n > 1)
		by_parts(join, place, found);
	else if (found)
		by_part(frame, &found->parts[0]);
	else if (callee)
		by_callee(module, &called, callee_link, frame);
}

static void by_symbols(const struct module *module, const struct symbol_frame *holder, struct frame *frame)
{
	const struct sampled_function function = { .name = holder->name,
						   .module = module,
						   .entry = holder->entry,
						   .kind = holder->is_guessed ? SAMPLED_GUESSED
									      : SAMPLED_CODE };

	frame->name = holder->name;
	frame->address = holder->entry + module->raw->base;
	frame_of_function(module, &function, frame);
}

/* What is no function, and code of no file, have no address: they are part of whose time it is. */
static void frame_make(struct join *join, uint64_t address, uint32_t place)
{
	struct frame *frame = &join->frames[place];
	const struct module *module = modules_by_address(&join->data->modules, address);
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbols *symbols;
	size_t n;

	frame->kind = own_code_kind(join, module ? module->path : NULL, address);
	if (frame->kind != FRAME_PLAIN || !module)
		return;
	symbols = symbols_of(module);
	n = symbols ? symbols_frames(symbols, address - module->raw->base, frames, SYMBOL_FRAMES_MAX) : 0;
	if (n)
		by_symbols(module, &frames[n - 1], frame);
	if (n && frame->kind == FRAME_PLAIN)
		by_calls(join, place, module, symbols, address - module->raw->base);
	else if (n)
		return;
	else if (!symbols)
		by_sleds(module, address - module->raw->base, frame);
}

static uint32_t place_of(struct join *join, uint64_t address)
{
	int is_new;
	uint32_t place = int_map_add(&join->places, address, &is_new);

	if (!is_new)
		return place;
	ARRAY_REACH_ZEROED(join->frames, place, join->n_frames);
	frame_make(join, address, place);
	return place;
}

/* Adds a sample in an interval that was too short to be kept. */
static void unplaced_add(struct projection *p, uint32_t place)
{
	size_t n = p->n_unplaced;

	ARRAY_REACH_ZEROED(p->unplaced, place, n);
	p->n_unplaced = (uint32_t)n;
	p->unplaced[place]++;
}

static void sample_add(struct projection *p, const struct cinstr_self_sample *sample)
{
	struct mixed_samples *counts = p->join->counts;
	uint32_t place;

	counts->no_thread--;
	if (!projection_is_in_time(p, sample->ticks)) {
		counts->out_of_time++;
		return;
	}
	place = inside_next(p->join, place_of(p->join, sample->address));
	if (p->join->frames[place].kind == FRAME_RUNTIME)
		counts->runtime++;
	else if (!projection_add_one(p, place, sample->ticks))
		unplaced_add(p, place);
}

void self_samples_join(struct projection *p)
{
	const struct cinstr_self_sample *sample;
	struct self_samples samples;

	self_samples_begin(&samples, p->join->data, p->thread->record->index);
	while ((sample = self_samples_next(&samples)))
		sample_add(p, sample);
}
