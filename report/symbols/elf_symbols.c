/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elf_symbols.c - see internal.h: functions of ELF symbol tables. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "lib/order.h"

#define COLD ".cold"

/* A table with its names, all of which end within the file. */
struct table {
	const struct elf *elf;
	const Elf64_Sym *symbols;
	size_t n;
	const char *names;
	uint64_t names_bytes;
};

static int table_find(struct table *table, const struct elf *elf, uint32_t type)
{
	const Elf64_Shdr *section = elf->bytes ? elf_section_of_type(elf, type) : NULL, *strings;

	if (!section || section->sh_offset % 8 || section->sh_link >= elf->n_sections)
		return -1;
	strings = &elf->sections[section->sh_link];
	if (!elf_has(elf, strings->sh_offset, strings->sh_size) || !strings->sh_size ||
	    elf->bytes[strings->sh_offset + strings->sh_size - 1])
		return -1;
	*table = (struct table){ .elf = elf,
				 .symbols = (const void *)(elf->bytes + section->sh_offset),
				 .n = section->sh_size / sizeof(Elf64_Sym),
				 .names = elf->bytes + strings->sh_offset,
				 .names_bytes = strings->sh_size };
	return 0;
}

/* "puts@GLIBC_2.2.5" is puts. */
static const char *without_version(struct map *strings, const char *name)
{
	const char *at = strchr(name, '@'), *kept;
	FREED char *copy = NULL;

	if (!at || at == name)
		return name;
	copy = xstrdup(name);
	copy[at - name] = '\0';
	kept = map_keep(strings, copy);
	return kept;
}

/* Where a function without a size may end: with its section. */
static uint64_t room(const struct elf *elf, const Elf64_Sym *sym)
{
	const Elf64_Shdr *s = sym->st_shndx < elf->n_sections ? &elf->sections[sym->st_shndx] : NULL;

	return s && sym->st_value - s->sh_addr < s->sh_size ? s->sh_addr + s->sh_size - sym->st_value : 0;
}

static struct elf_function function_of(const struct table *table, const Elf64_Sym *sym, const char *name,
				       uint32_t group)
{
	static const int ranks[] = { [STB_GLOBAL] = 0, [STB_WEAK] = 1, [STB_LOCAL] = 2 };
	unsigned bind = ELF64_ST_BIND(sym->st_info);
	int is_import = sym->st_shndx == SHN_UNDEF, is_label = ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE;

	return (struct elf_function){
		.address = sym->st_value,
		.size = is_import      ? 0
			: sym->st_size ? sym->st_size
				       : room(table->elf, sym),
		.name = name,
		.rank = (bind < ARRAY_SIZE(ranks) ? ranks[bind] : 3) + (name[0] == '_' ? 4 : 0) +
			(is_label ? 8 : 0),
		.is_import = is_import,
		.is_label = is_label,
		.is_unsized = !sym->st_size,
		.group = bind == STB_LOCAL ? group : 0,
	};
}

/* The dynamic linker's _start has no type. Names like .annobin_x.c and the linker's etext are of no
 * code. */
static int is_code_label(const struct elf *elf, const Elf64_Sym *sym)
{
	return ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE && room(elf, sym) &&
	       elf->sections[sym->st_shndx].sh_flags & SHF_EXECINSTR;
}

static int is_function(const struct elf *elf, const Elf64_Sym *sym, uint32_t type, int imports)
{
	unsigned kind = ELF64_ST_TYPE(sym->st_info);

	if (!sym->st_value || (sym->st_shndx == SHN_UNDEF) != imports)
		return 0;
	return kind == STT_FUNC || kind == STT_GNU_IFUNC || (type == SHT_SYMTAB && is_code_label(elf, sym));
}

int elf_functions_read(struct elf_functions *functions, const struct elf *elf, uint32_t type, int imports,
		       struct map *strings)
{
	struct table table;
	uint32_t group = 1;

	if (table_find(&table, elf, type))
		return -1;
	functions->list = xrealloc(functions->list, functions->n + table.n, sizeof(*functions->list));
	for (size_t i = 0; i < table.n; i++) {
		const Elf64_Sym *sym = &table.symbols[i];

		group += ELF64_ST_TYPE(sym->st_info) == STT_FILE;
		if (is_function(elf, sym, type, !!imports) && sym->st_name < table.names_bytes &&
		    table.names[sym->st_name] && table.names[sym->st_name] != '.')
			functions->list[functions->n++] =
				function_of(&table, sym, without_version(strings, table.names + sym->st_name),
					    group);
	}
	return 0;
}

const char *elf_object(const struct elf *elf, uint32_t type, uint64_t address, uint64_t *offset)
{
	struct table table;

	if (table_find(&table, elf, type))
		return NULL;
	for (size_t i = 0; i < table.n; i++) {
		const Elf64_Sym *sym = &table.symbols[i];

		if (ELF64_ST_TYPE(sym->st_info) == STT_OBJECT && sym->st_shndx != SHN_UNDEF &&
		    address - sym->st_value < sym->st_size && sym->st_name < table.names_bytes) {
			*offset = address - sym->st_value;
			return table.names + sym->st_name;
		}
	}
	return NULL;
}

ORDER_ITEMS(compare, struct elf_function, ORDER(x->address, y->address), x->rank - y->rank)

/* Labels within functions, or behind one whose end is not known, are no functions. */
static void labels_drop(struct elf_functions *functions)
{
	uint64_t end = 0;
	int is_open = 0;
	size_t n = 0;

	for (size_t i = 0; i < functions->n; i++) {
		const struct elf_function *f = &functions->list[i];

		if (f->is_label && (f->address < end || is_open))
			continue;
		is_open = !f->is_label && f->is_unsized && !f->is_import;
		if (!f->is_label && !f->is_unsized && f->address + f->size > end)
			end = f->address + f->size;
		functions->list[n++] = *f;
	}
	functions->n = n;
}

/* Those without a size end where the next one begins. */
static void ends_guess(struct elf_functions *functions)
{
	uint64_t address = 0, next = 0;

	for (size_t i = functions->n; i-- > 0;) {
		struct elf_function *f = &functions->list[i];

		if (f->address != address) {
			next = address;
			address = f->address;
		}
		if (f->is_unsized && !f->is_import && next && (!f->size || f->size > next - address))
			f->size = next - address;
	}
}

void elf_functions_sort(struct elf_functions *functions)
{
	if (!functions->n)
		return;
	util_sort(functions->list, functions->n, sizeof(*functions->list), compare, NULL);
	labels_drop(functions);
	ends_guess(functions);
	for (size_t i = 0; i < functions->n; i++) {
		const struct elf_function *f = &functions->list[i];
		uint64_t size = f->is_import ? 1 : f->size ? f->size : UINT64_MAX;

		ranges_add(&functions->spans, f->address,
			   f->address + size < size ? UINT64_MAX : f->address + size, (uint32_t)i);
	}
	ranges_sort(&functions->spans);
}

/* Where stubs of others' functions end is not told. */
static int covers(const struct elf_function *f, uint64_t address)
{
	return f->is_import ? address == f->address : !f->size || address - f->address < f->size;
}

const struct elf_function *elf_functions_find(const struct elf_functions *functions, uint64_t address)
{
	const struct address_range *span = ranges_find(&functions->spans, address);
	const struct elf_function *list = functions->list;
	size_t i;

	if (!span)
		return NULL;
	i = span->value;
	while (i && list[i - 1].address == list[i].address)
		i--;
	while (!covers(&list[i], address))
		i++; /* the best name of those that reach the address: the span's does */
	return &list[i];
}

/* ---- unlikely parts -------------------------------------------------------------------------- */

size_t elf_cold_length(const char *name)
{
	const char *cold = NULL, *rest;

	for (const char *at = strstr(name, COLD); at; at = strstr(at + 1, COLD))
		cold = at;
	if (!cold || cold == name)
		return 0;
	rest = cold + strlen(COLD);
	if (*rest == '.' && rest[1])
		rest += 1 + strspn(rest + 1, "0123456789");
	return *rest ? 0 : (size_t)(cold - name);
}

const struct elf_function *elf_functions_whole(const struct elf_functions *functions,
					       const struct elf_function *part)
{
	size_t n = elf_cold_length(part->name);

	for (size_t i = 0; n && i < functions->n; i++) {
		const struct elf_function *f = &functions->list[i];

		if ((!f->group || f->group == part->group) && !f->is_import &&
		    !strncmp(f->name, part->name, n) && !f->name[n])
			return f;
	}
	return NULL;
}

void elf_functions_release(struct elf_functions *functions)
{
	free(functions->list);
	ranges_release(&functions->spans);
	*functions = (struct elf_functions){ 0 };
}
