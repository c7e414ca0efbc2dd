/* SPDX-License-Identifier: MIT */
/*
 * callee.c - finds the addresses of functions that a module calls by name and does not define, so
 * that the report can name their modules without the binaries. Once per module, in its constructor.
 *
 * Only symbols that the module's own dynamic symbol table leaves undefined are looked for. Where
 * the dynamic loader has bound a call already, its address is in the module's own table; the others
 * are looked up in the loaded objects, in their order. That is done under the loader's lock: it
 * waits for nothing, and calls nothing of libc.
 */
#include "runtime.h"

#define CALLEES_MAX 8192

/* A callee that the loader has not bound yet: its place in the list, the hash of its name. */
struct missing {
	uint32_t at, hash;
};

/* What the module's symbol table leaves undefined: an open-addressing table by name. */
struct undefined {
	uint32_t *slots; /* numbers of symbols */
	uint32_t mask;
	uint64_t *bound; /* by symbol: its address, or 0: not bound yet */
	uint32_t n_symbols;
};

struct search {
	const struct module *module;
	struct dynamic dynamic;
	struct undefined undefined;
	struct callees *out;
};

/* ---- what the module leaves undefined -------------------------------------------------------- */

/* A called function that the module does not define has a relocation: the highest number in them is
 * enough. */
static uint32_t count_relocated(const ElfW(Rela) * rela, uint64_t bytes, uint32_t n)
{
	for (; rela && bytes >= sizeof(*rela); bytes -= sizeof(*rela), rela++)
		if (ELF64_R_SYM(rela->r_info) >= n)
			n = (uint32_t)ELF64_R_SYM(rela->r_info) + 1;
	return n;
}

/* Until a call is bound, its slot leads into the module's own text. */
static void read_slots(const struct search *search, const ElfW(Rela) * rela, uint64_t bytes)
{
	const struct module *module = search->module;

	for (; rela && bytes >= sizeof(*rela); bytes -= sizeof(*rela), rela++) {
		uint64_t value;

		if (!arch_is_slot((uint32_t)ELF64_R_TYPE(rela->r_info)))
			continue;
		value = *(const uint64_t *)(module->base + rela->r_offset);
		if (value < module->text_start || value >= module->text_end)
			search->undefined.bound[ELF64_R_SYM(rela->r_info)] = value;
	}
}

static uint32_t table_slots(uint32_t n)
{
	uint32_t slots = 64;

	while (slots < n * 2)
		slots *= 2;
	return slots;
}

static void add_undefined(struct search *search, uint32_t i)
{
	struct undefined *undefined = &search->undefined;
	const ElfW(Sym) *symbol = &search->dynamic.symbols[i];
	uint32_t at = dynamic_hash(search->dynamic.strings + symbol->st_name) & undefined->mask;

	while (undefined->slots[at])
		at = (at + 1) & undefined->mask;
	undefined->slots[at] = i;
}

static uint64_t undefined_bytes(const struct undefined *undefined)
{
	return undefined->n_symbols * sizeof(*undefined->bound) +
	       (undefined->mask + 1ull) * sizeof(*undefined->slots);
}

static int collect_undefined(struct search *search)
{
	const struct dynamic *dynamic = &search->dynamic;
	struct undefined *undefined = &search->undefined;
	uint32_t n = count_relocated(dynamic->plt, dynamic->plt_bytes, 0);

	n = count_relocated(dynamic->rela, dynamic->rela_bytes, n);
	undefined->n_symbols = n;
	undefined->mask = table_slots(n) - 1;
	undefined->bound = sys_memory(undefined_bytes(undefined));
	if (sys_failed(undefined->bound))
		return -1;
	undefined->slots = (uint32_t *)(undefined->bound + n);
	read_slots(search, dynamic->rela, dynamic->rela_bytes);
	read_slots(search, dynamic->plt, dynamic->plt_bytes);
	for (uint32_t i = 1; i < n; i++)
		if (dynamic->symbols[i].st_shndx == SHN_UNDEF)
			add_undefined(search, i);
	return 0;
}

/* The number of the undefined symbol of that name; 0: there is none. */
static uint32_t find_undefined(const struct search *search, const char *name, uint32_t hash)
{
	const struct undefined *undefined = &search->undefined;
	uint32_t at = hash & undefined->mask;

	for (; undefined->slots[at]; at = (at + 1) & undefined->mask) {
		const ElfW(Sym) *symbol = &search->dynamic.symbols[undefined->slots[at]];

		if (string_equal(search->dynamic.strings + symbol->st_name, name))
			return undefined->slots[at];
	}
	return 0;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Where the string is, or belongs: the list is sorted by string_address. */
static uint32_t position(const struct callees *callees, uint64_t string)
{
	uint32_t low = 0, high = callees->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (callees->list[middle].string_address < string)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_callee(const char *name, void *data)
{
	struct search *search = data;
	struct callees *out = search->out;
	uint64_t string = (uint64_t)name - search->module->base;
	uint32_t at = position(out, string), symbol;

	if (!*name || out->n == CALLEES_MAX || (at < out->n && out->list[at].string_address == string))
		return;
	symbol = find_undefined(search, name, dynamic_hash(name));
	if (!symbol)
		return;
	for (uint32_t i = out->n++; i > at; i--)
		out->list[i] = out->list[i - 1];
	out->list[at] = (struct cinstr_callee){ .string_address = string,
						.address = search->undefined.bound[symbol] };
}

static void list_missing(struct callees *callees)
{
	for (uint32_t i = 0; i < callees->n; i++)
		if (!callees->list[i].address) {
			const char *name = (const char *)callees->base + callees->list[i].string_address;

			callees->missing[callees->n_missing++] =
				(struct missing){ .at = i, .hash = dynamic_hash(name) };
		}
}

static int make_room(struct callees *out)
{
	out->list = sys_memory(CALLEES_MAX * (sizeof(*out->list) + sizeof(*out->missing)));
	if (sys_failed(out->list)) {
		out->list = NULL;
		return -1;
	}
	out->missing = (struct missing *)(out->list + CALLEES_MAX);
	return 0;
}

/* Every string in the module's tables that is the name of an undefined symbol is a callee (or
 * harmless). */
void callees_collect(const struct module *module, struct callees *out)
{
	struct search search = { .module = module, .out = out };

	*out = (struct callees){ .base = module->base };
	if (dynamic_read(&search.dynamic,
			 dynamic_section(module->image.headers, module->image.n, module->base),
			 module->base) ||
	    make_room(out))
		return;
	if (collect_undefined(&search))
		return;
	module_each_string(module, add_callee, &search);
	sys_munmap(search.undefined.bound, undefined_bytes(&search.undefined));
	list_missing(out);
}

void callees_release(struct callees *callees)
{
	if (callees->list)
		sys_munmap(callees->list, CALLEES_MAX * (sizeof(*callees->list) + sizeof(*callees->missing)));
}

/* ---- in a loaded object ---------------------------------------------------------------------- */

/* The vDSO: its functions have names of libc's, but nobody calls them by name. */
static int is_vdso(const struct dynamic *object)
{
	static const char name[] = "linux-vdso";

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		if (object->soname[i] != name[i])
			return 0;
	return 1;
}

void callees_look(struct callees *callees, const struct dl_phdr_info *info)
{
	struct dynamic object;
	uint32_t left = 0;

	if (!callees->n_missing ||
	    dynamic_read(&object, dynamic_section(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr),
			 info->dlpi_addr) ||
	    is_vdso(&object))
		return;
	for (uint32_t i = 0; i < callees->n_missing; i++) {
		struct missing missing = callees->missing[i];
		struct cinstr_callee *callee = &callees->list[missing.at];
		const char *name = (const char *)callees->base + callee->string_address;

		callee->address = dynamic_find(&object, name, missing.hash);
		if (!callee->address)
			callees->missing[left++] = missing;
	}
	callees->n_missing = left;
}
