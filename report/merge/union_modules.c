/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_modules.c - the modules of many processes: modules with the same build-id are one, whatever
 * their address; those without are identified by their path and the content of their tables
 * (union.h).
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/array.h"
#include "union.h"

#define FIRST_CODE 4096
#define MODULES_MAX 65534
#define WORD 8u

static void identity_of(const struct module *m, uint64_t identity[5])
{
	memset(identity, 0, 5 * sizeof(*identity));
	if (m->raw->build_id_bytes) {
		memcpy(identity, m->raw->build_id, m->raw->build_id_bytes);
		identity[4] = m->raw->build_id_bytes;
		return;
	}
	identity[0] = XXH3_64bits(m->path, strlen(m->path));
	identity[1] = XXH3_64bits(m->notes, m->notes_bytes);
	identity[2] = XXH3_64bits(m->strings, m->strings_bytes);
	identity[3] = m->raw->text_end - m->raw->text_start;
}

int union_module_compare(const struct union_module *a, const struct union_module *b)
{
	return memcmp(a->identity, b->identity, sizeof(a->identity));
}

/* The entry without what differs from process to process; its callees stand apart. */
static char *entry_copy(const struct module *m)
{
	char *bytes = xcalloc(1, m->raw->bytes);
	struct cinstr_module *raw = (void *)bytes;

	memcpy(bytes, m->raw, m->raw->bytes);
	raw->text_start -= raw->base;
	raw->text_end -= raw->base;
	raw->base = 0;
	raw->code_base = 0;
	raw->flags &= CINSTR_MODULE_MAIN | CINSTR_MODULE_REFUSED | CINSTR_MODULE_SEGMENTS_APART;
	raw->patched = raw->refused = 0;
	return bytes;
}

static uint32_t module_new(struct union_tree *u, const struct module *m, const uint64_t identity[5])
{
	struct union_module *to;

	ARRAY_ROOM(u->modules, u->n_modules, u->size_modules, 16);
	to = &u->modules[u->n_modules];
	*to = (struct union_module){ .bytes = entry_copy(m), .path = map_keep(&u->strings, m->path) };
	memcpy(to->identity, identity, sizeof(to->identity));
	return (uint32_t)u->n_modules++;
}

/* A process may have seen the module before, as one without probes: when a library's constructor
 * ran before it. */
static void tables_take(struct union_tree *u, struct union_module *to, const struct module *m)
{
	uint32_t flags = ((const struct cinstr_module *)(void *)to->bytes)->flags;

	free(to->bytes);
	to->bytes = entry_copy(m);
	((struct cinstr_module *)(void *)to->bytes)->flags |= flags;
	to->code_base = u->next_code;
	u->next_code += (m->raw->code_bytes + 2 * WORD) & ~(WORD - 1);
}

/* Of one module that was seen at several places the first path, the most that was patched. */
static void module_join(struct union_tree *u, struct union_module *to, const struct module *m)
{
	struct cinstr_module *raw;

	if (m->raw->code_base && !to->code_base)
		tables_take(u, to, m);
	raw = (void *)to->bytes;
	if (strcmp(m->path, to->path) < 0)
		to->path = map_keep(&u->strings, m->path);
	raw->flags |= m->raw->flags & (CINSTR_MODULE_MAIN | CINSTR_MODULE_REFUSED);
	if (m->raw->patched > raw->patched)
		raw->patched = m->raw->patched;
	if (m->raw->refused > raw->refused)
		raw->refused = m->raw->refused;
}

/* Where a name was found: of several places the first in the order of modules. */
static int is_before(const struct union_tree *u, uint64_t a, uint64_t b)
{
	int order;

	if (!a || !b)
		return a != 0;
	order = union_module_compare(&u->modules[(a >> 48) - 1], &u->modules[(b >> 48) - 1]);
	return order ? order < 0 : (a & UNION_LINK_MASK) < (b & UNION_LINK_MASK);
}

static void callees_join(struct union_tree *u, struct union_module *to, const struct module *m,
			 const struct modules *modules, const uint32_t *numbers)
{
	for (size_t i = 0; i < m->n_callees; i++) {
		uint64_t target = union_target(modules, numbers, m->callees[i].address);

		if (i >= to->n_callees) {
			to->callees = xrealloc(to->callees, m->n_callees, sizeof(*to->callees));
			to->callees[i] = (struct union_callee){ m->callees[i].string_address, target };
			to->n_callees = (uint32_t)i + 1;
		} else if (to->callees[i].string_address == m->callees[i].string_address &&
			   is_before(u, target, to->callees[i].target)) {
			to->callees[i].target = target;
		}
	}
}

uint32_t *union_modules(struct union_tree *u, const struct modules *modules)
{
	uint32_t *numbers = xcalloc(modules->n + 1, sizeof(*numbers));
	uint64_t codes = u->next_code ? u->next_code : FIRST_CODE;

	u->next_code = (uint32_t)codes;
	for (size_t i = 0; i < modules->n; i++)
		codes += modules->list[i].raw->code_bytes + 2 * WORD;
	if (codes > UINT32_MAX || u->n_modules + modules->n > MODULES_MAX) {
		free(numbers);
		return NULL;
	}
	for (size_t i = 0; i < modules->n; i++) {
		const struct module *m = &modules->list[i];
		uint64_t identity[5];
		int is_new;

		identity_of(m, identity);
		numbers[i] = (uint32_t)map_add(&u->module_keys, identity, sizeof(identity), &is_new);
		if (is_new)
			module_new(u, m, identity);
		module_join(u, &u->modules[numbers[i]], m);
	}
	for (size_t i = 0; i < modules->n; i++)
		callees_join(u, &u->modules[numbers[i]], &modules->list[i], modules, numbers);
	return numbers;
}

/* No module before it has any of its codes, of which that would be the one. */
static int is_alone(const struct modules *modules, const struct module *m)
{
	uint64_t begin = m->raw->code_base, end = begin + m->raw->code_bytes;

	for (const struct module *other = modules->list; other < m; other++)
		if (other->raw->code_base < end &&
		    (uint64_t)other->raw->code_base + other->raw->code_bytes > begin)
			return 0;
	return 1;
}

uint32_t union_code_found(struct union_codes *codes, uint32_t code)
{
	const struct module *m = code ? modules_by_code(codes->modules, code) : NULL;
	uint32_t to = m ? codes->u->modules[codes->numbers[m - codes->modules->list]].code_base : 0;

	if (!m)
		return 0;
	if (is_alone(codes->modules, m)) {
		codes->first = m->raw->code_base;
		codes->bytes = m->raw->code_bytes;
		codes->to = to;
	}
	return code - m->raw->code_base + to;
}

uint64_t union_target(const struct modules *modules, const uint32_t *numbers, uint64_t address)
{
	const struct module *m = address ? modules_by_address(modules, address) : NULL;

	return m ? UNION_TARGET(numbers[m - modules->list], address - m->raw->base) : 0;
}
