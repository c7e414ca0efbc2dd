/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symbols_dwarf_unit.h - what the files of symbols_dwarf.h share: units, their tables, attributes. */
#ifndef REPORT_SYMBOLS_DWARF_UNIT_H
#define REPORT_SYMBOLS_DWARF_UNIT_H

#include <dwarf.h>
#include <libdwarf.h>

#include "spans.h"
#include "symbols_dwarf.h"

/* A row of a line table. */
struct place {
	uint64_t address;
	uint32_t order; /* in the table */
	uint32_t file, line;
	int is_end; /* of a piece of code: the address is behind it */
};

/* A compilation unit, or a part that several share. */
struct unit {
	Dwarf_Off offset; /* of its DIE */
	int has_files, has_places, has_functions;
	uint64_t low;	      /* that addresses in range lists are relative to */
	struct place *places; /* in order of address */
	size_t n_places;
	const char **files; /* by number */
	size_t n_files;
	struct scope *functions; /* symbols_dwarf_scopes.c's */
	size_t n_functions;
	struct spans code; /* of the functions */
};

struct debug_info {
	Dwarf_Debug dwarf;
	struct map *strings;
	struct map offsets; /* of units, to their numbers */
	struct unit *units;
	size_t n_units;
	struct spans code; /* of the units */
};

/* Number of the unit whose DIE is there. */
uint32_t debug_unit_number(struct debug_info *info, Dwarf_Off offset);
/* Name of a file of the unit; NULL: there is no such number. */
const char *debug_unit_file(struct debug_info *info, struct unit *unit, uint64_t number);

/* symbols_dwarf_ranges.c: adds all ranges of the DIE's code to `spans`; *first, if asked for, is the begin of the first one. */
int debug_die_ranges(struct debug_info *info, Dwarf_Die die, uint64_t unit_low, struct spans *spans,
		     uint32_t value, uint64_t *first);
int debug_die_address(Dwarf_Die die, Dwarf_Half attribute, uint64_t *address);
int debug_die_number(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute, uint64_t *number);
/* Frees what libdwarf said was wrong. */
void debug_failed(struct debug_info *info, Dwarf_Error failure);

#endif
