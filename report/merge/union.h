/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union.h - the result of a merge so far: modules, contributors, and one tree of all call paths.
 * The result does not depend on the order and grouping of what was added: it consists of sums of
 * integers, least and most values with the first of the contributors that have them, and sets in a
 * canonical order.
 *
 * Codes and targets are the union's own: of its modules in the order in which they were added.
 * union_write.c converts them to those of the file.
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

/* Times of an item that are summed. */
enum union_time {
	UNION_ELAPSED,
	UNION_OVERHEAD, /* three: enum overhead_estimate */
	UNION_AFTER = UNION_OVERHEAD + 3,
	UNION_AFTER_OVERHEAD,
	UNION_TIMES,
};

/* A target: index of the module + 1 in the high 16 bits, its link address below; 0: not known. */
#define UNION_TARGET(module, link) ((uint64_t)((module) + 1) << 48 | ((link)&UNION_LINK_MASK))
#define UNION_LINK_MASK ((1ull << 48) - 1)

struct union_callee {
	uint64_t string_address;
	uint64_t target;
};

/* Executions of segments of code: of single threads, or of several with shared counters
 * (segment_counts_are_shared()). */
enum union_counts { UNION_COUNTS, UNION_COUNTS_SHARED, UNION_COUNTS_KINDS };

struct union_module {
	char *bytes;	      /* struct cinstr_module and its data, as first seen */
	uint64_t identity[5]; /* build-id, or a hash of the tables and the path */
	const char *path;
	uint32_t code_base; /* in the union; 0: not instrumented */
	struct union_callee *callees;
	uint32_t n_callees;
	int is_counted;	  /* executions of its segments are counted in some process */
	int does_not_fit; /* some process's counters do not fit its table, or a sum exceeds 2^64 */
	size_t n_counters;
	uint64_t *counts[UNION_COUNTS_KINDS]; /* [n_counters]; NULL: none */
};

/* Identifies a node. parent is UNION_NONE for a FLAT item and for the root; an estimate has the bit
 * UNION_ESTIMATE in `kind`. */
#define UNION_ESTIMATE 32u
struct union_key {
	uint32_t parent, func, site, kind;
	uint64_t target;
};

struct union_node {
	struct merged_item item; /* owns its lists; members that are in the key are not used */
	uint32_t size_slots;
	struct merged_slot few[2]; /* item.slots, as long as these are enough, as for most nodes */
};

/* Values of a node in the current contributor. They are added at its end in one pass over the nodes
 * in memory order: there can be more nodes than fit into caches. */
struct union_now {
	uint32_t node;
	uint32_t is_cyclic;
	uint32_t slot; /* slot of slot_calls; UNION_NONE: none */
	uint64_t slot_calls, intervals;
	uint64_t values[CINSTR_MERGED_VALUES];
	uint64_t times[UNION_TIMES];
	uint64_t shortest[4], longest[4];
};

/* Index of a node's union_now; valid if `stamp` is current. */
struct union_mark {
	uint32_t stamp, now;
};

/* How the contributors share a function's own time (merged.h); codes and target are the union's. Of
 * several calls of a function without probes the first in the order of modules and codes stands for
 * it. */
struct union_function {
	struct merged_function known;
	uint32_t stamp; /* of the contributor at hand */
	wide now[MERGED_OWN_VALUES];
};

struct union_property {
	char *key, *value; /* value NULL: differs between files */
};

/* Values of headers that go into the file. */
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
	size_t n_lost_counts; /* counted modules that could not be identified */
	struct map strings;
	struct union_property *properties;
	size_t n_properties;
	struct union_header header;
	struct merged_totals totals;
	struct union_node **blocks; /* nodes, UNION_BLOCK in each block */
	struct union_key **keys;    /* keys, in the same blocks */
	size_t n_nodes;
	uint32_t *slots; /* hash table: node number + 1 */
	size_t n_slots;
	uint32_t last; /* node found last; the one after it is often next, as processes are alike */
	struct union_now *now;
	size_t n_now, size_now;
	struct union_mark *marks; /* by node */
	size_t n_marks;
	uint32_t stamp;
	uint64_t n_added; /* nodes added, for statistics */
	struct int_map counter_codes;
	struct merged_counter *counters; /* indexed by the code's number in counter_codes */
	size_t size_counters;
	struct map function_keys;
	struct union_function *functions;
	size_t n_functions, size_functions;
	uint32_t *function_of; /* by node: number + 1 of its function; 0: not looked for yet */
	size_t n_function_of;
	uint32_t *touched; /* functions of the contributor at hand */
	size_t n_touched, size_touched;
	int lacks_functions; /* a file that was added did not know them: none are written */
	struct map wait_keys;
	struct merged_wait *waits;
	size_t n_waits, size_waits;
	struct map moved_keys;
	struct merged_moved *moved; /* `item` is the node */
	size_t n_moved, size_moved;
	struct map tag_keys;
	struct merged_tag *tags; /* `cell` and `slow_cell`: of nodes */
	size_t n_tags, size_tags;
	struct names *wait_names; /* of waiting functions; NULL: none yet */
	struct profile *known;	  /* known calls of a process (union_mixed.c); NULL: none yet */
	/* Executed instructions on call paths (union_sums.c): nodes only; NULL: none yet. */
	struct union_tree *sums;
	uint32_t sums_flags; /* enum cinstr_call_sums_flag; UNKNOWN: not of all processes */
	/* The contributors compared last, and whether the first one precedes the second. */
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

/* Returns the number of the node with this key, adding it if needed; the root is 0. */
uint32_t union_find(struct union_tree *u, const struct union_key *key);
/* union_modules.c: adds a file's modules. Returns their numbers in the union, to be freed, or NULL
 * if there are too many modules or their codes exceed 32 bits. */
uint32_t *union_modules(struct union_tree *u, const struct modules *modules);
uint64_t union_target(const struct modules *modules, const uint32_t *numbers, uint64_t address);
/* Converts codes of a file. Initialise with modules and numbers; the other members are a cache. */
struct union_codes {
	const struct union_tree *u;
	const struct modules *modules;
	const uint32_t *numbers;
	/* The module found last: most codes are in the same one. */
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

/* union_add.c: add sums and the values of contributors. */
int union_contributor_compare(const struct merged_contributor *a, const struct merged_contributor *b);
uint32_t union_contributor(struct union_tree *u, const struct merged_contributor *c);
void union_extremes_add(struct merged_item *to, const uint64_t *shortest, const uint64_t *longest);
void union_item_add(struct union_tree *u, uint32_t node, const struct merged_item *item);
void union_slots_add(struct union_node *node, uint32_t slot, uint64_t n);
void union_bucket_add(struct merged_bucket **list, uint32_t *n, const struct merged_bucket *bucket);
void union_statistics_add(struct union_tree *u, struct merged_item *to, const struct merged_item *from,
			  const uint32_t *who);
/* union_mixed.c: add samples of an estimate; sums; counted calls of a function or site. */
void union_share_add(struct union_tree *u, uint32_t node, uint32_t owner, uint64_t n);
void union_mixed_add(struct union_tree *u, uint32_t node, const struct merged_mixed *from);
void union_counter_add(struct union_tree *u, uint32_t code, uint64_t n, uint64_t untimed);
void union_known_release(struct union_tree *u);
/* union_now.c: returns the index in u->now of the node's values in the current contributor. */
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
/* union_functions.c: returns the number of the function of a file's cell, adding it if needed, or
 * UNION_NONE if the cell is of no function. */
uint32_t union_function_of(struct union_tree *u, struct union_codes *codes, const struct cinstr_cell *cell);
/* Returns the same of a node of the union, of which it is looked for once. A source line has the
 * function of its parent. */
uint32_t union_function_of_node(struct union_tree *u, struct union_codes *codes,
				const struct cinstr_cell *cell, uint32_t node);
/* Adds to a function of the contributor at hand, which has it; times in units of 1 / 65536 ns. */
void union_function_now(struct union_tree *u, uint32_t function, wide elapsed, wide application, wide cpu);
void union_functions_end(struct union_tree *u, uint32_t contributor);
void union_functions_add_merged(struct union_tree *u, const struct merged *merged, struct union_codes *codes,
				const uint32_t *who);
void union_functions_release(struct union_tree *u);
void union_properties_add(struct union_tree *u, const struct data *data);
void union_header_add(struct union_tree *u, const struct data *data, uint64_t length_ns);

/* Adds a file. Returns NULL, or the reason why it cannot be added. */
const char *union_add_data(struct union_tree *u, struct data *data);
struct union_key union_merged_key(struct union_codes *codes, uint32_t parent, const struct merged_item *item);
/* union_process.c: adds the file of one process. Returns as union_add_data(). */
const char *union_add_process(struct union_tree *u, struct data *data);

/* union_segments.c: adds executions of segments of code. numbers: of the file's modules in the
 * union. */
void union_segments_add(struct union_tree *u, const struct data *data, const uint32_t *numbers);
/* Append the segments of the file: modules in this order and with these bases; counts of a kind.
 * union_segments_put_counts() returns whether there are any. */
void union_segments_put_modules(const struct union_tree *u, const uint32_t *order, const uint64_t *base,
				struct strbuf *out);
int union_segments_put_counts(const struct union_tree *u, const uint32_t *order, enum union_counts kind,
			      struct strbuf *out);

/* union_sums.c: add the trees of executed instructions of a process or of a merged file. */
void union_sums_add_process(struct union_tree *u, const struct data *data, struct union_codes *codes);
void union_sums_add_merged(struct union_tree *u, const struct data *data, struct union_codes *codes);
/* Returns the number of details that the nodes of such a tree have. */
uint64_t union_sums_details(const struct union_tree *sums);
void union_sums_release(struct union_tree *u);
/* Returns whether these trees are known of all processes that count instructions. */
static inline int union_has_sums(const struct union_tree *u)
{
	return u->sums && !(u->sums_flags & CINSTR_CALL_SUMS_UNKNOWN);
}

/* union_waits.c: add the waits of a process or of a merged file; append the file's segment with
 * codes converted by `code_of`. */
void union_waits_add_process(struct union_tree *u, const struct data *data, struct union_codes *codes);
void union_waits_add_merged(struct union_tree *u, const struct merged *merged, struct union_codes *codes);
void union_waits_put(const struct union_tree *u, uint32_t (*code_of)(const void *arg, uint32_t code),
		     const void *arg, struct strbuf *out);
void union_waits_release(struct union_tree *u);

/* union_moved.c: add what the calls of a node have read and written: one sum, or all of a cell;
 * append the file's segment. number: number in the file of each node. */
void union_moved_add(struct union_tree *u, const struct merged_moved *moved);
void union_moved_add_cell(struct union_tree *u, uint32_t node, const struct data *data,
			  const struct data_thread *thread, const struct cinstr_cell *cell,
			  long double units_per_tick);
void union_moved_put(const struct union_tree *u, const uint32_t *number, struct strbuf *out);
void union_moved_release(struct union_tree *u);

/* union_tags.c: adds the value of a tag, whose contributor is known; appends the file's segment.
 * number: number in the file of each node; who: of each contributor. */
void union_tag_add(struct union_tree *u, const struct merged_tag *tag);
void union_tags_put(const struct union_tree *u, const uint32_t *number, const uint32_t *who,
		    struct strbuf *out);
void union_tags_release(struct union_tree *u);

/* union_write.c: writes the file. Returns 0, or -1 with errno set. */
int union_write(struct union_tree *u, FILE *out);

#endif
