/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_names.c - see dwarf.h: names and places of functions. A DIE with code refers to its
 * abstract instance, which refers to the declaration in the class; each may have some of the
 * attributes.
 */
#include <string.h>

#include "dwarf_unit.h"
#include "lib/array.h"
#include "lib/search.h"

#define HOPS_MAX 16

/* ---- where a DIE is -------------------------------------------------------------------------- */

static uint32_t unit_of(struct debug_info *info, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Off offset = 0;
	int status = dwarf_CU_dieoffset_given_die(die, &offset, &failure);

	debug_failed(info, status, failure);
	return debug_unit_number(info, offset);
}

/* The last of them that begins at the offset or before; NULL: none. */
static const struct top *top_before(const struct unit *unit, Dwarf_Off offset)
{
	size_t i;

	SEARCH(i, unit->n_tops, unit->tops[i].offset > offset);
	return i ? &unit->tops[i - 1] : NULL;
}

static void spaces_print(struct strbuf *text, const struct unit *unit, uint32_t space)
{
	if (!space)
		return;
	spaces_print(text, unit, unit->spaces[space - 1].outer);
	strbuf_printf(text, "%s::", unit->spaces[space - 1].name);
}

/* The child that the offset is in; the parent is dropped. */
static Dwarf_Die child_with(struct debug_info *info, Dwarf_Die parent, Dwarf_Off offset)
{
	Dwarf_Off last = 0;

	for (Dwarf_Die die = debug_die_child(info, parent); die; die = debug_die_next(info, die))
		if (debug_die_offset(info, die) <= offset)
			last = debug_die_offset(info, die);
	debug_die_drop(info, parent);
	return last ? debug_die_at(info, last) : NULL;
}

/* The DIE that this one, which is dropped, leads to. *info: the file that it is in. */
static Dwarf_Die origin_of(struct debug_info **info, Dwarf_Die die)
{
	Dwarf_Off offset;
	int is_shared,
		has_origin = !debug_die_reference(*info, die, DW_AT_abstract_origin, &offset, &is_shared) ||
			     !debug_die_reference(*info, die, DW_AT_specification, &offset, &is_shared);

	debug_die_drop(*info, die);
	if (!has_origin)
		return NULL;
	if (is_shared)
		*info = (*info)->shared;
	return *info ? debug_die_at(*info, offset) : NULL;
}

/* Name of a function; what is defined outside of its class has it there. */
static const char *function_name(struct debug_info *info, Dwarf_Die function)
{
	const char *name = debug_die_text(info, function, DW_AT_name);
	Dwarf_Die die = name ? NULL : debug_die_at(info, debug_die_offset(info, function));

	for (int hops = 0; die && !name && hops < HOPS_MAX; hops++) {
		die = origin_of(&info, die);
		name = die ? debug_die_text(info, die, DW_AT_name) : NULL;
	}
	if (die)
		debug_die_drop(info, die);
	return name;
}

/* Lambdas have no place but that of their class. */
static void scope_print(struct debug_info *info, uint32_t unit, struct strbuf *text, Dwarf_Die die,
			struct debug_name *name)
{
	Dwarf_Half tag = debug_die_tag(info, die);
	const char *printed;
	uint64_t file, line;

	if (tag == DW_TAG_subprogram) {
		printed = function_name(info, die);
		strbuf_printf(text, "%s()::", printed ? printed : "{unnamed}");
	}
	if (tag != DW_TAG_class_type && tag != DW_TAG_structure_type && tag != DW_TAG_union_type)
		return;
	printed = debug_die_text(info, die, DW_AT_name);
	strbuf_printf(text, "%s::",
		      printed					   ? printed
		      : strncmp(name->qualified, "operator()", 10) ? "{unnamed}"
								   : "{lambda}");
	if (name->decl_line || debug_die_number(info, die, DW_AT_decl_line, &line) ||
	    debug_die_number(info, die, DW_AT_decl_file, &file))
		return;
	name->decl_line = (uint32_t)line;
	name->decl_file = debug_unit_file(info, &info->units[unit], file);
}

/* Namespaces, classes and functions that the DIE is in: "space::class::". */
static void scopes_print(struct debug_info *info, struct strbuf *text, uint32_t unit, Dwarf_Off offset,
			 struct debug_name *name)
{
	const struct top *top = top_before(&info->units[unit], offset);
	Dwarf_Die die = top ? debug_die_at(info, top->offset) : NULL;

	if (top)
		spaces_print(text, &info->units[unit], top->outer);
	for (int depth = 0; die && debug_die_offset(info, die) < offset && depth < DEPTH_MAX; depth++) {
		scope_print(info, unit, text, die, name);
		die = child_with(info, die, offset);
	}
	if (die)
		debug_die_drop(info, die);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The name of a function that only C++ would give another one; `die` has it in DW_AT_name. */
static void name_qualify(struct debug_info *info, struct debug_name *name, Dwarf_Die die)
{
	uint32_t unit = unit_of(info, die);
	STRBUF(text);

	debug_unit_functions(info, unit);
	name->is_cplusplus = info->units[unit].is_cplusplus;
	if (!name->is_cplusplus)
		return;
	scopes_print(info, &text, unit, debug_die_offset(info, die), name);
	if (text.length) {
		strbuf_puts(&text, name->qualified);
		name->qualified = map_keep(info->strings, text.text);
	}
}

/* Takes what is missing and this DIE has. */
static void name_add(struct debug_info *info, struct debug_name *name, Dwarf_Die die, Dwarf_Off *named_at)
{
	uint64_t file, line;

	if (!name->linkage)
		name->linkage = debug_die_text(info, die, DW_AT_linkage_name);
	if (!name->linkage)
		name->linkage = debug_die_text(info, die, DW_AT_MIPS_linkage_name);
	if (!name->qualified) {
		name->qualified = debug_die_text(info, die, DW_AT_name);
		*named_at = debug_die_offset(info, die);
	}
	if (!name->decl_line && !debug_die_number(info, die, DW_AT_decl_line, &line))
		name->decl_line = (uint32_t)line;
	if (!name->decl_file && !debug_die_number(info, die, DW_AT_decl_file, &file))
		name->decl_file = debug_unit_file(info, &info->units[unit_of(info, die)], file);
}

static struct debug_name name_read(struct debug_info *info, Dwarf_Off offset)
{
	struct debug_name name = { 0 };
	struct debug_info *named_in = NULL, *at = info;
	Dwarf_Off named_at = 0;
	Dwarf_Die die = debug_die_at(info, offset);

	for (int hops = 0; die && hops < HOPS_MAX; hops++) {
		int had_name = name.qualified != NULL;

		name_add(at, &name, die, &named_at);
		if (!had_name && name.qualified)
			named_in = at;
		die = origin_of(&at, die);
	}
	if (die)
		debug_die_drop(at, die);
	die = named_in && !name.linkage ? debug_die_at(named_in, named_at) : NULL;
	if (die) {
		name_qualify(named_in, &name, die);
		debug_die_drop(named_in, die);
	}
	return name;
}

const struct debug_name *debug_name_of(struct debug_info *info, Dwarf_Off offset)
{
	struct debug_name name;
	uint32_t number = int_map_find(&info->names_offsets, offset);
	int is_new;

	if (number != INT_MAP_NONE)
		return &info->names[number];
	name = name_read(info, offset);
	number = int_map_add(&info->names_offsets, offset, &is_new);
	ARRAY_ONE_MORE(info->names, number);
	info->names[number] = name;
	return &info->names[number];
}
