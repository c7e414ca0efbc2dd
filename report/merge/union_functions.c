/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_functions.c - how the contributors share each function's own time (union.h). What is known
 * of call paths does not tell it: of a sum of several the least and the most do not follow from
 * theirs. Cells are of one function if names/names.c gives them one by their tables alone; where it
 * asks the file's symbols, they may stay apart here.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "union_statistics.h"

enum key_kind { KEY_FUNCTION, KEY_NAME, KEY_SITE, KEY_TARGET };

static uint32_t function_keyed(struct union_tree *u, const struct strbuf *key,
			       const struct merged_function *first, int *is_new)
{
	uint32_t number = (uint32_t)map_add(&u->function_keys, key->text, key->length, is_new);

	if (!*is_new)
		return number;
	ARRAY_ROOM(u->functions, u->n_functions, u->size_functions, 64);
	u->functions[u->n_functions++] = (struct union_function){ .known = *first };
	return number;
}

static void put_number(struct strbuf *key, enum key_kind kind, uint64_t number)
{
	strbuf_clear(key);
	strbuf_add(key, (const char *)&kind, sizeof(kind));
	strbuf_add(key, (const char *)&number, sizeof(number));
}

static const struct union_module *module_of_code(const struct union_tree *u, uint32_t code)
{
	for (size_t i = 0; i < u->n_modules; i++) {
		const struct union_module *m = &u->modules[i];
		const struct cinstr_module *raw = (const void *)m->bytes;

		if (m->code_base && code >= m->code_base && code - m->code_base < raw->code_bytes)
			return m;
	}
	return NULL;
}

/* Tells whether code a stands before code b in the order of the file. */
static int is_code_before(const struct union_tree *u, uint32_t a, uint32_t b)
{
	const struct union_module *x = module_of_code(u, a), *y = module_of_code(u, b);

	return x && y && x != y ? union_module_compare(x, y) < 0 : a < b;
}

/* A function with probes, by its code in the file. */
static uint32_t function_of_code(struct union_tree *u, struct union_codes *codes, uint32_t code,
				 struct strbuf *key)
{
	const struct merged_function first = { .kind = CINSTR_CELL_FLAT_FRAME,
					       .func = union_code(codes, code) };
	int is_new;

	put_number(key, KEY_FUNCTION, first.func);
	return function_keyed(u, key, &first, &is_new);
}

/* As call_entity() of names/names.c: the module with the callee, if it is known, else the caller's;
 * of that the function of this name. */
static uint32_t function_of_site(struct union_tree *u, struct union_codes *codes, uint32_t code,
				 struct strbuf *key)
{
	const struct module *module = modules_by_code(codes->modules, code), *target;
	const struct module_site *site = module ? module_site(module, code) : NULL;
	struct merged_function first = { .kind = CINSTR_CELL_FLAT_CALL, .site = union_code(codes, code) };
	const struct module_function *f;
	uint32_t number;
	int is_new;

	if (!site || !site->callee) {
		put_number(key, KEY_SITE, first.site);
		return function_keyed(u, key, &first, &is_new);
	}
	target = modules_by_address(codes->modules, module_callee_address(module, site));
	f = module_function_named(target ? target : module, site->callee,
				  target ? NULL : module->functions[site->function].file);
	if (f)
		return function_of_code(u, codes, f->code, key);
	put_number(key, KEY_NAME, codes->numbers[(target ? target : module) - codes->modules->list]);
	strbuf_puts(key, site->callee);
	number = function_keyed(u, key, &first, &is_new);
	if (!is_new && first.site != u->functions[number].known.site &&
	    is_code_before(u, first.site, u->functions[number].known.site))
		u->functions[number].known.site = first.site;
	return number;
}

static uint32_t function_of_target(struct union_tree *u, struct union_codes *codes, uint64_t address,
				   struct strbuf *key)
{
	const struct module *module = modules_by_address(codes->modules, address);
	const struct module_function *f = module ? module_function_at(module, address) : NULL;
	const struct merged_function first = {
		.kind = CINSTR_CELL_FLAT_CALL, .target = union_target(codes->modules, codes->numbers, address)
	};
	int is_new;

	if (f)
		return function_of_code(u, codes, f->code, key);
	if (!first.target)
		return UNION_NONE;
	put_number(key, KEY_TARGET, first.target);
	return function_keyed(u, key, &first, &is_new);
}

uint32_t union_function_of(struct union_tree *u, struct union_codes *codes, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag), number = UNION_NONE;
	int has_target = kind == CINSTR_CELL_INDIRECT || (kind == CINSTR_CELL_FLAT_CALL && cell->func);
	struct strbuf key = { 0 };

	if (kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_FLAT_FRAME)
		number = function_of_code(u, codes, cell->func, &key);
	else if (has_target)
		number = function_of_target(u, codes, CINSTR_CELL_TARGET(cell), &key);
	else if (kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_FLAT_CALL)
		number = function_of_site(u, codes, cell->site, &key);
	strbuf_release(&key);
	return number;
}

uint32_t union_function_of_node(struct union_tree *u, struct union_codes *codes,
				const struct cinstr_cell *cell, uint32_t node)
{
	ARRAY_REACH_ZEROED(u->function_of, node, u->n_function_of);
	if (!u->function_of[node])
		u->function_of[node] = data_cell_is_line(cell) ? u->function_of[union_key(u, node)->parent]
							       : union_function_of(u, codes, cell) + 1;
	return u->function_of[node] - 1;
}

void union_function_now(struct union_tree *u, uint32_t function, wide elapsed, wide application, wide cpu)
{
	struct union_function *f = function == UNION_NONE ? NULL : &u->functions[function];

	if (!f)
		return;
	if (f->stamp != u->stamp) {
		ARRAY_ROOM(u->touched, u->n_touched, u->size_touched, 256);
		u->touched[u->n_touched++] = function;
		f->stamp = u->stamp;
		memset(f->now, 0, sizeof(f->now));
	}
	f->now[MERGED_OWN_EE] += elapsed;
	f->now[MERGED_OWN_AE] += application;
	f->now[MERGED_OWN_CE] += cpu;
}

/* Of units of 1 / 65536 ns. */
static uint64_t rounded(wide units)
{
	const int bits = CINSTR_MERGED_FRACTION - MERGED_OWN_FRACTION;

	return (uint64_t)((units + (1u << (bits - 1))) >> bits);
}

void union_functions_end(struct union_tree *u, uint32_t contributor)
{
	for (size_t i = 0; i < u->n_touched; i++) {
		struct union_function *f = &u->functions[u->touched[i]];
		int is_new = !f->known.n_contributors++;

		for (int k = 0; k < MERGED_OWN_VALUES; k++)
			statistic_value_join(u, &f->known.of[k], is_new, rounded(f->now[k]), contributor);
	}
	u->n_touched = 0;
}

void union_functions_add_merged(struct union_tree *u, const struct merged *merged, struct union_codes *codes,
				const uint32_t *who)
{
	u->lacks_functions |= !merged->has_functions;
	for (uint32_t i = 0; i < merged->n_functions; i++) {
		const struct merged_function *from = &merged->functions[i];
		const struct cinstr_cell cell = merged_function_cell(from);
		uint32_t number = union_function_of(u, codes, &cell);
		struct merged_function *to = number == UNION_NONE ? NULL : &u->functions[number].known;

		if (!to || !from->n_contributors)
			continue;
		for (int k = 0; k < MERGED_OWN_VALUES; k++) {
			struct merged_statistic s = from->of[k];

			s.who_least = who[s.who_least];
			s.who_most = who[s.who_most];
			statistic_join(u, &to->of[k], !to->n_contributors, &s);
		}
		to->n_contributors += from->n_contributors;
	}
}

void union_functions_release(struct union_tree *u)
{
	map_release(&u->function_keys);
	free(u->functions);
	free(u->function_of);
	free(u->touched);
}
