/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf.h - lines and inlined functions from debug information. Its sources, dwarf*.c, are the only
 * users of libdwarf. Units and functions are read when first needed, and kept: thousands of
 * addresses cost each unit once. For one thread at a time.
 */
#ifndef REPORT_SYMBOLS_DWARF_H
#define REPORT_SYMBOLS_DWARF_H

#include <stddef.h>
#include <stdint.h>

#include "lib/util.h"

struct debug_info;

/* Opens the debug information of a file, or returns NULL if there is none. `shared`: path of the
 * file with parts shared by several (dwz), or NULL. `strings` owns the texts. */
struct debug_info *debug_info_open(const char *path, const char *shared, struct map *strings);
void debug_info_release(struct debug_info *info);

/* Adds each unit's compiler with its options (DW_AT_producer). */
void debug_info_producers(struct debug_info *info, struct map *producers);

/* Which of an address's lines: the head of a function, or the code executed there. */
enum debug_line { DEBUG_LINE_FIRST, DEBUG_LINE_LAST };
/* Sets source file and line of an address. Returns 0, or -1 if they are not known. */
int debug_info_line(struct debug_info *info, uint64_t address, enum debug_line which, const char **file,
		    uint32_t *line);

/* Name and definition of a function. */
struct debug_name {
	const char *linkage; /* assembler name; NULL: none, as in C */
	/* Name in the source, with its namespaces and classes; NULL: not known. */
	const char *qualified;
	int is_cplusplus;
	const char *decl_file; /* NULL: not known */
	uint32_t decl_line;
};

/* A function that an address is in. */
struct debug_scope {
	struct debug_name name;
	uint64_t entry; /* of an inlined one: begin of its code around the address */
	/* For an inlined one of C++ without assembler name: address of its code outside of others;
	 * 0: none. */
	uint64_t instance;
	int is_inlined;
	const char *call_file; /* of an inlined one: place of the call; NULL: not known */
	uint32_t call_line;
};
/* Sets scopes[max] to the functions that the address is in, innermost first. The last one is not
 * inlined, even if others had to be left out. Returns their number; 0: not known. */
size_t debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *scopes, size_t max);

#endif
