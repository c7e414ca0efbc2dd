/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_shares.h - divides a function's executed instructions among its call paths. Their number is
 * known, their paths are not: each path gets a share by calls, in whole numbers that add up to the
 * function's (doc/semantics.md: "Executed instructions").
 *
 * No events exist for calls of functions without probes, nor for calls whose probes the limit on
 * overhead removed. The callers of direct ones are known: these calls get nodes below their
 * caller's. The rest were calls through pointers: they are divided in proportion among the
 * functions that were seen to call it so. If none was, they get a node below one that stands for
 * unknown callers.
 */
#ifndef REPORT_EXECUTED_CALL_SHARES_H
#define REPORT_EXECUTED_CALL_SHARES_H

#include <stddef.h>
#include <stdint.h>

#define SHARES_NO_FUNCTION UINT32_MAX	       /* the node's instructions are not counted */
#define SHARES_UNKNOWN_CALLER (UINT32_MAX - 1) /* the node below which callers are not known */

/* Marks of nodes whose share is an estimate. The marks of all nodes of a function add up to a
 * multiple of this, those of only some of them do not: so a sum over nodes, of whatever functions,
 * whose marks add up to such a multiple is exact (except for one in 2^40). */
#define SHARES_WHOLE (UINT64_C(1) << 40)

struct shares_function {
	uint64_t instructions, calls;
	int has_calls; /* calls are known */
	/* `instructions` is an estimate, so that no sum with some of it is exact */
	int is_estimate;
	int is_not_on_path; /* executed by no thread of its own: its callers are not known */
};

/* The calls of `to` by instructions of `from` that name it. */
struct shares_calls {
	uint32_t from, to;
	uint64_t n;
};

struct shares_node {
	uint32_t parent; /* an earlier node; node 0 is the root */
	uint32_t function;
	uint32_t caller; /* the function that made the calls, as far as it is known */
	int is_named;	 /* the call instruction names the function */
	uint64_t calls;
	/* set by call_shares_make(); is_recursive: some of the calls were made by others of them */
	uint64_t instructions, mark;
	int is_recursive;
};

struct call_shares {
	struct shares_function *functions;
	size_t n_functions;
	struct shares_calls *list; /* each pair once */
	size_t n_list;
	struct shares_node *nodes;
	size_t n_nodes, size_nodes; /* the given nodes, followed by those that were added */
};

/* Sets the nodes' instructions, calls and marks, and adds nodes. Frees nothing. */
void call_shares_make(struct call_shares *shares);

#endif
