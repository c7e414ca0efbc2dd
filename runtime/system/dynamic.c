/* SPDX-License-Identifier: MIT */
/* dynamic.c - see dynamic.h. The tables are those that the dynamic loader uses, and trusted as
 * much. */
#include "runtime.h"

#define HIDDEN_VERSION 0x8000
#define OBJECT_MAX (1ull << 31) /* no object is larger: its parts are near to one another */

/* glibc writes addresses into the section, musl leaves what the linker wrote; so does glibc where
 * the section is read-only (the vDSO). */
static const void *address_in(const struct dynamic *dynamic, const ElfW(Dyn) * entry)
{
	uint64_t address = entry->d_un.d_ptr;
	int is_near = address - (uint64_t)entry + OBJECT_MAX < 2 * OBJECT_MAX;

	return (const void *)(is_near ? address : address + dynamic->base);
}

static void read_entry(struct dynamic *out, const ElfW(Dyn) * entry)
{
	const void *at = address_in(out, entry);

	switch (entry->d_tag) {
	case DT_SYMTAB:
		out->symbols = at;
		break;
	case DT_STRTAB:
		out->strings = at;
		break;
	case DT_GNU_HASH:
		out->gnu_hash = at;
		break;
	case DT_HASH:
		out->hash = at;
		break;
	case DT_VERSYM:
		out->versions = at;
		break;
	case DT_RELA:
		out->rela = at;
		break;
	case DT_JMPREL:
		out->plt = at;
		break;
	case DT_RELASZ:
		out->rela_bytes = entry->d_un.d_val;
		break;
	case DT_PLTRELSZ:
		out->plt_bytes = entry->d_un.d_val;
		break;
	case DT_DEBUG:
		out->debug = (const void *)entry->d_un.d_ptr;
		break;
	}
}

int dynamic_read(struct dynamic *out, const ElfW(Dyn) * section, uint64_t base)
{
	uint64_t soname = 0;

	*out = (struct dynamic){ .base = base, .soname = "" };
	for (; section && section->d_tag != DT_NULL; section++) {
		read_entry(out, section);
		if (section->d_tag == DT_SONAME)
			soname = section->d_un.d_val;
	}
	if (!out->symbols || !out->strings)
		return -1;
	if (soname)
		out->soname = out->strings + soname;
	return 0;
}

uint64_t load_base(const void *ehdr_address)
{
	const ElfW(Ehdr) *ehdr = ehdr_address;
	const ElfW(Phdr) *ph = (const void *)((const char *)ehdr + ehdr->e_phoff);

	for (int i = 0; i < ehdr->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset == 0)
			return (uint64_t)ehdr - ph[i].p_vaddr;
	return 0;
}

const ElfW(Dyn) * dynamic_section(const ElfW(Phdr) * headers, int n, uint64_t base)
{
	for (; n > 0; n--, headers++)
		if (headers->p_type == PT_DYNAMIC)
			return (const void *)(base + headers->p_vaddr);
	return NULL;
}

uint32_t dynamic_hash(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (uint8_t)*name++;
	return h;
}

/* Whether the symbol is a function or variable of this name that the object defines. */
static int is_meant(const struct dynamic *dynamic, uint32_t i, const char *name)
{
	const ElfW(Sym) *symbol = &dynamic->symbols[i];
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value && type != STT_TLS && type != STT_SECTION &&
	       type != STT_FILE && string_equal(dynamic->strings + symbol->st_name, name);
}

/* Takes the symbol if it is meant. Returns 1: its version is the default one, so it is final. */
static int take(const struct dynamic *dynamic, uint32_t i, const char *name, uint32_t *found)
{
	int is_default = !dynamic->versions || !(dynamic->versions[i] & HIDDEN_VERSION);

	if (!is_meant(dynamic, i, name) || (*found && !is_default))
		return 0;
	*found = i;
	return is_default;
}

/* Most names that an object does not define are told by two bits of the filter. */
static uint32_t find_by_gnu_hash(const struct dynamic *dynamic, const char *name, uint32_t hash)
{
	const uint32_t *table = dynamic->gnu_hash;
	uint32_t n_buckets = table[0], first = table[1], n_words = table[2], shift = table[3];
	const uint64_t *filter = (const void *)(table + 4);
	const uint32_t *buckets = (const void *)(filter + n_words);
	const uint32_t *chain = buckets + n_buckets;
	uint64_t word = n_words ? filter[hash / 64 & (n_words - 1)] : 0;
	uint32_t found = 0, i;

	if (!n_buckets || !(word >> (hash & 63) & word >> (hash >> shift & 63) & 1))
		return 0;
	i = buckets[hash % n_buckets];
	if (i < first)
		return 0;
	do
		if ((chain[i - first] | 1) == (hash | 1) && take(dynamic, i, name, &found))
			break;
	while (!(chain[i++ - first] & 1));
	return found;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t h = 0, high;

	for (; *name; h &= ~high) {
		h = (h << 4) + (uint8_t)*name++;
		high = h & 0xf0000000;
		h ^= high >> 24;
	}
	return h;
}

static uint32_t find_by_hash(const struct dynamic *dynamic, const char *name)
{
	uint32_t n_buckets = dynamic->hash[0], found = 0;
	const uint32_t *buckets = dynamic->hash + 2, *chain = buckets + n_buckets;

	if (!n_buckets)
		return 0;
	for (uint32_t i = buckets[sysv_hash(name) % n_buckets]; i; i = chain[i])
		if (take(dynamic, i, name, &found))
			break;
	return found;
}

uint64_t dynamic_find(const struct dynamic *dynamic, const char *name, uint32_t hash)
{
	uint32_t i = dynamic->gnu_hash ? find_by_gnu_hash(dynamic, name, hash)
		     : dynamic->hash   ? find_by_hash(dynamic, name)
				       : 0;
	const ElfW(Sym) *symbol = &dynamic->symbols[i];

	if (!i)
		return 0;
	return symbol->st_shndx == SHN_ABS ? symbol->st_value : dynamic->base + symbol->st_value;
}
