/* SPDX-License-Identifier: MIT */
/*
 * Finds loaded objects and their symbols without calling the dynamic loader: by its list for
 * debuggers and the objects' own tables. The program, the C library and the loader are at the front
 * of the list, and are never unloaded.
 */
#ifndef CINSTR_HOOK_OBJECTS_H
#define CINSTR_HOOK_OBJECTS_H

#include <elf.h>
#include <link.h>

#include "system.h"

struct hook_object {
	uint64_t base;
	const Elf64_Dyn *dynamic;
};

struct hook_symbols {
	const Elf64_Sym *symbols;
	const char *strings;
	const uint32_t *hashes; /* DT_GNU_HASH */
	const uint16_t *versions;
};

/* Returns the address for a pointer of a dynamic section. glibc relocates these pointers; in other
 * C libraries, and before relocation, they are as linked. */
static inline const void *hook_pointer(const struct hook_object *object, uint64_t address)
{
	return (const void *)(address < object->base ? address + object->base : address);
}

static void cinstr_hook_read_symbols(const struct hook_object *object, struct hook_symbols *out)
{
	out->symbols = NULL;
	out->strings = NULL;
	out->hashes = NULL;
	out->versions = NULL;
	for (const Elf64_Dyn *d = object->dynamic; d->d_tag != DT_NULL; d++) {
		const void *at = hook_pointer(object, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			out->symbols = at;
		else if (d->d_tag == DT_STRTAB)
			out->strings = at;
		else if (d->d_tag == DT_GNU_HASH)
			out->hashes = at;
		else if (d->d_tag == DT_VERSYM)
			out->versions = at;
	}
}

static uint32_t cinstr_hook_hash(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (uint8_t)*name++;
	return h;
}

/* Returns the address of the object's own symbol of this name and its default version, or NULL. */
static void *cinstr_hook_symbol(const struct hook_object *object, const char *name)
{
	struct hook_symbols table;
	uint32_t hash = cinstr_hook_hash(name), n_buckets, first, at;
	const uint32_t *buckets, *chain;

	cinstr_hook_read_symbols(object, &table);
	if (!table.symbols || !table.strings || !table.hashes || !table.hashes[0])
		return NULL;
	n_buckets = table.hashes[0];
	first = table.hashes[1];
	buckets = table.hashes + 4 + 2 * table.hashes[2];
	chain = buckets + n_buckets;
	at = buckets[hash % n_buckets];
	if (at < first)
		return NULL;
	for (;; at++) {
		const Elf64_Sym *symbol = &table.symbols[at];
		uint32_t entry = chain[at - first];

		if ((entry | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    !(table.versions && table.versions[at] & 0x8000) &&
		    hook_equal(table.strings + symbol->st_name, name))
			return (void *)(object->base + symbol->st_value);
		if (entry & 1)
			return NULL;
	}
}

/* Finds the first object after the program whose file name begins with `start`. Returns 1 if found,
 * else 0. */
static int cinstr_hook_object(const struct r_debug *debug, const char *start, struct hook_object *out)
{
	for (const struct link_map *map = debug->r_map->l_next; map; map = map->l_next)
		if (map->l_name && hook_begins(hook_base_name(map->l_name), start)) {
			out->base = map->l_addr;
			out->dynamic = map->l_ld;
			return 1;
		}
	return 0;
}

/* Finds the dynamic loader itself. Returns 1 if found, else 0. */
static int cinstr_hook_loader(const struct r_debug *debug, struct hook_object *out)
{
	for (const struct link_map *map = debug->r_map->l_next; map; map = map->l_next)
		if (map->l_addr == debug->r_ldbase) {
			out->base = map->l_addr;
			out->dynamic = map->l_ld;
			return 1;
		}
	return 0;
}

#endif
