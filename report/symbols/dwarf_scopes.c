/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_scopes.c - see dwarf.h: finds the functions that an address is in. Reads a unit's functions
 * with code when an address of the unit is first requested, and the functions inlined into one at
 * its first address.
 */
#include <stdlib.h>

#include "dwarf_unit.h"
#include "lib/array.h"

#define FUNCTIONS_MAX (1u << 24)
#define INLINED_MAX (1u << 20)

/* ---- functions of a unit --------------------------------------------------------------------- */

static uint64_t entry_of(struct debug_info *info, Dwarf_Die die, uint64_t first)
{
	uint64_t entry;

	/* relative to the first range in DWARF 5, if it is a number */
	return debug_die_number(info, die, DW_AT_entry_pc, &entry) || entry < first ? first : entry;
}

/* Adds the function if it has code. */
static void function_add(struct debug_info *info, struct unit *unit, Dwarf_Die die)
{
	struct debug_function f = { .offset = debug_die_offset(info, die) };
	uint64_t first;

	if (unit->n_functions >= FUNCTIONS_MAX ||
	    debug_die_ranges(info, die, unit->low, &unit->code, (uint32_t)unit->n_functions, &first))
		return;
	f.entry = entry_of(info, die, first);
	if (debug_die_reference(info, die, DW_AT_abstract_origin, &f.origin, &f.is_shared))
		f.origin = 0;
	ARRAY_ROOM(unit->functions, unit->n_functions, unit->size_functions, 64);
	unit->functions[unit->n_functions++] = f;
}

static void top_add(struct unit *unit, Dwarf_Off offset, uint32_t outer)
{
	ARRAY_ROOM(unit->tops, unit->n_tops, unit->size_tops, 256);
	unit->tops[unit->n_tops++] = (struct top){ offset, outer };
}

static uint32_t space_add(struct debug_info *info, struct unit *unit, Dwarf_Die die, uint32_t outer)
{
	const char *name = debug_die_text(info, die, DW_AT_name);

	unit->spaces = xrealloc(unit->spaces, unit->n_spaces + 1, sizeof(*unit->spaces));
	unit->spaces[unit->n_spaces] = (struct namespace){ name ? name : "(anonymous namespace)", outer };
	return (uint32_t)++unit->n_spaces;
}

/* What is in a unit or namespace, directly. */
static void tops_read(struct debug_info *info, struct unit *unit, Dwarf_Die parent, uint32_t outer, int depth)
{
	for (Dwarf_Die die = debug_die_child(info, parent); die; die = debug_die_next(info, die)) {
		Dwarf_Half tag = debug_die_tag(info, die);

		top_add(unit, debug_die_offset(info, die), outer);
		if (tag == DW_TAG_subprogram)
			function_add(info, unit, die);
		if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < DEPTH_MAX)
			tops_read(info, unit, die, space_add(info, unit, die, outer), depth + 1);
	}
}

static int is_cplusplus(struct debug_info *info, Dwarf_Die die)
{
	uint64_t language;

	if (debug_die_number(info, die, DW_AT_language, &language))
		return 0;
	return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
	       language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

void debug_unit_functions(struct debug_info *info, uint32_t number)
{
	struct unit *unit = &info->units[number];
	Dwarf_Die die = unit->has_functions ? NULL : debug_die_at(info, unit->offset);

	unit->has_functions = 1;
	if (!die)
		return;
	unit->is_cplusplus = is_cplusplus(info, die);
	unit->low = debug_unit_low(info, die);
	tops_read(info, unit, die, 0, 0);
	ranges_sort(&unit->code);
	debug_die_drop(info, die);
}

/* Functions within others, and in classes. */
static void nested_read(struct debug_info *info, struct unit *unit, Dwarf_Die parent, int depth)
{
	for (Dwarf_Die die = debug_die_child(info, parent); die; die = debug_die_next(info, die)) {
		if (depth && debug_die_tag(info, die) == DW_TAG_subprogram)
			function_add(info, unit, die);
		if (depth < DEPTH_MAX)
			nested_read(info, unit, die, depth + 1);
	}
}

/* Most units have none: this is only done when an address is in no other function. */
static void unit_nested(struct debug_info *info, struct unit *unit)
{
	Dwarf_Die die = unit->has_nested ? NULL : debug_die_at(info, unit->offset);

	unit->has_nested = 1;
	if (!die)
		return;
	nested_read(info, unit, die, 0);
	ranges_sort(&unit->code);
	debug_die_drop(info, die);
}

void debug_unit_functions_release(struct unit *unit)
{
	for (size_t i = 0; i < unit->n_functions; i++) {
		free(unit->functions[i].inlined);
		ranges_release(&unit->functions[i].code);
	}
	free(unit->functions);
	free(unit->tops);
	free(unit->spaces);
	ranges_release(&unit->code);
}

/* ---- what is inlined ------------------------------------------------------------------------- */

static uint32_t inlined_add(struct debug_info *info, struct debug_function *f, uint64_t unit_low,
			    Dwarf_Die die, uint32_t outer)
{
	struct inlined inlined = { .outer = outer };
	uint64_t file = 0, line = 0;

	if (f->n_inlined >= INLINED_MAX ||
	    debug_die_ranges(info, die, unit_low, &f->code, (uint32_t)f->n_inlined, NULL))
		return outer;
	if (debug_die_reference(info, die, DW_AT_abstract_origin, &inlined.origin, &inlined.is_shared))
		inlined.origin = 0;
	if (!debug_die_number(info, die, DW_AT_call_file, &file))
		inlined.call_file = (uint32_t)file;
	if (!debug_die_number(info, die, DW_AT_call_line, &line))
		inlined.call_line = (uint32_t)line;
	ARRAY_ONE_MORE(f->inlined, f->n_inlined);
	f->inlined[f->n_inlined++] = inlined;
	return (uint32_t)f->n_inlined;
}

static void inlined_read(struct debug_info *info, struct debug_function *f, uint64_t unit_low,
			 Dwarf_Die parent, uint32_t outer, int depth)
{
	for (Dwarf_Die die = debug_die_child(info, parent); die; die = debug_die_next(info, die)) {
		Dwarf_Half tag = debug_die_tag(info, die);
		uint32_t inner = outer;

		if (tag == DW_TAG_inlined_subroutine)
			inner = inlined_add(info, f, unit_low, die, outer);
		else if (tag != DW_TAG_lexical_block && tag != DW_TAG_try_block && tag != DW_TAG_catch_block)
			continue;
		if (depth < DEPTH_MAX)
			inlined_read(info, f, unit_low, die, inner, depth + 1);
	}
}

static void function_inlined(struct debug_info *info, struct unit *unit, struct debug_function *f)
{
	Dwarf_Die die = f->has_inlined ? NULL : debug_die_at(info, f->offset);

	f->has_inlined = 1;
	if (!die)
		return;
	inlined_read(info, f, unit->low, die, 0, 0);
	ranges_sort(&f->code);
	debug_die_drop(info, die);
}

/* ---- the scopes of an address ---------------------------------------------------------------- */

static const struct address_range *function_span(struct debug_info *info, struct unit *unit, uint64_t address)
{
	const struct address_range *span = ranges_find(&unit->code, address);

	if (span)
		return span;
	unit_nested(info, unit);
	return ranges_find(&unit->code, address);
}

/* Where the function that is inlined has code of its own. */
static uint64_t instance_of(const struct unit *unit, const struct inlined *inlined)
{
	for (size_t i = 0; i < unit->n_functions && inlined->origin; i++)
		if (unit->functions[i].origin == inlined->origin &&
		    unit->functions[i].is_shared == inlined->is_shared)
			return unit->functions[i].entry;
	return 0;
}

static struct debug_scope scope_of(struct debug_info *info, uint32_t unit, const struct debug_function *f,
				   uint32_t number, uint64_t address)
{
	const struct inlined *inlined = &f->inlined[number];
	const struct address_range *span = ranges_find_value(&f->code, address, number);
	struct debug_info *holder = inlined->is_shared ? info->shared : info;
	struct debug_scope scope = { .is_inlined = 1,
				     .entry = span ? span->begin : address,
				     .call_line = inlined->call_line };

	scope.call_file = debug_unit_file(info, &info->units[unit], inlined->call_file);
	if (holder && inlined->origin)
		scope.name = *debug_name_of(holder, inlined->origin);
	if (scope.name.is_cplusplus && !scope.name.linkage)
		scope.instance = instance_of(&info->units[unit], inlined);
	return scope;
}

size_t debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *scopes, size_t max)
{
	const struct address_range *span = ranges_find(&info->code, address);
	uint32_t unit = span ? span->value : 0, number;
	struct debug_function f;
	size_t n = 0;

	if (!span || !max)
		return 0;
	debug_unit_functions(info, unit);
	span = function_span(info, &info->units[unit], address);
	if (!span)
		return 0;
	number = span->value;
	function_inlined(info, &info->units[unit], &info->units[unit].functions[number]);
	f = info->units[unit].functions[number]; /* units move when names are looked up */
	span = ranges_find(&f.code, address);
	for (uint32_t next = span ? span->value + 1 : 0; next && n + 1 < max;
	     next = f.inlined[next - 1].outer)
		scopes[n++] = scope_of(info, unit, &f, next - 1, address);
	scopes[n++] = (struct debug_scope){ .name = *debug_name_of(info, f.offset), .entry = f.entry };
	return n;
}
