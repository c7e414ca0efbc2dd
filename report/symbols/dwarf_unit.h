/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dwarf_unit.h - private to the sources of dwarf.h: units, their tables, attributes. */
#ifndef REPORT_SYMBOLS_DWARF_UNIT_H
#define REPORT_SYMBOLS_DWARF_UNIT_H

#include "address_ranges.h"
#include "dwarf.h"
#include "dwarf_interface.h"
#include "lib/int_map.h"

#define DEPTH_MAX 256 /* nesting of DIEs; deeper ones are ignored */

/* A row of a line table. */
struct place {
	uint64_t address;
	uint32_t order; /* position in the table */
	uint32_t file, line;
	int is_end; /* ends a sequence: the address is the first after it */
};

/* The code of a function inlined into another one. */
struct inlined {
	Dwarf_Off origin;
	uint32_t outer; /* index of the enclosing one + 1; 0: the function itself */
	uint32_t call_file, call_line;
	int is_shared; /* the origin is in the shared file */
};

/* A function with code. */
struct debug_function {
	Dwarf_Off offset, origin; /* origin: DIE of its declaration; 0: none */
	int is_shared;		  /* the origin is in the shared file */
	uint64_t entry;
	int has_inlined;
	struct inlined *inlined; /* outer ones first */
	size_t n_inlined;
	struct address_ranges code; /* ranges of the inlined functions, by index */
};

/* A DIE directly in a unit or a namespace. */
struct top {
	Dwarf_Off offset;
	uint32_t outer; /* index of the namespace in unit.spaces + 1; 0: none */
};

struct namespace
{
	const char *name;
	uint32_t outer;
};

/* A compilation unit, or a partial unit shared by several. */
struct unit {
	Dwarf_Off offset; /* of the unit's DIE */
	int has_files, has_places, has_functions, has_nested;
	int is_cplusplus;
	uint64_t low;	      /* base address of range lists */
	struct place *places; /* in order of address */
	size_t n_places;
	const char **files; /* by number in the line table */
	size_t n_files;
	struct debug_function *functions;
	size_t n_functions, size_functions;
	struct address_ranges code; /* ranges of the functions, by index */
	struct top *tops;	    /* in order of offset */
	size_t n_tops, size_tops;
	struct namespace *spaces;
	size_t n_spaces;
};

struct debug_info {
	Dwarf_Debug dwarf;
	struct debug_info *shared; /* debug information of the shared file; NULL: none */
	struct map *strings;
	struct int_map offsets; /* offset of a unit -> its index */
	struct unit *units;
	size_t n_units;
	struct address_ranges code;   /* ranges of the units, by index */
	struct int_map names_offsets; /* offset of a DIE -> index in `names` */
	struct debug_name *names;
};

/* dwarf.c: returns the index of a unit, adding it if needed. Pointers to units become invalid. */
uint32_t debug_unit_number(struct debug_info *info, Dwarf_Off offset);
/* Returns the DIE at an offset, which the caller drops, or NULL. */
Dwarf_Die debug_die_at(struct debug_info *info, Dwarf_Off offset);
void debug_die_drop(struct debug_info *info, Dwarf_Die die);
/* Returns the base address of a unit's range lists. */
uint64_t debug_unit_low(struct debug_info *info, Dwarf_Die die);
/* Returns the name of a file of the unit by its number, or NULL. */
const char *debug_unit_file(struct debug_info *info, struct unit *unit, uint64_t number);

/* dwarf_values.c: read attributes of a DIE. Return 0, or -1 if there is none that can be read. */
int debug_die_number(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute, uint64_t *number);
/* Sets the offset that the attribute refers to. *is_shared: it is an offset in the shared file. */
int debug_die_reference(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute, Dwarf_Off *offset,
			int *is_shared);
#define DEBUG_NO_STRING "<DW_FORM" /* begins the texts that libdwarf returns for missing strings */
/* Returns the text of an attribute, or NULL. */
const char *debug_die_text(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute);
/* Adds all ranges of the DIE's code to `spans`. *first, if not NULL, is set to the begin of the
 * first one. Returns 0, or -1 if it has no code. */
int debug_die_ranges(struct debug_info *info, Dwarf_Die die, uint64_t unit_low, struct address_ranges *spans,
		     uint32_t value, uint64_t *first);
/* Return the next sibling or the first child, or NULL. debug_die_next() drops `die`. */
Dwarf_Die debug_die_next(struct debug_info *info, Dwarf_Die die);
Dwarf_Die debug_die_child(struct debug_info *info, Dwarf_Die die);
Dwarf_Half debug_die_tag(struct debug_info *info, Dwarf_Die die);
Dwarf_Off debug_die_offset(struct debug_info *info, Dwarf_Die die);
/* Frees libdwarf's error, if there was one. */
void debug_failed(struct debug_info *info, int status, Dwarf_Error failure);

/* dwarf_scopes.c: reads the unit's functions, tops and namespaces, once. */
void debug_unit_functions(struct debug_info *info, uint32_t unit);
void debug_unit_functions_release(struct unit *unit);

/* dwarf_names.c: returns the name of the function at an offset. Valid until the next call. */
const struct debug_name *debug_name_of(struct debug_info *info, Dwarf_Off offset);

#endif
