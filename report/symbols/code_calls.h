/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code_calls.h - finds which functions of a file may call a function, by the file's machine code:
 * direct calls and jumps, and addresses that code computes (of functions that are called through
 * pointers, such as variants for a processor, which the function that chooses one knows). Functions
 * are the ranges of the unwind information, with or without names; a function's unlikely part is
 * one of its own. Calls through tables in data are not known.
 */
#ifndef REPORT_SYMBOLS_CODE_CALLS_H
#define REPORT_SYMBOLS_CODE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "internal.h"

#define CODE_CALLS_NONE UINT32_MAX

struct code_call {
	uint32_t to, from; /* functions; `to` of calls into other files: index of a name */
};

struct code_calls {
	const struct address_ranges *functions;
	struct code_call *local, *imports; /* sorted */
	size_t n_local, size_local, n_imports, size_imports;
	struct map names; /* of functions of other files that are called */
};

/* Reads the code of the file with these functions, stubs and symbols, which must outlive the
 * result. Of more than 16 MB of code no calls are known. */
void code_calls_read(struct code_calls *calls, const struct elf *elf, const struct address_ranges *functions,
		     const struct elf_stubs *stubs, const struct elf_functions *symbols);
void code_calls_release(struct code_calls *calls);

/* Returns the number of the function at this link address, or CODE_CALLS_NONE. */
uint32_t code_calls_function(const struct code_calls *calls, uint64_t address);
/* Returns the first of n calls of the function from within the file. */
const struct code_call *code_calls_of(const struct code_calls *calls, uint32_t function, size_t *n);
/* Returns the first of n calls of another file's function of this name. */
const struct code_call *code_calls_of_import(const struct code_calls *calls, const char *name, size_t *n);

#endif
