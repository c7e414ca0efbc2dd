/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union.h - what has been merged so far: modules, contributors, and one tree of all call paths.
 * What comes out is the same whatever the order and grouping of what was added: sums of integers,
 * the least and the most with the first contributor of those who have it, sets in an order of their
 * own.
 *
 * Codes and targets in it are its own: of the union's modules in the order in which they were seen;
 * union_write.c gives those of the file.
 */
#ifndef REPORT_MERGE_UNION_H
#define REPORT_MERGE_UNION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "file/data.h"
#include "file/merged.h"
#include "lib/int_map.h"
#include "lib/util.h"

struct names;
struct profile;

#define UNION_NONE UINT32_MAX

/* The times of an item that only add up. */
enum union_time {
	UNION_ELAPSED,
	UNION_OVERHEAD, /* three: enum overhead_estimate */
	UNION_AFTER = UNION_OVERHEAD + 3,
	UNION_AFTER_OVERHEAD,
	UNION_TIMES,
};

/* A target: number of the module + 1 in the high 16 bits, its link address below; 0: not known. */
#define UNION_TARGET(module, link) ((uint64_t)((module) + 1) << 48 | ((link)&UNION_LINK_MASK))
#define UNION_LINK_MASK ((1ull << 48) - 1)

struct union_callee {
	uint64_t string_address;
	uint64_t target;
};

/* Executions of segments of code: of threads, each by itself; and of several together, which shared
 * counters (segment_counts_are_shared()). */
enum union_counts { UNION_COUNTS, UNION_COUNTS_SHARED, UNION_COUNTS_KINDS };

struct union_module {
	char *bytes;	      /* struct cinstr_module and what belongs to it, as first seen */
	uint64_t identity[5]; /* build-id, or a hash of the tables and the path */
	const char *path;
	uint32_t code_base; /* in the union; 0: not instrumented */
	struct union_callee *callees;
	uint32_t n_callees;
	int is_counted;	  /* executions of its segments are, in some process */
	int does_not_fit; /* to its table, in some process; or they are more than 2^64 */
	size_t n_counters;
	uint64_t *counts[UNION_COUNTS_KINDS]; /* [n_counters]; NULL: there are none */
};

/* Tells a node from all others. parent is UNION_NONE for a FLAT item and for the root; kind has the
 * bit UNION_ESTIMATE for an estimate. */
#define UNION_ESTIMATE 32u
struct union_key {
	uint32_t parent, func, site, kind;
	uint64_t target;
};

struct union_node {
	struct merged_item item; /* its lists are its own; what its key says is not used */
	uint32_t size_slots;
};

/*
 * What the contributor at hand has of a node. It is added when that ends, in one pass over the
 * nodes as they lie in memory: there can be more of them than caches hold.
 */
struct union_now {
	uint32_t node;
	uint32_t is_cyclic;
	uint32_t slot; /* of slot_calls; UNION_NONE: none */
	uint64_t slot_calls, intervals;
	uint64_t values[CINSTR_MERGED_VALUES];
	uint64_t times[UNION_TIMES];
	uint64_t shortest[4], longest[4];
};

/* Where that is, by node. */
struct union_mark {
	uint32_t stamp, now;
};

struct union_property {
	char *key, *value; /* value NULL: not the same in all */
};

/* The parts of a header that go into the file. */
struct union_header {
	uint64_t begin_realtime_ns, end_realtime_ns, threshold_ns, attach_ns;
	uint64_t lost_events, lost_threads, marks_lost;
	uint32_t probes, restartable, streams, is_calibrated, end, stop, stop_errno, switches, self_errno;
	int32_t end_status;
};

struct union_tree {
	struct map module_keys;
	struct union_module *modules;
	size_t n_modules, size_modules;
	uint32_t next_code;
	struct merged_contributor *contributors;
	size_t n_contributors, size_contributors;
	size_t n_lost_counts; /* counted modules of which it is not known which ones they are */
	struct map strings;
	struct union_property *properties;
	size_t n_properties;
	struct union_header header;
	struct merged_totals totals;
	struct union_node **blocks; /* of nodes, of UNION_BLOCK each */
	struct union_key **keys;    /* likewise */
	size_t n_nodes;
	uint32_t *slots; /* hash table of node numbers + 1 */
	size_t n_slots;
	uint32_t last; /* found: the one behind it is often the next, as processes are alike */
	struct union_now *now;
	size_t n_now, size_now;
	struct union_mark *marks; /* by node */
	size_t n_marks;
	uint32_t stamp;
	uint64_t n_added; /* nodes that were added, for figures */
	struct int_map counter_codes;
	struct merged_counter *counters; /* by number of the code */
	size_t size_counters;
	struct map wait_keys;
	struct merged_wait *waits;
	size_t n_waits, size_waits;
	struct names *wait_names; /* of the functions that wait; NULL: none */
	struct profile *known;	  /* of the calls of a process (union_mixed.c); NULL */
	/* contributors that were compared last, and whether the first one comes first */
	uint32_t compared[2];
	int is_first;
};

#define UNION_BLOCK 1024u
static inline struct union_node *union_node(const struct union_tree *u, size_t number)
{
	return &u->blocks[number / UNION_BLOCK][number % UNION_BLOCK];
}

static inline struct union_key *union_key(const struct union_tree *u, size_t number)
{
	return &u->keys[number / UNION_BLOCK][number % UNION_BLOCK];
}

void union_init(struct union_tree *u);
void union_release(struct union_tree *u);

/* Number of the node that is what the key says; the root is 0. */
uint32_t union_find(struct union_tree *u, const struct union_key *key);
/* union_modules.c: modules of a file: their numbers in the union, to be freed. NULL: too much text
 * for 32 bits of codes, or too many modules. */
uint32_t *union_modules(struct union_tree *u, const struct modules *modules);
uint64_t union_target(const struct modules *modules, const uint32_t *numbers, uint64_t address);
/* Codes of a file. Begin with the modules and numbers alone. */
struct union_codes {
	const struct union_tree *u;
	const struct modules *modules;
	const uint32_t *numbers;
	/* the module that was found last: most codes are in the same one */
	uint32_t first, bytes, to;
};
uint32_t union_code_found(struct union_codes *codes, uint32_t code);
static inline uint32_t union_code(struct union_codes *codes, uint32_t code)
{
	if (code - codes->first < codes->bytes)
		return code - codes->first + codes->to;
	return union_code_found(codes, code);
}
int union_module_compare(const struct union_module *a, const struct union_module *b);

/* union_add.c: sums; the values of contributors. */
int union_contributor_compare(const struct merged_contributor *a, const struct merged_contributor *b);
uint32_t union_contributor(struct union_tree *u, const struct merged_contributor *c);
void union_extremes_add(struct merged_item *to, const uint64_t *shortest, const uint64_t *longest);
void union_item_add(struct union_tree *u, uint32_t node, const struct merged_item *item);
void union_slots_add(struct union_node *node, uint32_t slot, uint64_t n);
void union_bucket_add(struct merged_bucket **list, uint32_t *n, const struct merged_bucket *bucket);
void union_statistics_add(struct union_tree *u, struct merged_item *to, const struct merged_item *from,
			  const uint32_t *who);
/* union_mixed.c: samples of an estimate; sums; calls of a function or site. */
void union_share_add(struct union_tree *u, uint32_t node, uint32_t owner, uint64_t n);
void union_mixed_add(struct union_tree *u, uint32_t node, const struct merged_mixed *from);
void union_counter_add(struct union_tree *u, uint32_t code, uint64_t n, uint64_t untimed);
void union_known_release(struct union_tree *u);
/* union_now.c: number in u->now of what the contributor at hand has of the node. */
uint32_t union_now(struct union_tree *u, uint32_t node);
void union_time_add(struct union_tree *u, uint32_t node, unsigned time, wide n);
#define UNION_TIME_LARGE (1ull << 62)
static inline void union_now_time(struct union_tree *u, struct union_now *now, unsigned time, wide n)
{
	if (n < UNION_TIME_LARGE && now->times[time] < UNION_TIME_LARGE)
		now->times[time] += (uint64_t)n;
	else
		union_time_add(u, now->node, time, n);
}
void union_contributor_end(struct union_tree *u, uint32_t contributor);
void union_properties_add(struct union_tree *u, const struct data *data);
void union_header_add(struct union_tree *u, const struct data *data, uint64_t length_ns);

/* Adds a file's content. NULL, or why it cannot be. */
const char *union_add_data(struct union_tree *u, struct data *data);
/* union_process.c: of one process. */
const char *union_add_process(struct union_tree *u, struct data *data);

/* union_segments.c: executions of segments of code; numbers: of the file's modules in the union. */
void union_segments_add(struct union_tree *u, const struct data *data, const uint32_t *numbers);
/* Their segments of the file: modules, in that order and placed there; counts of a kind. Returns
 * whether there are such counts. */
void union_segments_put_modules(const struct union_tree *u, const uint32_t *order, const uint64_t *base,
				struct strbuf *out);
int union_segments_put_counts(const struct union_tree *u, const uint32_t *order, enum union_counts kind,
			      struct strbuf *out);

/* union_waits.c: what was waited for, of a process and of what was merged; the file's segment,
 * with codes as `code_of` says. */
void union_waits_add_process(struct union_tree *u, const struct data *data, struct union_codes *codes);
void union_waits_add_merged(struct union_tree *u, const struct merged *merged, struct union_codes *codes);
void union_waits_put(const struct union_tree *u, uint32_t (*code_of)(const void *arg, uint32_t code),
		     const void *arg, struct strbuf *out);
void union_waits_release(struct union_tree *u);

/* union_write.c: 0, or -1: errno. */
int union_write(struct union_tree *u, FILE *out);

#endif
