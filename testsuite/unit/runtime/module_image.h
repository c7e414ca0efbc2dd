/* SPDX-License-Identifier: MIT */
/*
 * module_image.h - an instrumented module that was made by chance, in memory, as the loader maps
 * them: two tables, the hook's note between them, a build id before or behind them, or none.
 */
#ifndef TESTSUITE_UNIT_RUNTIME_MODULE_IMAGE_H
#define TESTSUITE_UNIT_RUNTIME_MODULE_IMAGE_H

#include "choice_stubs.h"

/* Link addresses: headers, text, tables, strings, the hook, writable data, thunks. */
#define TEXT 0x1000u
#define NOTES 0x4000u
#define STRINGS 0x6000u
#define HOOK 0x7000u
#define DATA 0x8000u
#define ROOM 0x9800u
#define THUNKS 0xc000u
#define END 0x10000u
#define SLED 24u /* from one to the next */
/* The last sled, and the text's end: not all bits of a byte have words there. */
#define LAST_SLED 505u
#define TEXT_BYTES (8 + SLED * LAST_SLED + 24)
#define CODE (TEXT + 0x2e00) /* the hook's */
#define FUNCTIONS 7u

struct image_made {
	char *at; /* of END bytes */
	ElfW(Phdr) headers[7];
	size_t notes; /* bytes so far */
	size_t strings;
	uint32_t n_refs, refs[64]; /* link addresses of strings */
	uint32_t n_records;
	struct cinstr_abi_record records[400];
	uint32_t entry[2 * FUNCTIONS]; /* places in records of ENTRYs */
	uint32_t entry_sled[2 * FUNCTIONS];
	uint32_t sled; /* number of the next */
};

extern struct image_made made;

/* A number below n, of the same sequence. */
uint32_t module_below(uint32_t n);
/* The sled with this number. */
char *module_sled(uint32_t number);
struct cinstr_abi_hook *module_hook(void);
const char *module_hook_code(void);
/* Writes the ELF header, for who does not know the image from the loader. */
void module_elf_header(void);
/* Makes `made`, at the same address each time. has_sum: its tables have checksums. */
void module_make(uint64_t seed, int has_sum);

#endif
