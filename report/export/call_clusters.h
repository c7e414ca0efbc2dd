/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_clusters.h - orders functions such that those that often call one another are close
 * together, and those that run most come first: call-chain clustering (Ottoni and Maher,
 * "Optimizing Function Placement for Large-Scale Data-Center Applications", 2017), as lld does with
 * compilers' profiles.
 */
#ifndef REPORT_EXPORT_CALL_CLUSTERS_H
#define REPORT_EXPORT_CALL_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/int_map.h"

struct call_clusters {
	size_t n;	     /* number of functions, which are numbered from 0 */
	uint64_t *weights;   /* [n]: number of calls */
	uint64_t *bytes;     /* [n]: size of the code, at least 1 */
	struct int_map arcs; /* int_map_pair(caller, callee) */
	uint64_t *arc_weights;
	size_t size_arcs;
};

/* Makes room for n functions without calls. Release it in every case. */
void call_clusters_init(struct call_clusters *clusters, size_t n);
void call_clusters_release(struct call_clusters *clusters);
/* Adds calls of a function by unknown callers. */
void call_clusters_add(struct call_clusters *clusters, uint32_t callee, uint64_t calls);
/* Adds calls of `callee` by `caller`. */
void call_clusters_add_arc(struct call_clusters *clusters, uint32_t caller, uint32_t callee, uint64_t calls);
/* Returns the numbers of all n functions in their order; the caller frees it. */
uint32_t *call_clusters_order(const struct call_clusters *clusters);

#endif
