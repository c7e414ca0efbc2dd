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

/* Functions of libstdc++ that end in a jump into the C library: samples see the second name right
 * below the caller of the first. */
static int is_forwarded(const char *seen, const char *called)
{
	static const char *const jumps[][2] = {
		{ "_ZNSt18condition_variable4wait", "pthread_cond_wait" },
		{ "_ZNSt18condition_variable10notify_one", "pthread_cond_signal" },
		{ "_ZNSt18condition_variable10notify_all", "pthread_cond_broadcast" },
		{ "_ZdlPv", "free" },
		{ "_ZdaPv", "free" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++)
		if (!strncmp(called, jumps[i][0], strlen(jumps[i][0])) && is_variant(seen, jumps[i][1]))
			return 1;
	return 0;
}

/* How well the callee of a caller with probes stands for what samples have seen below the caller.
 * NOT: it does not. */
enum fit { NOT, KNOWN_AS_ANOTHER, UNSEEN, BY_NAME };

static enum fit fit_of(const struct diff *diff, const struct shares_edge *edge, uint32_t seen)
{
	const struct diff_row *as = &diff->rows[seen], *called = &diff->rows[edge->callee];

	if (is_forwarded(as->name, called->name))
		return BY_NAME;
	if (!is_same_module(as->module, called->module) ||
	    (diff->shares->rows[edge->callee].has_probes && !is_part(as->name, called->name)))
		return NOT;
	/* qsort() itself is seen as well, now and then, before it goes on as qsort_r(). */
	if (is_variant(as->name, called->name))
		return BY_NAME;
	if (!edge->is_seen)
		return UNSEEN;
	return strstr(as->name, ".so") ? KNOWN_AS_ANOTHER : NOT; /* libgomp.so.1+0x1f780 */
}

uint32_t shares_edge_other(const struct diff *diff, uint32_t caller, uint32_t seen)
{
	const struct shares *shares = diff->shares;
	const struct shares_edge *best = NULL;
	enum fit best_fit = NOT;

	for (size_t i = 0; i < shares->edge_keys.n; i++) {
		const struct shares_edge *edge = &shares->edges[i];
		enum fit fit = edge->caller == caller ? fit_of(diff, edge, seen) : NOT;

		if (fit < best_fit || fit == NOT || (fit == best_fit && best->time >= edge->time))
			continue;
		best = edge;
		best_fit = fit;
	}
	return best ? best->callee : DIFF_NONE;
}
