/* SPDX-License-Identifier: GPL-3.0-or-later */
/* callee_names.c - see diff_shares.h: calls of functions without probes, and the names that samples
 * know these by. */
#include <stdlib.h>
#include <string.h>

#include "diff_shares.h"
#include "lib/array.h"

/* ---- as probes have seen them ---------------------------------------------------------------- */

static void put_key(struct strbuf *key, const struct entity *entity)
{
	strbuf_clear(key);
	strbuf_printf(key, "%s\n%s", entity->module, entity->assembler);
}

static struct shares_edge *edge_of(struct shares *shares, uint32_t caller, uint32_t callee)
{
	const uint32_t key[] = { caller, callee };
	int is_new;
	size_t number = map_add(&shares->edge_keys, key, sizeof(key), &is_new);

	ARRAY_REACH(shares->edges, number, shares->size_edges);
	if (is_new)
		shares->edges[number] = (struct shares_edge){ .caller = caller, .callee = callee };
	return &shares->edges[number];
}

/* The row of each function of `paths`, whose names are other ones. DIFF_NONE: it has none; so has
 * what is not of one function. The caller frees it. */
static uint32_t *rows_of_paths(const struct profile *functions, const uint32_t *rows,
			       const struct profile *paths)
{
	uint32_t *row_of = xcalloc(paths->names->keys.n + 1, sizeof(*row_of));
	FREED uint32_t *list = xcalloc(functions->n_rows + 1, sizeof(*list));
	struct map keys = { 0 };
	STRBUF(key);

	for (size_t i = 0; i < functions->n_rows; i++) {
		int is_new;
		size_t number;

		if (functions->rows[i].entity == NAMES_NONE)
			continue;
		put_key(&key, &functions->names->list[functions->rows[i].entity]);
		number = map_add(&keys, key.text, key.length, &is_new);
		if (is_new || list[number] == DIFF_NONE)
			list[number] = rows[i];
	}
	for (size_t i = 0; i < paths->names->keys.n; i++) {
		size_t number;

		put_key(&key, &paths->names->list[i]);
		number = map_find(&keys, key.text, key.length);
		row_of[i] = number == MAP_NONE ? DIFF_NONE : list[number];
	}
	map_release(&keys);
	return row_of;
}

void shares_edge_add(struct shares *shares, uint32_t caller, uint32_t callee, double time)
{
	if (shares->rows[caller].has_probes)
		edge_of(shares, caller, callee)->time += time;
}

void shares_edges_add(struct diff *diff, const struct profile *functions, const uint32_t *rows,
		      const struct profile *paths)
{
	FREED uint32_t *row_of = rows_of_paths(functions, rows, paths);

	for (size_t i = 1; i < paths->paths.n; i++) {
		const struct path *path = &paths->paths.list[i];
		uint32_t caller, callee = row_of[path->entity];

		if (!path->parent)
			continue;
		caller = row_of[paths->paths.list[path->parent].entity];
		if (caller != DIFF_NONE && callee != DIFF_NONE)
			shares_edge_add(diff->shares, caller, callee, path->elapsed_inclusive);
	}
	shares_jumps_add(diff, paths, row_of);
}

/* ---- as samples do --------------------------------------------------------------------------- */

void shares_edges_begin(struct diff *diff)
{
	for (size_t i = 0; i < diff->shares->edge_keys.n; i++)
		diff->shares->edges[i].is_seen = 0;
}

void shares_edge_seen(struct diff *diff, uint32_t caller, uint32_t callee)
{
	const uint32_t key[] = { caller, callee };
	size_t number = map_find(&diff->shares->edge_keys, key, sizeof(key));

	if (number != MAP_NONE)
		diff->shares->edges[number].is_seen = 1;
}

static int is_same_module(const char *a, const char *b)
{
	const char *base_a = util_basename(a ? a : ""), *base_b = util_basename(b ? b : "");
	const char *so = strstr(base_a, ".so");
	size_t n = so ? (size_t)(so - base_a) + strlen(".so") : strlen(base_a) + 1;

	return !strncmp(base_a, base_b, n);
}

/* __strlen_avx2 is strlen. */
static int is_variant(const char *seen, const char *called)
{
	return strstr(seen, called + strspn(called, "_")) != NULL;
}

/* Code in assembler goes on in parts with names of their own: sha256_block_data_order_avx2. */
static int is_part(const char *seen, const char *called)
{
	size_t n = strlen(called);

	return !strncmp(seen, called, n) && (seen[n] == '_' || seen[n] == '.');
}

uint32_t shares_edge_other(const struct diff *diff, uint32_t caller, uint32_t seen)
{
	const struct shares *shares = diff->shares;
	const struct diff_row *rows = diff->rows;
	const struct shares_edge *best = NULL;
	int is_best_variant = 0;

	for (size_t i = 0; i < shares->edge_keys.n; i++) {
		const struct shares_edge *edge = &shares->edges[i];
		int is_variant_of = is_variant(rows[seen].name, rows[edge->callee].name);

		/* qsort() itself is seen as well, now and then, before it goes on as qsort_r(). */
		if (edge->caller != caller || (edge->is_seen && !is_variant_of) ||
		    !is_same_module(rows[seen].module, rows[edge->callee].module) ||
		    (shares->rows[edge->callee].has_probes &&
		     !is_part(rows[seen].name, rows[edge->callee].name)))
			continue;
		if (best && (is_best_variant > is_variant_of ||
			     (is_best_variant == is_variant_of && best->time >= edge->time)))
			continue;
		best = edge;
		is_best_variant = is_variant_of;
	}
	return best ? best->callee : DIFF_NONE;
}
