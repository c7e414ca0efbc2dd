/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged.h - reads many processes in one data file (cinstr/merged.h). The tree is that of one
 * thread, made in memory; further values of a merged node are found by its cell.
 */
#ifndef REPORT_FILE_MERGED_H
#define REPORT_FILE_MERGED_H

#include <stdint.h>

#include "cinstr/format.h"
#include "cinstr/merged.h"
#include "lib/varint.h"

struct data;

/* The name of the one thread that a merged file has. */
#define MERGED_THREADS "all threads"

/* A process in the merged file. */
struct merged_contributor {
	const char *host, *job, *program;
	uint32_t rank_after; /* rank + 1; 0: none */
	uint32_t pid;
	uint64_t start_realtime_ns;
#define OF_CONTRIBUTOR(name) uint64_t name;
	CINSTR_MERGED_OF_CONTRIBUTOR(OF_CONTRIBUTOR)
#undef OF_CONTRIBUTOR
	uint32_t are_calls_least; /* there may have been more calls */
};

/* One value of an item over its contributors, in ns; of calls, a number. */
struct merged_statistic {
	wide squares __attribute__((packed, aligned(8))); /* without gaps: there are millions */
	uint64_t least, most;
	uint32_t who_least, who_most; /* indices of contributors */
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

/* Samples by which the time of another node is attributed to an estimate. */
struct merged_share {
	uint32_t owner; /* index of that node */
	uint64_t n;
};

/* Further values of an item whose calls were counted, or whose time was divided by samples
 * (file/mixed.h). */
struct merged_mixed {
	/* Calls that were counted; those of them whose time is not known. */
	uint64_t counted, untimed;
	/* For a timed node: struct mixed_pool, summed over processes and threads; spread: sum of
	 * ticks^2 / (n + 4), ticks in units of 1 / 2^MERGED_SPREAD_FRACTION ns. */
	uint64_t n, own, stubs;
	wide ticks, stub_ticks, spread;
	wide on_cpu, kept; /* struct mixed_cell */
	/* For an estimate: sorted by owner. */
	struct merged_share *shares;
	uint32_t n_shares;
};
#define MERGED_SPREAD_FRACTION 8

/* A node, or a FLAT item. Times in units of 1 / 65536 ns. */
struct merged_item {
	uint32_t up;	     /* its parent is this many levels above the item before */
	uint32_t kind;	     /* enum cinstr_cell_kind */
	uint32_t is_cyclic;  /* CINSTR_CELL_CYCLIC */
	uint32_t site, func; /* codes */
	uint8_t bounds;	     /* enum cinstr_merged_bound */
	uint8_t is_estimate; /* from samples (file/mixed.h) */
	uint8_t has_mixed;   /* `mixed` is valid */
	uint64_t target;     /* address of an indirect callee; 0: none */
	uint64_t calls, open, intervals;
	wide elapsed, overhead[3]; /* exclusive; indexed by enum overhead_estimate */
	/* Parts of its caller's exclusive time and overhead: in intervals that began with the
	 * return of its calls (R14). */
	wide after, after_overhead;
	/* Inclusive and exclusive elapsed time, and the same of application time, of calls that
	 * forked children continued. */
	wide inherited[4];
	uint8_t has_inherited;
	wide flat_ticks; /* of FLAT items */
	uint64_t flat_calls;
	/* indexed by enum value_kind; shortest > longest: not known */
	uint64_t shortest[4], longest[4];
	uint32_t n_contributors;
	struct merged_statistic of[CINSTR_MERGED_VALUES];
	/* sorted by bits; after_buckets: of `after` */
	struct merged_bucket *buckets, *after_buckets;
	struct merged_slot *slots; /* durations, sorted by slot */
	uint32_t n_buckets, n_after_buckets, n_slots;
	struct merged_mixed *mixed; /* NULL: none */
};

/* How often a function, or the call at a site, was counted in all processes. */
struct merged_counter {
	uint32_t code;
	uint64_t n;
	uint64_t untimed; /* those in processes without samples */
};

/* Values of a function that merged files keep by contributor. */
enum merged_own_value { MERGED_OWN_EE, MERGED_OWN_AE, MERGED_OWN_CE, MERGED_OWN_VALUES };
#define MERGED_OWN_FRACTION 8 /* bits after the binary point of their nanoseconds */

/* How the contributors share a function's own time, wherever it was called. A cell of it tells
 * which function it is: `kind` is FLAT_FRAME (`func`) or FLAT_CALL (`target` or `site`). */
struct merged_function {
	uint32_t kind, site, func;
	uint64_t target;
	uint32_t n_contributors; /* those that have the function; 0: none, so nothing is known */
	struct merged_statistic of[MERGED_OWN_VALUES];
};

/* Waits for objects in all processes. The strings are owned by the file's data. */
struct merged_wait {
	uint32_t kind;		/* enum cinstr_object_kind */
	uint32_t known;		/* enum wait_known (rows/wait_facts.h) */
	uint32_t is_unlike;	/* 1: as certain as wait_is_exact() says it is not */
	uint32_t readers;	/* that had a read-write lock, at most; 0: not known */
	uint32_t waiter, giver; /* codes of the calls' sleds; 0: not known */
	/* Name and module of the variable, or ""; name of the giving thread if only that is known,
	 * or "". */
	const char *object, *module, *thread;
	uint64_t n_objects; /* number of objects, each with a row in its process */
	uint64_t waits;
	wide time, longest;
};

/* Bytes and calls by which an item has used a file, in all processes together. The string is
 * owned by the file's data. */
struct merged_moved {
	uint32_t item;	    /* number of the item in the file; in a union: of its node */
	uint32_t kind;	    /* enum cinstr_amount_kind */
	uint32_t is_others; /* 1: files that there was no room for */
	const char *file;   /* "": not known */
	uint64_t calls, failed, bytes, largest;
	wide time;
};

/* The periods of one value of a tag in all processes (cinstr/tags.h). The string is owned by the
 * file's data. */
struct merged_tag {
	const char *name;   /* "": one of several that there was no room for */
	uint32_t is_others; /* 1: all values that threads did not keep apart */
	uint32_t is_open;   /* 1: a period had not ended */
	int64_t id;
	uint64_t times;
	wide time, waiting, longest;
	/* tell where the longest period began, and where it waited longest: numbers + 1 of items
	 * (in a union, of nodes), 0: none; and its contributor's index */
	uint32_t cell, slow_cell, who;
};

struct merged {
	const struct cinstr_merged *head;
	struct merged_totals {
#define MERGED_TOTAL(name) wide name;
		CINSTR_MERGED_TOTALS(MERGED_TOTAL)
#undef MERGED_TOTAL
	} totals;
	struct merged_contributor *contributors;
	/* The items (nodes, then FLAT items) if there are few of them; otherwise NULL, and they are
	 * decoded where they are asked for. */
	struct merged_item *items;
	const unsigned char *items_at, *items_end; /* encoded, unless there are few */
	const unsigned char **item_at;		   /* where each begins, or NULL (is_to_merge) */
	struct merged_items *last;		   /* the one that was asked for last */
	struct cinstr_cell *cells;		   /* of the items, and one more at the end */
	size_t n_items;
	int shift; /* a tick is 1 / 2^shift ns */
	struct merged_bucket *buckets;
	struct merged_slot *slots;
	struct merged_mixed *mixed;
	struct merged_share *shares;
	struct merged_counter *counters; /* sorted by code */
	uint32_t n_counters;
	struct merged_function *functions;
	uint32_t n_functions;
	int has_functions; /* not of files that older versions have written */
	struct merged_wait *waits;
	size_t n_waits;
	struct merged_moved *moved; /* sorted by item */
	size_t n_moved;
	struct merged_tag *tags;
	size_t n_tags;
	char *strings;
	/* Executed instructions in place of time (merged_sums.c): head, items_at and items_end;
	 * NULL: the file has none. */
	struct merged *sums;
	uint32_t sums_flags; /* enum cinstr_call_sums_flag */
};

/* Reads the MERGED segment, if there is one, and makes the thread. */
void merged_build(struct data *data);
void merged_release(struct data *data);
/* merged_mixed.c: makes thread->mixed and data->counters, if the file has any. */
void merged_mixed_make(struct data *data);
/* merged_functions.c: reads merged->functions from behind the items; appends the functions to a
 * file; makes a cell of the function. */
void merged_functions_get(struct merged *merged, struct varint_reader *in);
void merged_put_functions(struct strbuf *out, const struct merged_function *list, size_t n);
struct cinstr_cell merged_function_cell(const struct merged_function *function);
/* Reads the file's records of a segment type by `get`, which appends one record to its list unless
 * that sets in->is_bad. Returns 0, or -1 after a message that says `damage`. */
int merged_each_record(struct data *data, uint32_t type,
		       void (*get)(struct merged *merged, struct varint_reader *in), const char *damage);
/* Returns a string of the file; sets in->is_bad and returns "" if its end is missing. */
const char *merged_get_text(struct varint_reader *in);
/* Appends a string in the encoding that merged_get_text() reads. */
void merged_put_text(struct strbuf *out, const char *text);
/* merged_waits.c: read merged->waits; append one wait in the file's encoding. */
void merged_waits_read(struct data *data);
void merged_put_wait(struct strbuf *out, const struct merged_wait *wait);
/* merged_moved.c: read merged->moved, and make the thread's; append one in the file's encoding. */
void merged_moved_read(struct data *data);
void merged_put_moved(struct strbuf *out, const struct merged_moved *moved);
/* merged_tags.c: reads merged->tags, and makes the thread's; appends one in the file's encoding. */
void merged_tags_read(struct data *data);
void merged_put_tag(struct strbuf *out, const struct merged_tag *tag);
/* Returns the name with this place among those of merged->moved and merged->tags, or NULL. */
const char *merged_name(const struct merged *merged, uint32_t place);
/* Returns the bytes of memory that its cells need. */
uint64_t merged_room(const struct data *data);
/* merged_sums.c: reads the MERGED_SUMS segment, if there is one, and makes the thread's tree of
 * executed instructions; returns the bytes of memory that this tree's cells need; returns the
 * number of cells that an item's durations need. */
void merged_sums_build(struct data *data);
uint64_t merged_sums_room(const struct data *data);
uint32_t merged_sums_details(const struct merged_slot *slots, uint32_t n_slots);

/* Returns the item of a cell of its tree, or NULL for any other cell or if the file is not
 * merged. Valid until another item of the file is asked for. */
const struct merged_item *merged_item_of(const struct merged *merged, const struct cinstr_cell *cell);
/* The same; without extremes, statistics, buckets and slots, which take most time to decode. */
const struct merged_item *merged_head_of(const struct merged *merged, const struct cinstr_cell *cell);
/* Converts to the file's ticks. */
static inline uint64_t merged_ticks(const struct merged *merged, wide time)
{
	wide ticks = time >> (CINSTR_MERGED_FRACTION - merged->shift);

	return ticks < UINT64_MAX / 4 ? (uint64_t)ticks : UINT64_MAX / 4;
}

/* merged_code.c: read and write items. The reader owns the lists of an item that was read. */
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
/* The two parts of an item: the rest begins with its extremes. */
void merged_get_head(struct merged_reader *reader, struct merged_item *item);
void merged_get_rest(struct merged_reader *reader, struct merged_item *item);
void merged_put_item(struct strbuf *out, const struct merged_item *item);

#endif
