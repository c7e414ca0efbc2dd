/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols.h - names and source lines of code that has no table: indirect targets, other libraries,
 * all that was sampled. Reads the module's file when it is still there and its build-id is the
 * recorded one, and its separate debug file (debug_files.h). All addresses are link addresses.
 * Texts live as long as `symbols`, which several threads may ask at once.
 */
#ifndef REPORT_SYMBOLS_H
#define REPORT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct map;
struct symbols;

/* NULL: no such file, not ELF, or another build-id, and no debug file. build_id_bytes 0: any file
 * will do. */
struct symbols *symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes);
/* The same of an open file, of which only the surroundings are looked for by its path; it stays the
 * caller's. */
struct symbols *symbols_open_fd(int fd, const char *path, const uint8_t *build_id, size_t build_id_bytes);
void symbols_release(struct symbols *symbols);

/*
 * Those that the process has open already, or opens now and keeps: not to be released. fd -1: by
 * path, else it is the file. Can be called, and what it returns used, by several threads at once.
 * NULL as above.
 */
struct symbols *symbols_shared(int fd, const char *path, const uint8_t *build_id, size_t build_id_bytes);

/*
 * Name of the function that covers the address; NULL: none. *is_import, if asked for: it is that of
 * another module, and the address that of a stub.
 */
const char *symbols_name(const struct symbols *symbols, uint64_t address, int *is_import);
/* Assembler name of the variable that the address lies in, and how many bytes behind its begin;
 * NULL: none is known. */
const char *symbols_object(const struct symbols *symbols, uint64_t address, uint64_t *offset);
/* Address of the function of that name; 0: none. */
uint64_t symbols_address(const struct symbols *symbols, const char *name);
/* Source line of the address; of a function's first one, that of its head. 0, or -1: not known. */
int symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line);

/*
 * Machine code of the function that covers the address: code[n], which begins at *begin. It is the
 * file's: as it was before the runtime patched it. 0, or -1: not known.
 */
int symbols_code(const struct symbols *symbols, uint64_t address, uint64_t *begin, const uint8_t **code,
		 size_t *n);

/* The n bytes of machine code at the address, likewise; NULL: not known. */
const uint8_t *symbols_code_bytes(const struct symbols *symbols, uint64_t address, uint64_t n);

/* One function of those that an address is in: inlined ones, the innermost first, and last the one
 * that holds them all. */
struct symbol_frame {
	const char *name; /* assembler name; made up ("0x1200") where is_guessed */
	/* link address of the function; of an inlined one: of its code around the address */
	uint64_t entry;
	/* what is executed there; of an outer frame: the inlined call; NULL: not known */
	const char *file;
	uint32_t line;
	const char *decl_file; /* where the function is defined; NULL: not known */
	uint32_t decl_line;
	int is_inlined;
	/* there is no symbol: only the unwind information (.eh_frame) tells where the function
	 * begins */
	int is_guessed;
};
#define SYMBOL_UNKNOWN "[unknown]" /* a function or module without a name */
#define SYMBOL_FRAMES_MAX 32
/*
 * frames[max] of the address; returns their number, 0: nothing is known. An address is in no
 * function that ends before it: between functions nothing is known.
 */
size_t symbols_frames(struct symbols *symbols, uint64_t address, struct symbol_frame *frames, size_t max);

/* Adds which compilers made the file: each with its options, as debug information tells, or without
 * (.comment). None are added where the file does not tell. */
enum symbols_builders { SYMBOLS_BUILT_WITH_OPTIONS, SYMBOLS_BUILT_BY };
void symbols_builders(struct symbols *symbols, enum symbols_builders which, struct map *builders);

#endif
