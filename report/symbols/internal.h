/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * internal.h - finds functions in ELF files without debug information: from the symbol tables
 * (elf_symbols.c), stubs that lead into other modules (plt.c), and begins of code without a name
 * (eh_frame_ranges.c). Private to symbols.c. All addresses are link addresses.
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
	int rank;	/* order of names of one address; the plainest name has the lowest */
	int is_import;	/* of another module; the address is that of its stub in the PLT */
	int is_label;	/* no type, as in assembler code; used where there is no function */
	int is_unsized; /* end was guessed: the end of the section, or the next function */
	uint32_t group; /* object file of a local symbol; 0: global */
};

struct elf_functions {
	struct elf_function *list; /* in order of address, then of rank */
	size_t n;
	struct address_ranges spans;
};

/* Adds the functions of a symbol table; undefined ones if their address is that of a stub (without
 * PIE). Returns 0, or -1 if there is no such table. */
int elf_functions_read(struct elf_functions *functions, const struct elf *elf, uint32_t type, int imports,
		       struct map *strings);
/* To be called after all tables have been read. */
void elf_functions_sort(struct elf_functions *functions);
/* Returns the function that covers the address, or NULL. */
const struct elf_function *elf_functions_find(const struct elf_functions *functions, uint64_t address);
/* Returns the function whose unlikely part `part` is (f of f.cold), or NULL. */
const struct elf_function *elf_functions_whole(const struct elf_functions *functions,
					       const struct elf_function *part);
/* Returns the name of the variable at the address in the symbol table of this type, and sets the
 * offset from its begin; NULL: none. */
const char *elf_object(const struct elf *elf, uint32_t type, uint64_t address, uint64_t *offset);
/* Returns the length of f in f.cold, or 0 for other names. */
size_t elf_cold_length(const char *name);
void elf_functions_release(struct elf_functions *functions);

/* Stubs; a span's value is the index of the name of its target. */
struct elf_stubs {
	struct address_ranges spans;
	const char **names;
	size_t n;
};

/* Reads the stubs. `functions` contains the names of targets resolved at run time (IFUNC). */
void elf_stubs_read(struct elf_stubs *stubs, const struct elf *elf, const struct elf_functions *functions,
		    struct map *strings);
void elf_stubs_release(struct elf_stubs *stubs);

/* Adds the ranges of functions in the unwind information (.eh_frame). */
void elf_bounds_read(struct address_ranges *bounds, const struct elf *elf);

/* dwarf_precheck.c: whether the debug information passes checks that libdwarf lacks. */
int elf_debug_info_is_sound(const struct elf *elf);

#endif
