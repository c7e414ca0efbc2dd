/* SPDX-License-Identifier: MIT */
/* dynamic.h - the dynamic section of a loaded object, and its symbols by name. No libc: also before
 * the program has begun, and while the dynamic loader's lock is held. */
#ifndef CINSTR_DYNAMIC_H
#define CINSTR_DYNAMIC_H

#include <elf.h>
#include <link.h>
#include <stdint.h>

struct dynamic {
	uint64_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const char *soname;		 /* "": it has none */
	const uint32_t *gnu_hash, *hash; /* NULL: there is no such table */
	const uint16_t *versions;	 /* by symbol; NULL: it has none */
	const ElfW(Rela) * rela, *plt;
	uint64_t rela_bytes, plt_bytes;
	const struct r_debug *debug; /* of a program: the list of what is loaded */
};

/* Reads the section of an object that is loaded at `base`. 0; -1: it has no symbols. */
int dynamic_read(struct dynamic *out, const ElfW(Dyn) * section, uint64_t base);

/* What has to be added to addresses in the file whose ELF header is loaded there. */
uint64_t load_base(const void *ehdr);

/* The section of an object with these program headers; NULL: it has none. */
const ElfW(Dyn) * dynamic_section(const ElfW(Phdr) * headers, int n, uint64_t base);

/* The hash of a name by which dynamic_find() looks. */
uint32_t dynamic_hash(const char *name);

/* Returns the address of the function or variable of that name that the object defines, or 0. Of
 * several versions the default one. */
uint64_t dynamic_find(const struct dynamic *dynamic, const char *name, uint32_t hash);

#endif
