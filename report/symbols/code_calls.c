/* SPDX-License-Identifier: GPL-3.0-or-later */
/* code_calls.c - see code_calls.h. */
#include "code_calls.h"

#include <stdlib.h>
#include <string.h>

#include "arch/instruction.h"
#include "arch/machine_code.h"
#include "lib/array.h"
#include "lib/order.h"
#include "lib/search.h"

#define STUB_SUFFIX "@plt"
#define CODE_MAX (UINT64_C(16) << 20) /* bytes; of more code nothing is read: it takes 10 ms a MB */

struct reading {
	struct code_calls *calls;
	const struct elf *elf;
	const struct elf_stubs *stubs;
	const struct elf_functions *symbols;
	struct map names; /* of symbols */
	uint64_t *addresses;
	uint32_t *stub_to; /* by stub: what calls of it are of + 1; the top bit: an import */
};
#define IMPORTED (1u << 31)

/* Adds the names of the file's own functions; of several of one name the first counts. */
static void names_read(struct reading *r)
{
	r->addresses = xcalloc(r->symbols->n + 1, sizeof(*r->addresses));
	for (size_t i = 0; i < r->symbols->n; i++) {
		const struct elf_function *f = &r->symbols->list[i];
		int is_new;
		size_t number = f->is_import ? 0 : map_add(&r->names, f->name, strlen(f->name), &is_new);

		if (!f->is_import && is_new)
			r->addresses[number] = f->address;
	}
}

/* Returns what a stub leads to: a name, or a function of the file itself, which others may
 * replace. */
static uint32_t stub_leads_to(struct reading *r, const char *stub)
{
	size_t length = strlen(stub), suffix = strlen(STUB_SUFFIX), named;
	uint32_t function;
	int is_new;

	if (length <= suffix || strcmp(stub + length - suffix, STUB_SUFFIX) != 0)
		return 0;
	named = map_find(&r->names, stub, length - suffix);
	function = named == MAP_NONE ? CODE_CALLS_NONE : code_calls_function(r->calls, r->addresses[named]);
	if (function != CODE_CALLS_NONE)
		return function + 1;
	return ((uint32_t)map_add(&r->calls->names, stub, length - suffix, &is_new) + 1) | IMPORTED;
}

static void local_add(struct code_calls *calls, uint32_t to, uint32_t from)
{
	if (to == from)
		return;
	ARRAY_ROOM(calls->local, calls->n_local, calls->size_local, 4096);
	calls->local[calls->n_local++] = (struct code_call){ to, from };
}

static void import_add(struct code_calls *calls, uint32_t to, uint32_t from)
{
	ARRAY_ROOM(calls->imports, calls->n_imports, calls->size_imports, 1024);
	calls->imports[calls->n_imports++] = (struct code_call){ to, from };
}

static void jump_add(struct reading *r, uint64_t target, uint32_t from)
{
	const struct address_range *stub = ranges_find(&r->stubs->spans, target);
	uint32_t to = stub ? r->stub_to[stub->value] : code_calls_function(r->calls, target) + 1;

	if (to & IMPORTED)
		import_add(r->calls, (to & ~IMPORTED) - 1, from);
	else if (to)
		local_add(r->calls, to - 1, from);
}

static void address_add(struct reading *r, uint64_t address, uint32_t from)
{
	uint32_t to = address ? code_calls_function(r->calls, address) : CODE_CALLS_NONE;

	if (to != CODE_CALLS_NONE && r->calls->functions->list[to].begin == address)
		local_add(r->calls, to, from);
}

static const uint8_t *code_at(const struct elf *elf, uint64_t address, uint64_t n)
{
	for (size_t i = 0; i < elf->n_sections; i++) {
		const Elf64_Shdr *s = &elf->sections[i];
		uint64_t at = address - s->sh_addr;

		if (s->sh_type == SHT_PROGBITS && s->sh_flags & SHF_EXECINSTR && address >= s->sh_addr &&
		    at < s->sh_size && n <= s->sh_size - at && elf_has(elf, s->sh_offset, s->sh_size))
			return (const uint8_t *)elf->bytes + s->sh_offset + at;
	}
	return NULL;
}

/* Adds the calls of one function, up to an instruction that is not known. */
static void function_read(struct reading *r, uint32_t number)
{
	const struct address_range *f = &r->calls->functions->list[number];
	size_t n = f->end - f->begin, at = 0;
	const uint8_t *code = code_at(r->elf, f->begin, n);
	struct instruction is;

	for (; code && at < n; at += is.length) {
		if (instruction_read(code + at, n - at, f->begin + at, &is))
			return;
		if (is.target && (is.target < f->begin || is.target >= f->end))
			jump_add(r, is.target, number);
		address_add(r, code_address_made(code + at, is.length, f->begin + at), number);
	}
}

ORDER_ITEMS(compare, struct code_call, ORDER(x->to, y->to), ORDER(x->from, y->from))

static size_t sorted_once(struct code_call *list, size_t n)
{
	size_t kept = 0;

	if (n)
		util_sort(list, n, sizeof(*list), compare, NULL);
	for (size_t i = 0; i < n; i++)
		if (!kept || list[kept - 1].to != list[i].to || list[kept - 1].from != list[i].from)
			list[kept++] = list[i];
	return kept;
}

static uint64_t code_bytes(const struct address_ranges *functions)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < functions->n; i++)
		bytes += functions->list[i].end - functions->list[i].begin;
	return bytes;
}

void code_calls_read(struct code_calls *calls, const struct elf *elf, const struct address_ranges *functions,
		     const struct elf_stubs *stubs, const struct elf_functions *symbols)
{
	struct reading r = { .calls = calls, .elf = elf, .stubs = stubs, .symbols = symbols };

	*calls = (struct code_calls){ .functions = functions };
	if (code_bytes(functions) > CODE_MAX)
		return;
	r.stub_to = xcalloc(stubs->n + 1, sizeof(*r.stub_to));
	names_read(&r);
	for (size_t i = 0; i < stubs->n; i++)
		r.stub_to[i] = stub_leads_to(&r, stubs->names[i]);
	for (uint32_t i = 0; i < functions->n; i++)
		function_read(&r, i);
	calls->n_local = sorted_once(calls->local, calls->n_local);
	calls->n_imports = sorted_once(calls->imports, calls->n_imports);
	map_release(&r.names);
	free(r.addresses);
	free(r.stub_to);
}

void code_calls_release(struct code_calls *calls)
{
	free(calls->local);
	free(calls->imports);
	map_release(&calls->names);
}

uint32_t code_calls_function(const struct code_calls *calls, uint64_t address)
{
	const struct address_range *range = calls->functions ? ranges_find(calls->functions, address) : NULL;

	return range ? (uint32_t)(range - calls->functions->list) : CODE_CALLS_NONE;
}

static const struct code_call *calls_to(const struct code_call *list, size_t n_list, uint32_t to, size_t *n)
{
	size_t begin, end;

	SEARCH(begin, n_list, list[begin].to >= to);
	SEARCH_IN(end, begin, n_list, list[end].to > to);
	*n = end - begin;
	return list + begin;
}

const struct code_call *code_calls_of(const struct code_calls *calls, uint32_t function, size_t *n)
{
	return calls_to(calls->local, calls->n_local, function, n);
}

const struct code_call *code_calls_of_import(const struct code_calls *calls, const char *name, size_t *n)
{
	size_t number = map_find(&calls->names, name, strlen(name));

	*n = 0;
	return number == MAP_NONE ? NULL : calls_to(calls->imports, calls->n_imports, (uint32_t)number, n);
}
