/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call_path_walk.h"

#include <stdlib.h>

#include "lib/util.h"

struct links {
	uint32_t *child, *sibling; /* PATH_NONE: none */
};

/* Parents have lower numbers, so going down makes each list ascend. */
static void links_make(struct links *links, const struct paths *paths)
{
	links->child = xcalloc(paths->n + 1, sizeof(*links->child));
	links->sibling = xcalloc(paths->n + 1, sizeof(*links->sibling));
	for (size_t i = 0; i < paths->n; i++)
		links->child[i] = links->sibling[i] = PATH_NONE;
	for (uint32_t i = (uint32_t)paths->n; i-- > 1;) {
		uint32_t parent = paths->list[i].parent;

		links->sibling[i] = links->child[parent];
		links->child[parent] = i;
	}
}

void path_walk(const struct paths *paths, void (*enter)(void *arg, uint32_t path),
	       void (*leave)(void *arg, uint32_t path), void *arg)
{
	struct links links;
	uint32_t at;

	if (paths->n < 2)
		return;
	links_make(&links, paths);
	for (at = links.child[0]; at != PATH_NONE;) {
		enter(arg, at);
		if (links.child[at] != PATH_NONE) {
			at = links.child[at];
			continue;
		}
		leave(arg, at);
		while (at && links.sibling[at] == PATH_NONE) {
			at = paths->list[at].parent;
			if (at)
				leave(arg, at);
		}
		at = at ? links.sibling[at] : PATH_NONE;
	}
	free(links.child);
	free(links.sibling);
}
