/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf.h - lines and inlined functions from the debug information. The files behind it,
 * symbols_dwarf*.c, are the only users of libdwarf. What was read of a unit is kept: whoever asks
 * for thousands of addresses pays for each unit once, and for each function that is asked for. To
 * be used by one thread at a time.
 */
#ifndef REPORT_SYMBOLS_DWARF_H
#define REPORT_SYMBOLS_DWARF_H

#include <stddef.h>
#include <stdint.h>

#include "lib/util.h"

struct debug_info;

/* `shared`: path of the file that others share parts with (dwz); NULL: there is none. `strings`
 * takes the texts. NULL: no debug information. */
struct debug_info *debug_info_open(const char *path, const char *shared, struct map *strings);
void debug_info_release(struct debug_info *info);

/* Adds which compiler made each unit, with its options, as it tells. */
void debug_info_producers(struct debug_info *info, struct map *producers);

/* Of several lines that an address has: a function's head, or what is executed there. */
enum debug_line { DEBUG_LINE_FIRST, DEBUG_LINE_LAST };
/* 0, or -1: not known. */
int debug_info_line(struct debug_info *info, uint64_t address, enum debug_line which, const char **file,
		    uint32_t *line);

/* What a function is called, and where it is defined. */
struct debug_name {
	const char *linkage; /* assembler name; NULL: there is none, as in C */
	/* as in the source, with the namespaces and classes it is in; NULL: not known */
	const char *qualified;
	int is_cplusplus;
	const char *decl_file; /* NULL: not known */
	uint32_t decl_line;
};

/* A function that the address is in. */
struct debug_scope {
	struct debug_name name;
	uint64_t entry; /* of an inlined one: begin of its code around the address */
	/* of an inlined one: without assembler name, where it is also a function by itself; 0:
	 * nowhere */
	uint64_t instance;
	int is_inlined;
	const char *call_file; /* of an inlined one: where it is called; NULL: not known */
	uint32_t call_line;
};
/*
 * scopes[max] of the address, the innermost first. The last one is that which is not inlined, also
 * if some before it had to be left out. Returns their number, 0: not known.
 */
size_t debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *scopes, size_t max);

#endif
