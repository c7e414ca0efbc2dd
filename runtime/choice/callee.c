/* SPDX-License-Identifier: MIT */
/*
 * callee.c - where the functions that a module calls by name, but does not define, are: so that the
 * report can name their module without the binaries. Runs once per module, in its constructor.
 *
 * Only symbols that the module's own dynamic symbol table leaves undefined are looked up: the
 * dynamic loader has resolved them already, or would at the first call.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "runtime.h"

#pragma weak dlsym
#pragma weak dlerror

struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	uint32_t n_symbols;
};

/* A called function that the module does not define has a relocation: the highest number in them is
 * enough. */
static uint32_t count_relocated(const ElfW(Rela) * rela, uint64_t bytes, uint32_t n)
{
	for (; rela && bytes >= sizeof(*rela); bytes -= sizeof(*rela), rela++)
		if (ELF64_R_SYM(rela->r_info) >= n)
			n = (uint32_t)ELF64_R_SYM(rela->r_info) + 1;
	return n;
}

static const void *relocated(const struct module *module, ElfW(Addr) address)
{
	/* ld.so has added the base in its own copy of most entries; the vdso and static programs
	 * keep link addresses */
	return (const void *)(address < module->base ? address + module->base : address);
}

static int read_dynamic(const struct module *module, struct dynamic *out)
{
	const ElfW(Ehdr) *ehdr = module->ehdr;
	const ElfW(Phdr) *ph = (const void *)((const char *)ehdr + ehdr->e_phoff);
	const ElfW(Dyn) *dyn = NULL;
	const void *rela = NULL, *plt = NULL;
	uint64_t rela_bytes = 0, plt_bytes = 0;

	for (int i = 0; i < ehdr->e_phnum; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(module->base + ph[i].p_vaddr);
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		const void *at = relocated(module, dyn->d_un.d_ptr);

		if (dyn->d_tag == DT_SYMTAB)
			out->symbols = at;
		else if (dyn->d_tag == DT_STRTAB)
			out->strings = at;
		else if (dyn->d_tag == DT_RELA)
			rela = at;
		else if (dyn->d_tag == DT_JMPREL)
			plt = at;
		else if (dyn->d_tag == DT_RELASZ)
			rela_bytes = dyn->d_un.d_val;
		else if (dyn->d_tag == DT_PLTRELSZ)
			plt_bytes = dyn->d_un.d_val;
	}
	out->n_symbols = count_relocated(plt, plt_bytes, count_relocated(rela, rela_bytes, 0));
	return out->symbols && out->strings ? 0 : -1;
}

static uint32_t hash_name(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (uint8_t)*name++) * 16777619u;
	return h;
}

/* Undefined symbols by name: an open-addressing table of symbol numbers. */
struct undefined {
	uint32_t *slots;
	uint32_t mask;
};

static uint32_t table_slots(uint32_t n)
{
	uint32_t slots = 64;

	while (slots < n * 2)
		slots *= 2;
	return slots;
}

static int collect_undefined(const struct dynamic *dynamic, struct undefined *undefined)
{
	uint32_t slots = table_slots(dynamic->n_symbols);

	undefined->slots = sys_memory(slots * sizeof(uint32_t));
	if (sys_failed(undefined->slots))
		return -1;
	undefined->mask = slots - 1;
	for (uint32_t i = 1; i < dynamic->n_symbols; i++) {
		const ElfW(Sym) *symbol = &dynamic->symbols[i];
		uint32_t at;

		if (symbol->st_shndx != SHN_UNDEF)
			continue;
		at = hash_name(dynamic->strings + symbol->st_name) & undefined->mask;
		while (undefined->slots[at])
			at = (at + 1) & undefined->mask;
		undefined->slots[at] = i;
	}
	return 0;
}

static int is_undefined(const struct dynamic *dynamic, const struct undefined *undefined, const char *name)
{
	for (uint32_t at = hash_name(name) & undefined->mask; undefined->slots[at];
	     at = (at + 1) & undefined->mask) {
		const ElfW(Sym) *symbol = &dynamic->symbols[undefined->slots[at]];

		if (string_equal(dynamic->strings + symbol->st_name, name))
			return 1;
	}
	return 0;
}

struct search {
	struct dynamic dynamic;
	struct undefined undefined;
	uint64_t base;
	struct cinstr_callee *out; /* sorted by string_address */
	uint32_t n, max;
};

/* Where the string is, or belongs. */
static uint32_t position(const struct search *search, uint64_t string)
{
	uint32_t low = 0, high = search->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (search->out[middle].string_address < string)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void look_up(const char *name, void *data)
{
	struct search *search = data;
	uint64_t string = (uint64_t)name - search->base;
	uint32_t at = position(search, string);

	if (at < search->n && search->out[at].string_address == string)
		return;
	if (!*name || search->n == search->max || !is_undefined(&search->dynamic, &search->undefined, name))
		return;
	for (uint32_t i = search->n++; i > at; i--)
		search->out[i] = search->out[i - 1];
	search->out[at] = (struct cinstr_callee){ .string_address = string,
						  .address = (uint64_t)dlsym(RTLD_DEFAULT, name) };
}

/* Every string in the module's tables that is the name of an undefined symbol is a callee (or
 * harmless). */
uint32_t callees_find(const struct module *module, struct cinstr_callee *out, uint32_t max)
{
	struct search search = { .base = module->base, .out = out, .max = max };

	if (!dlsym || read_dynamic(module, &search.dynamic) ||
	    collect_undefined(&search.dynamic, &search.undefined))
		return 0;
	module_each_string(module, look_up, &search);
	if (dlerror)
		/* clears what dlsym() left there: a name not found is no error of the program's */
		dlerror();
	sys_munmap(search.undefined.slots, ((size_t)search.undefined.mask + 1) * sizeof(uint32_t));
	return search.n;
}
