/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plt.c - see internal.h: the procedure linkage table. A stub jumps through a slot of the GOT; the
 * slot's relocation names the function. With -fcf-protection there are two tables: stubs in
 * .plt.sec, and .plt for functions not resolved yet.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/machine_code.h"
#include "internal.h"
#include "lib/array.h"

#define STUB_SUFFIX "@plt"

/* A slot of the GOT. */
struct slot {
	uint64_t address;
	const char *name;
};

struct slots {
	struct slot *list;
	size_t n, size;
	struct slot *jumps; /* those of .rela.plt, in its order */
	size_t n_jumps;
};

/* ---- slots ----------------------------------------------------------------------------------- */

/* Name of a symbol of the table that a section of relocations refers to; NULL: none. */
static const char *symbol_name(const struct elf *elf, uint32_t table, uint64_t number)
{
	const Elf64_Shdr *symbols = table < elf->n_sections ? &elf->sections[table] : NULL, *strings;
	const Elf64_Sym *sym;
	const char *name;

	if (!symbols || symbols->sh_link >= elf->n_sections || symbols->sh_offset % 8 ||
	    number >= symbols->sh_size / sizeof(*sym) || !elf_has(elf, symbols->sh_offset, symbols->sh_size))
		return NULL;
	sym = (const Elf64_Sym *)(const void *)(elf->bytes + symbols->sh_offset) + number;
	strings = &elf->sections[symbols->sh_link];
	if (!elf_has(elf, strings->sh_offset, strings->sh_size) || sym->st_name >= strings->sh_size)
		return NULL;
	name = elf->bytes + strings->sh_offset + sym->st_name;
	return *name && memchr(name, '\0', strings->sh_size - sym->st_name) ? name : NULL;
}

static const char *relocation_name(const struct elf *elf, const Elf64_Shdr *section, const Elf64_Rela *rela,
				   const struct elf_functions *functions)
{
	const struct elf_function *f;

	switch (ELF64_R_TYPE(rela->r_info)) {
	case MACHINE_RELOC_SLOT:
	case MACHINE_RELOC_DATA:
		return symbol_name(elf, section->sh_link, ELF64_R_SYM(rela->r_info));
	case MACHINE_RELOC_IFUNC:
		f = elf_functions_find(functions, (uint64_t)rela->r_addend);
		return f && f->address == (uint64_t)rela->r_addend ? f->name : NULL;
	default:
		return NULL;
	}
}

static void slot_add(struct slots *slots, uint64_t address, const char *name)
{
	ARRAY_ROOM(slots->list, slots->n, slots->size, 64);
	slots->list[slots->n++] = (struct slot){ address, name };
}

static void section_read(struct slots *slots, const struct elf *elf, const Elf64_Shdr *section,
			 const struct elf_functions *functions)
{
	size_t n = section->sh_size / sizeof(Elf64_Rela);

	for (size_t i = 0; i < n; i++) {
		Elf64_Rela rela;
		const char *name;

		memcpy(&rela, elf->bytes + section->sh_offset + i * sizeof(rela), sizeof(rela));
		name = relocation_name(elf, section, &rela, functions);
		if (name)
			slot_add(slots, rela.r_offset, name);
	}
}

static void jumps_read(struct slots *slots, const struct elf *elf, const struct elf_functions *functions)
{
	const Elf64_Shdr *section = elf_section_named(elf, ".rela.plt");
	size_t n = section ? section->sh_size / sizeof(Elf64_Rela) : 0;

	slots->jumps = xcalloc(n + 1, sizeof(*slots->jumps));
	for (; slots->n_jumps < n; slots->n_jumps++) {
		Elf64_Rela rela;

		memcpy(&rela, elf->bytes + section->sh_offset + slots->n_jumps * sizeof(rela), sizeof(rela));
		slots->jumps[slots->n_jumps] =
			(struct slot){ rela.r_offset, relocation_name(elf, section, &rela, functions) };
	}
}

static int compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void slots_read(struct slots *slots, const struct elf *elf, const struct elf_functions *functions)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (elf->sections[i].sh_type == SHT_RELA &&
		    elf_has(elf, elf->sections[i].sh_offset, elf->sections[i].sh_size))
			section_read(slots, elf, &elf->sections[i], functions);
	jumps_read(slots, elf, functions);
	if (slots->n)
		qsort(slots->list, slots->n, sizeof(*slots->list), compare);
}

/* ---- stubs ----------------------------------------------------------------------------------- */

static const char *slot_name(const struct slots *slots, uint64_t address)
{
	struct slot key = { address, NULL };
	const struct slot *found =
		slots->n ? bsearch(&key, slots->list, slots->n, sizeof(key), compare) : NULL;

	return found ? found->name : NULL;
}

/* The name of what the stub code[n] at the address leads to; NULL: none. */
static const char *stub_target(const struct slots *slots, const uint8_t *code, size_t n, uint64_t address)
{
	const char *name = NULL;
	size_t at = 0;
	uint64_t slot;
	uint32_t number;

	while (!name && code_stub_slot(code, n, address, &at, &slot))
		name = slot_name(slots, slot);
	at = 0;
	while (!name && code_stub_number(code, n, &at, &number))
		name = number < slots->n_jumps ? slots->jumps[number].name : NULL;
	return name;
}

static void table_read(struct elf_stubs *stubs, const struct elf *elf, const Elf64_Shdr *section,
		       const struct slots *slots, struct map *strings)
{
	size_t step = code_stub_bytes(section->sh_entsize);
	const uint8_t *code = (const uint8_t *)elf->bytes + section->sh_offset;
	STRBUF(text);

	stubs->names = xrealloc(stubs->names, stubs->n + section->sh_size / step, sizeof(*stubs->names));
	for (uint64_t at = 0; at + step <= section->sh_size; at += step) {
		const char *name = stub_target(slots, code + at, step, section->sh_addr + at);

		if (!name)
			continue;
		strbuf_clear(&text);
		strbuf_printf(&text, "%s" STUB_SUFFIX, name);
		stubs->names[stubs->n] = map_keep(strings, text.text);
		ranges_add(&stubs->spans, section->sh_addr + at, section->sh_addr + at + step,
			   (uint32_t)stubs->n++);
	}
}

/* The table's beginning, which all that is not resolved yet goes through, and what else has no
 * target. */
static void table_rest(struct elf_stubs *stubs, const Elf64_Shdr *section, struct map *strings,
		       const char *name)
{
	stubs->names = xrealloc(stubs->names, stubs->n + 1, sizeof(*stubs->names));
	stubs->names[stubs->n] = map_keep(strings, name);
	ranges_add(&stubs->spans, section->sh_addr, section->sh_addr + section->sh_size,
		   (uint32_t)stubs->n++);
}

void elf_stubs_read(struct elf_stubs *stubs, const struct elf *elf, const struct elf_functions *functions,
		    struct map *strings)
{
	static const char *const tables[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
	struct slots slots = { 0 };

	slots_read(&slots, elf, functions);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		const Elf64_Shdr *section = elf_section_named(elf, tables[i]);

		if (!section || section->sh_addr + section->sh_size < section->sh_addr)
			continue;
		table_rest(stubs, section, strings, tables[i]);
		table_read(stubs, elf, section, &slots, strings);
	}
	ranges_sort(&stubs->spans);
	free(slots.list);
	free(slots.jumps);
}

void elf_stubs_release(struct elf_stubs *stubs)
{
	ranges_release(&stubs->spans);
	free(stubs->names);
	*stubs = (struct elf_stubs){ 0 };
}
