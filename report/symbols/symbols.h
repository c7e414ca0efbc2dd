/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols.h - names and source lines of code without a cinstr table: indirect targets, other
 * libraries, everything that was sampled. Reads the module's file, if it still exists and its
 * build-id is the recorded one, and its separate debug file (debug_files.h). All addresses are link
 * addresses. Texts live as long as `symbols`. Several threads may use it at once.
 */
#ifndef REPORT_SYMBOLS_H
#define REPORT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct code_calls;
struct map;
struct symbols;

/* Opens a module's symbols. Returns NULL if there is no such file, it is not ELF or has another
 * build-id, and there is no debug file. build_id_bytes 0: any file. */
struct symbols *symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes);
/* Like symbols_open(), for an open file; `path` is used to find its debug file. fd stays the
 * caller's. */
struct symbols *symbols_open_fd(int fd, const char *path, const uint8_t *build_id, size_t build_id_bytes);
void symbols_release(struct symbols *symbols);

/* Returns symbols that are open already, or opens and keeps them; not to be released. fd -1: opens
 * `path`. Callable, and the result usable, by several threads at once. Returns NULL as
 * symbols_open(). */
struct symbols *symbols_shared(int fd, const char *path, const uint8_t *build_id, size_t build_id_bytes);

/* Returns the name of the function that covers the address, or NULL. *is_import, if not NULL: the
 * function is in another module, and the address is that of a stub. */
const char *symbols_name(const struct symbols *symbols, uint64_t address, int *is_import);
/* Returns the assembler name of the variable at the address and its offset in bytes, or NULL. */
const char *symbols_object(const struct symbols *symbols, uint64_t address, uint64_t *offset);
/* Returns the i-th name of the function that begins at the address, or NULL: it has fewer. */
const char *symbols_name_at(const struct symbols *symbols, uint64_t address, size_t i);
/* Returns the address of the function with that name, or 0. */
uint64_t symbols_address(const struct symbols *symbols, const char *name);
/* Sets source file and line of the address; a function's first address has the line of its head.
 * Returns 0, or -1 if they are not known. */
int symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line);

/* Sets *code, *n and *begin to the machine code of the function that covers the address, as it is
 * in the file: without the runtime's patches. Returns 0, or -1 if it is not known. */
int symbols_code(const struct symbols *symbols, uint64_t address, uint64_t *begin, const uint8_t **code,
		 size_t *n);

/* Returns n bytes of machine code at the address, as symbols_code(), or NULL. */
const uint8_t *symbols_code_bytes(const struct symbols *symbols, uint64_t address, uint64_t n);

/* Returns who calls whom in the file, which is read for it at the first time. */
const struct code_calls *symbols_calls(struct symbols *symbols);

/* Returns the i-th segment of notes in the module's file, of n bytes; NULL: there are fewer. */
const char *symbols_notes(const struct symbols *symbols, size_t i, size_t *n);

/* One of the functions that an address is in: inlined ones, innermost first, then the one that
 * contains them all. */
struct symbol_frame {
	const char *name; /* assembler name; made up ("0x1200") if is_guessed */
	/* Link address of the function; if inlined, of its code around the address. */
	uint64_t entry;
	/* Source of the code at the address, or in an outer frame of the inlined call; NULL: not
	 * known. */
	const char *file;
	uint32_t line;
	const char *decl_file; /* where the function is defined; NULL: not known */
	uint32_t decl_line;
	int is_inlined;
	/* There is no symbol: only the unwind information (.eh_frame) has the function's begin. */
	int is_guessed;
};
#define SYMBOL_UNKNOWN "[unknown]" /* name of a function or module that has none */
#define SYMBOL_FRAMES_MAX 32
/* Sets frames[max] to the functions that the address is in and returns their number; 0: not known.
 * Addresses between functions are not known. */
size_t symbols_frames(struct symbols *symbols, uint64_t address, struct symbol_frame *frames, size_t max);

/* Adds the compilers that made the file: with options from the debug information, or without from
 * .comment; none if the file does not contain them. */
enum symbols_builders { SYMBOLS_BUILT_WITH_OPTIONS, SYMBOLS_BUILT_BY };
void symbols_builders(struct symbols *symbols, enum symbols_builders which, struct map *builders);

#endif
