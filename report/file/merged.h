/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged.h - many processes as one data file (cinstr/merged.h), read: the tree is that of one
 * thread, made in memory; what only a merged tree knows of a node is found by its cell.
 */
#ifndef REPORT_FILE_MERGED_H
#define REPORT_FILE_MERGED_H

#include <stdint.h>

#include "cinstr/format.h"
#include "cinstr/merged.h"
#include "lib/varint.h"

struct data;

/* A process that is in it. */
struct merged_contributor {
	const char *host, *job, *program;
	uint32_t rank_after; /* + 1; 0: none */
	uint32_t pid;
	uint64_t start_realtime_ns;
#define OF_CONTRIBUTOR(name) uint64_t name;
	CINSTR_MERGED_OF_CONTRIBUTOR(OF_CONTRIBUTOR)
#undef OF_CONTRIBUTOR
	uint32_t are_calls_least; /* there may have been more */
};

/* One value of an item over its contributors, in ns (calls: a number). */
struct merged_statistic {
	wide squares;
	uint64_t least, most;
	uint32_t who_least, who_most; /* contributors */
};

struct merged_bucket {
	uint32_t bits;
	uint64_t intervals, voluntary, involuntary;
	wide ticks, off_cpu;
};

struct merged_slot {
	uint32_t slot;
	uint64_t n;
};

/* Samples that an estimate has of the time of a node. */
struct merged_share {
	uint32_t owner; /* number of that node */
	uint64_t n;
};

/* Holds what an item has besides, if its calls were counted, or samples divided its time
 * (file/mixed.h). */
struct merged_mixed {
	/* calls that counters have as well; of these, those of which no time is known */
	uint64_t counted, untimed;
	/* of a timed node: struct mixed_pool, sums over processes and threads; spread: sum of
	 * ticks^2 / (n + 4), ticks in units of 1 / 2^MERGED_SPREAD_FRACTION ns */
	uint64_t n, own, stubs;
	wide ticks, stub_ticks, spread;
	wide on_cpu, kept; /* struct mixed_cell */
	/* of an estimate: by owner */
	struct merged_share *shares;
	uint32_t n_shares;
};
#define MERGED_SPREAD_FRACTION 8

/* A node, or a FLAT item. Times in units of 1 / 65536 ns. */
struct merged_item {
	uint32_t up;	     /* levels that it is above the child of the item before */
	uint32_t kind;	     /* enum cinstr_cell_kind */
	uint32_t is_cyclic;  /* CINSTR_CELL_CYCLIC */
	uint32_t site, func; /* codes */
	uint8_t bounds;	     /* enum cinstr_merged_bound */
	uint8_t is_estimate; /* of samples (file/mixed.h) */
	uint8_t has_mixed;   /* `mixed` is there */
	uint64_t target;     /* address; 0: none */
	uint64_t calls, open, intervals;
	wide elapsed, overhead[3]; /* exclusive; enum overhead_estimate */
	/* of its caller's own time and overhead: what began with the return of its calls (R14) */
	wide after, after_overhead;
	/* inclusive, exclusive elapsed time, the same of application: of calls that forked children
	 * go on with */
	wide inherited[4];
	uint8_t has_inherited;
	wide flat_ticks; /* FLAT */
	uint64_t flat_calls;
	uint64_t shortest[4], longest[4]; /* enum value_kind; shortest > longest: not known */
	uint32_t n_contributors;
	struct merged_statistic of[CINSTR_MERGED_VALUES];
	struct merged_bucket *buckets, *after_buckets; /* by bits; the second: of `after` */
	struct merged_slot *slots;		       /* durations, by slot */
	uint32_t n_buckets, n_after_buckets, n_slots;
	struct merged_mixed *mixed; /* NULL: nothing of this */
};

/* Holds how often a function, or the call at a site, was counted in all processes. */
struct merged_counter {
	uint32_t code;
	uint64_t n;
	uint64_t untimed; /* in processes without samples */
};

/* Waits for objects, of all processes: the strings are those of the file. */
struct merged_wait {
	uint32_t kind;		/* enum cinstr_object_kind */
	uint32_t known;		/* enum wait_known (rows/wait_facts.h) */
	uint32_t waiter, giver; /* codes of the calls' sleds; 0: not known */
	/* the variable's name and module, ""; of whom only the thread is known, what that is
	 * called, or "" */
	const char *object, *module, *thread;
	uint64_t n_objects; /* that are counted here: each with one row of its process */
	uint64_t waits;
	wide time, longest;
};

struct merged {
	const struct cinstr_merged *head;
	struct merged_totals {
#define MERGED_TOTAL(name) wide name;
		CINSTR_MERGED_TOTALS(MERGED_TOTAL)
#undef MERGED_TOTAL
	} totals;
	struct merged_contributor *contributors;
	const unsigned char *items_at, *items_end; /* opened is_to_merge: the items in the file */
	struct merged_item *items;		   /* else: nodes, then FLAT items */
	struct cinstr_cell *cells;		   /* of the items, and one behind another */
	size_t n_items;
	int shift; /* a tick is 1 / 2^shift ns */
	struct merged_bucket *buckets;
	struct merged_slot *slots;
	struct merged_mixed *mixed;
	struct merged_share *shares;
	struct merged_counter *counters; /* by code */
	uint32_t n_counters;
	struct merged_wait *waits;
	size_t n_waits;
	char *strings;
};

/* Reads the MERGED segment, if there is one, and makes the thread. */
void merged_build(struct data *data);
void merged_release(struct data *data);
/* merged_mixed.c: thread->mixed and data->counters, if there is anything of these. */
void merged_mixed_make(struct data *data);
/* merged_waits.c: merged->waits; one as it stands in the file. */
void merged_waits_read(struct data *data);
void merged_put_wait(struct strbuf *out, const struct merged_wait *wait);
/* Bytes of room that its cells need. */
uint64_t merged_room(const struct data *data);

/* Of a cell of its tree; NULL: it is none, or the file is not merged. */
const struct merged_item *merged_item_of(const struct merged *merged, const struct cinstr_cell *cell);
/* In the file's ticks. */
static inline uint64_t merged_ticks(const struct merged *merged, wide time)
{
	wide ticks = time >> (CINSTR_MERGED_FRACTION - merged->shift);

	return ticks < UINT64_MAX / 4 ? (uint64_t)ticks : UINT64_MAX / 4;
}

/* Reads and writes an item; merged_code.c. The lists of an item that was read are the reader's. */
struct merged_reader {
	struct varint_reader in;
	struct merged_bucket *buckets;
	struct merged_slot *slots;
	struct merged_mixed *mixed;
	struct merged_share *shares;
	size_t n_buckets, size_buckets, n_slots, size_slots, n_mixed, size_mixed, n_shares, size_shares;
};
static inline int merged_item_is_flat(const struct merged_item *item)
{
	return item->kind == CINSTR_CELL_FLAT_FRAME || item->kind == CINSTR_CELL_FLAT_CALL;
}
void merged_get_item(struct merged_reader *reader, struct merged_item *item);
void merged_put_item(struct strbuf *out, const struct merged_item *item);

#endif
