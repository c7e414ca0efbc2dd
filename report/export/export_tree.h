/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_tree.h - the call paths of a session as the formats for trees want them: every path with
 * its exclusive values, as whole numbers.
 *
 * Values of all threads are merged where paths are the same. They are rounded so that the sum over
 * all paths of a function is what cinstr report --format=csv says of the function, to the unit:
 * each path gets what the function's sum, rounded, grows by when the path is added.
 */
#ifndef REPORT_EXPORT_EXPORT_TREE_H
#define REPORT_EXPORT_EXPORT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "lib/int_map.h"

#define TREE_NONE UINT32_MAX
#define TREE_OUTSIDE "[outside any function]"

/* Nodes are numbered in order of creation, so parents have lower numbers; 0 is the root of all. */
struct tree_node {
	uint32_t parent, entity; /* entity of the profile's names; the root: TREE_NONE */
};

struct export_tree {
	struct profile profile; /* names, totals */
	struct measures measures;
	enum export_by by;
	int is_measure_given, is_wrong; /* not what the session has */
	struct tree_node *nodes;
	uint64_t *values; /* measures.n of each node: exclusive */
	size_t n, size;
	struct int_map numbers; /* (parent, entity) -> number - 1 */
	char *filter;		/* what was filtered, in words; NULL: nothing */
	/* of each entity and measure: the sum so far, and what of it paths have got */
	struct tree_sum *sums;
	size_t n_sums;
};

struct tree_sum {
	long double sum[MEASURES];
	uint64_t given[MEASURES];
};

/*
 * Reads session `number` of the job: `wanted` measures as far as it has them. An exit status. After
 * STATUS_USAGE, and if tree->n is 0, there is nothing in it. Release it in every case.
 */
int export_tree_read(struct export_tree *tree, struct export_job *job, size_t number,
		     const struct measures *wanted);
void export_tree_release(struct export_tree *tree);

static inline const uint64_t *tree_values(const struct export_tree *tree, size_t node)
{
	return tree->values + node * tree->measures.n;
}
/* Name of a node that is not the root. */
const char *tree_name(const struct export_tree *tree, size_t node);
/* Whether the node has any value of its own. */
int tree_has_values(const struct export_tree *tree, size_t node);

#endif
