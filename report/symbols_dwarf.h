/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols_dwarf.h - lines and inlined functions from the debug information. The files behind it, symbols_dwarf*.c, are the only
 * users of libdwarf. What was read of a unit is kept: whoever asks for thousands of addresses pays for each unit once, and
 * for each function that is asked for. To be used by one thread at a time.
 */
#ifndef REPORT_SYMBOLS_DWARF_H
#define REPORT_SYMBOLS_DWARF_H

#include <stddef.h>
#include <stdint.h>

#include "util.h"

struct debug_info;

/* `strings` takes the texts. NULL: there is no debug information. */
struct debug_info *debug_info_open(const char *path, struct map *strings);
void debug_info_release(struct debug_info *info);

/* Of several lines that an address has: a function's head, or what is executed there. */
enum debug_line { DEBUG_LINE_FIRST, DEBUG_LINE_LAST };
/* 0, or -1: not known. */
int debug_info_line(struct debug_info *info, uint64_t address, enum debug_line which, const char **file,
		    uint32_t *line);

/* A function that the address is in. */
struct debug_scope {
	const char *name; /* assembler name if there is one, else as in the source; NULL: not known */
	const char
		*cplusplus_name; /* qualified; NULL: `name` is an assembler name, or needs no qualification */
	uint64_t entry;		 /* of an inlined one: begin of its code around the address */
	const char *decl_file;	 /* NULL: not known */
	uint32_t decl_line;
	const char *call_file; /* of an inlined one: where it was called; NULL: not known */
	uint32_t call_line;
	int is_inlined;
};
/* scopes[max], the innermost first; the last one is that which is not inlined, also if those before had to be left out. 0: not known. */
size_t debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *scopes, size_t max);

#endif
