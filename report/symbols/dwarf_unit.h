/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dwarf_unit.h - what the files of dwarf.h share: units, their tables, attributes. For them
 * alone. */
#ifndef REPORT_SYMBOLS_DWARF_UNIT_H
#define REPORT_SYMBOLS_DWARF_UNIT_H

#include "address_ranges.h"
#include "dwarf.h"
#include "dwarf_interface.h"
#include "lib/int_map.h"

#define DEPTH_MAX 256 /* of DIEs in one another; deeper ones are not looked at */

/* A row of a line table. */
struct place {
	uint64_t address;
	uint32_t order; /* in the table */
	uint32_t file, line;
	int is_end; /* of a piece of code: the address is behind it */
};

/* A function's code in another one's. */
struct inlined {
	Dwarf_Off origin;
	uint32_t outer; /* number of the one that it is in + 1; 0: the function itself */
	uint32_t call_file, call_line;
	int is_shared; /* the origin is in the shared file */
};

/* A function with code. */
struct debug_function {
	Dwarf_Off offset, origin; /* origin 0: none */
	int is_shared;		  /* the origin is in the shared file */
	uint64_t entry;
	int has_inlined;
	struct inlined *inlined; /* outer ones first */
	size_t n_inlined;
	struct spans code; /* of these */
};

/* A DIE directly in a unit or a namespace. */
struct top {
	Dwarf_Off offset;
	uint32_t outer; /* number of the namespace in unit.spaces + 1; 0: none */
};

struct namespace
{
	const char *name;
	uint32_t outer;
};

/* A compilation unit, or a part that several share. */
struct unit {
	Dwarf_Off offset; /* of its DIE */
	int has_files, has_places, has_functions, has_nested;
	int is_cplusplus;
	uint64_t low;	      /* that addresses in range lists are relative to */
	struct place *places; /* in order of address */
	size_t n_places;
	const char **files; /* by number */
	size_t n_files;
	struct debug_function *functions;
	size_t n_functions, size_functions;
	struct spans code; /* of the functions */
	struct top *tops;  /* in order of offset */
	size_t n_tops, size_tops;
	struct namespace *spaces;
	size_t n_spaces;
};

struct debug_info {
	Dwarf_Debug dwarf;
	struct debug_info *shared; /* NULL: there is none */
	struct map *strings;
	struct int_map offsets; /* of units, to their numbers */
	struct unit *units;
	size_t n_units;
	struct spans code;	      /* of the units */
	struct int_map names_offsets; /* of DIEs, to numbers of their names */
	struct debug_name *names;
};

/* dwarf.c. Units move when one is added. */
uint32_t debug_unit_number(struct debug_info *info, Dwarf_Off offset);
/* NULL: there is no such DIE. To be dropped. */
Dwarf_Die debug_die_at(struct debug_info *info, Dwarf_Off offset);
void debug_die_drop(struct debug_info *info, Dwarf_Die die);
/* What the addresses of the unit's range lists are relative to. */
uint64_t debug_unit_low(struct debug_info *info, Dwarf_Die die);
/* Name of a file of the unit; NULL: there is no such number. */
const char *debug_unit_file(struct debug_info *info, struct unit *unit, uint64_t number);

/* dwarf_values.c: attributes. 0, or -1: there is none that can be read. */
int debug_die_number(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute, uint64_t *number);
/* *is_shared: the offset is one in the shared file. */
int debug_die_reference(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute, Dwarf_Off *offset,
			int *is_shared);
#define DEBUG_NO_STRING "<DW_FORM" /* libdwarf has texts of its own for strings that it has not */
/* NULL: none. */
const char *debug_die_text(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute);
/* Adds all ranges of the DIE's code to `spans`; *first, if asked for, is the begin of the first
 * one. -1: it has no code. */
int debug_die_ranges(struct debug_info *info, Dwarf_Die die, uint64_t unit_low, struct spans *spans,
		     uint32_t value, uint64_t *first);
/* The next sibling, or the first child; the former drops the DIE. NULL: none. */
Dwarf_Die debug_die_next(struct debug_info *info, Dwarf_Die die);
Dwarf_Die debug_die_child(struct debug_info *info, Dwarf_Die die);
Dwarf_Half debug_die_tag(struct debug_info *info, Dwarf_Die die);
Dwarf_Off debug_die_offset(struct debug_info *info, Dwarf_Die die);
/* Frees what libdwarf said was wrong, if it did. */
void debug_failed(struct debug_info *info, int status, Dwarf_Error failure);

/* dwarf_scopes.c: the unit's functions, tops, namespaces. */
void debug_unit_functions(struct debug_info *info, uint32_t unit);
void debug_unit_functions_release(struct unit *unit);

/* dwarf_names.c. */
const struct debug_name *debug_name_of(struct debug_info *info, Dwarf_Off offset);

#endif
