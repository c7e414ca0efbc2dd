/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * internal.h - what ELF files tell about code, without debug information: functions of the symbol
 * tables (elf_symbols.c), stubs that lead into other modules (plt.c), and where code begins that
 * has no name (eh_frame_ranges.c). For symbols.c alone. All addresses are link addresses.
 */
#ifndef REPORT_SYMBOLS_INTERNAL_H
#define REPORT_SYMBOLS_INTERNAL_H

#include "address_ranges.h"
#include "elf_file.h"
#include "lib/util.h"

struct elf_function {
	uint64_t address;
	uint64_t size; /* 0: not known */
	const char *name;
	int rank;	/* of names for one address: the plainest is the lowest */
	int is_import;	/* of another module; the address is that of its stub in this one's PLT */
	int is_label;	/* has no type, as those of assembler code: good for what no function has */
	int is_unsized; /* its end was guessed: that of its section, or the next function's begin */
	uint32_t group; /* local ones of one object file have the same; 0: global */
};

struct elf_functions {
	struct elf_function *list; /* in order of address, then of rank */
	size_t n;
	struct spans spans;
};

/* All of a symbol table; undefined ones have an address where their stub stands for them (without
 * PIE). 0; -1: there is no table. */
int elf_functions_read(struct elf_functions *functions, const struct elf *elf, uint32_t type, int imports,
		       struct map *strings);
/* When all have been read. */
void elf_functions_sort(struct elf_functions *functions);
/* The one that covers the address; NULL: none. */
const struct elf_function *elf_functions_find(const struct elf_functions *functions, uint64_t address);
/* The function that this one is the unlikely part of (f of f.cold); NULL: it is none, or f is not
 * there. */
const struct elf_function *elf_functions_whole(const struct elf_functions *functions,
					       const struct elf_function *part);
/* The name of the variable that the address lies in, in the symbol table of this type, and how far
 * from its begin; NULL: there is none. */
const char *elf_object(const struct elf *elf, uint32_t type, uint64_t address, uint64_t *offset);
/* Length of f in f.cold; 0: it is no such name. */
size_t elf_cold_length(const char *name);
void elf_functions_release(struct elf_functions *functions);

/* Stubs: names of what they lead to by the span's value. */
struct elf_stubs {
	struct spans spans;
	const char **names;
	size_t n;
};

/* `functions` tell the names of those that are resolved at run time (IFUNC). */
void elf_stubs_read(struct elf_stubs *stubs, const struct elf *elf, const struct elf_functions *functions,
		    struct map *strings);
void elf_stubs_release(struct elf_stubs *stubs);

/* Functions as the unwind information (.eh_frame) has them. */
void elf_bounds_read(struct spans *bounds, const struct elf *elf);

/* dwarf_precheck.c: whether the debug information can be read without danger. */
int elf_debug_info_is_sound(const struct elf *elf);

#endif
