/* SPDX-License-Identifier: MIT */
/* dynamic.h - reads the dynamic section of a loaded object, and finds its symbols by name. No libc:
 * usable before the program has begun, and while the dynamic loader's lock is held. */
#ifndef CINSTR_DYNAMIC_H
#define CINSTR_DYNAMIC_H

#include <elf.h>
#include <link.h>
#include <stdint.h>

struct dynamic {
	uint64_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const char *soname;		 /* "": none */
	const uint32_t *gnu_hash, *hash; /* NULL: no such table */
	const uint16_t *versions;	 /* by symbol; NULL: none */
	const ElfW(Rela) * rela, *plt;
	uint64_t rela_bytes, plt_bytes;
	const struct r_debug *debug; /* of a program: the dynamic loader's list of objects */
};

/* Reads the section of an object that is loaded at `base`. Returns 0, or -1: it has no symbols. */
int dynamic_read(struct dynamic *out, const ElfW(Dyn) * section, uint64_t base);

/* Returns the load bias of the file whose ELF header is at `ehdr`: load address - link address. */
uint64_t load_base(const void *ehdr);

/* Returns the dynamic section of an object with these program headers, or NULL. */
const ElfW(Dyn) * dynamic_section(const ElfW(Phdr) * headers, int n, uint64_t base);

/* Returns the hash of a name for dynamic_find(). */
uint32_t dynamic_hash(const char *name);

/* Returns the address of the function or variable of that name that the object defines, of several
 * versions the default one, or 0. */
uint64_t dynamic_find(const struct dynamic *dynamic, const char *name, uint32_t hash);

#endif
