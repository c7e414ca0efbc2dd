/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shares_jumps.c - see diff_shares.h: functions that left by a tail call, and have no frame in
 * samples. */
#include <stdlib.h>
#include <string.h>

#include "diff_shares.h"
#include "lib/array.h"

/* Whether a path's function was called at all: an announced call whose callee turned out to have
 * probes was not. */
static int is_empty(const struct path *path)
{
	return !path->calls && path->elapsed_inclusive <= 0;
}

static struct shares_jump *jump_at(struct shares *shares, uint32_t caller, uint32_t callee, int *is_new)
{
	const uint32_t key[] = { caller, callee };
	size_t number = map_add(&shares->jump_keys, key, sizeof(key), is_new);

	ARRAY_REACH(shares->jumps, number, shares->size_jumps);
	return &shares->jumps[number];
}

/* That `callee` runs with `caller` above it on the stack, because those in `found` have jumped. */
static void note(struct shares *shares, uint32_t caller, uint32_t callee, const struct shares_jump *found)
{
	int is_new;
	struct shares_jump *jump = jump_at(shares, caller, callee, &is_new);

	if (is_new)
		*jump = *found;
	else if (jump->n != found->n || memcmp(jump->list, found->list, found->n * sizeof(*found->list)) != 0)
		jump->is_unclear = 1;
}

/* Who has jumped so that the path's function was reached, and who called the first of them. */
static int find(const struct paths *paths, const uint32_t *row_of, const struct path *path,
		struct shares_jump *found, uint32_t *caller)
{
	*found = (struct shares_jump){ 0 };
	while (path->is_jump && path->parent) {
		path = &paths->list[path->parent];
		if (found->n == SHARES_JUMPS_MAX || row_of[path->entity] == DIFF_NONE)
			return 0;
		found->list[found->n++] = row_of[path->entity];
	}
	*caller = path->parent ? row_of[paths->list[path->parent].entity] : SHARES_OUTSIDE;
	return *caller != DIFF_NONE;
}

void shares_jumps_add(struct diff *diff, const struct profile *profile, const uint32_t *row_of)
{
	const struct paths *paths = &profile->paths;
	struct shares *shares = diff->shares;

	for (size_t i = 1; i < paths->n; i++) {
		const struct path *path = &paths->list[i];
		uint32_t callee = row_of[path->entity], caller;
		struct shares_jump found;

		if (callee == DIFF_NONE || is_empty(path) || !find(paths, row_of, path, &found, &caller))
			continue;
		note(shares, caller, callee, &found);
		if (found.n && caller != SHARES_OUTSIDE)
			shares_edge_add(shares, caller, callee, path->elapsed_inclusive);
	}
}

const struct shares_jump *shares_jump_of(const struct diff *diff, uint32_t caller, uint32_t callee)
{
	const uint32_t key[] = { caller, callee };
	size_t number = map_find(&diff->shares->jump_keys, key, sizeof(key));
	const struct shares_jump *jump = number == MAP_NONE ? NULL : &diff->shares->jumps[number];

	return jump && (jump->n || jump->is_unclear) ? jump : NULL;
}
