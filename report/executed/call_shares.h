/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_shares.h - what of a function's executed instructions belongs to each of its call paths. How
 * many it executed is known, on which path is not: each path gets its share by calls, in whole
 * numbers that add up to the function's (doc/semantics.md: "Executed instructions").
 *
 * No event tells of calls of functions without probes, nor of those that the limit on overhead has
 * taken out. The callers of the direct ones are known: these calls get nodes below their caller's.
 * What is left was called through pointers: as often by each of those that were seen to call it so,
 * in proportion. If none was, it has a node below one that stands for callers that are not known.
 */
#ifndef REPORT_EXECUTED_CALL_SHARES_H
#define REPORT_EXECUTED_CALL_SHARES_H

#include <stddef.h>
#include <stdint.h>

#define SHARES_NO_FUNCTION UINT32_MAX	       /* its instructions are not counted */
#define SHARES_UNKNOWN_CALLER (UINT32_MAX - 1) /* the node below which callers are not known */

/*
 * Marks of nodes whose share is an estimate. Those of all nodes of a function add up to a multiple
 * of this, and those of some of them do not: so a sum over nodes, of whatever functions, that is
 * such a multiple is exact (but for one in 2^40).
 */
#define SHARES_WHOLE (UINT64_C(1) << 40)

struct shares_function {
	uint64_t instructions, calls;
	int has_calls;	    /* they are known */
	int is_estimate;    /* `instructions` is one, so that no sum with some of it is exact */
	int is_not_on_path; /* executed by no thread of its own: nothing is known of its callers */
};

/* So many calls of `to` by instructions of `from` that name it. */
struct shares_calls {
	uint32_t from, to;
	uint64_t n;
};

struct shares_node {
	uint32_t parent; /* a node before it; node 0 is the root */
	uint32_t function;
	uint32_t caller; /* the function that has made the calls, as far as it is known */
	int is_named;	 /* the call instruction names the function */
	uint64_t calls;
	/* made by call_shares_make(); is_recursive: others of the calls made some of them */
	uint64_t instructions, mark;
	int is_recursive;
};

struct call_shares {
	struct shares_function *functions;
	size_t n_functions;
	struct shares_calls *list; /* of one pair once */
	size_t n_list;
	struct shares_node *nodes;
	size_t n_nodes, size_nodes; /* behind those that are given: the ones that were made */
};

/* Fills in the nodes' instructions, calls and marks, and adds nodes. Releases nothing. */
void call_shares_make(struct call_shares *shares);

#endif
