/* SPDX-License-Identifier: MIT */
/*
 * cinstr/merged.h - the payload of a MERGED segment: many processes as one tree (cinstr merge),
 * described in doc/format.md. Written by the command, read by the report.
 *
 *   struct cinstr_merged | totals | contributors | counters | nodes in preorder | FLAT items |
 *   functions
 *
 * After the head everything is either a varint (seven bits per byte, lowest first, bit 7 set in all
 * bytes but the last) or a string: its length, then its bytes. Times are in units of 1 / 65536 ns;
 * numbers may have up to 128 bits.
 */
#ifndef CINSTR_MERGED_H
#define CINSTR_MERGED_H

#include <stdint.h>

/* 2: all calls were timed; 3: some were counted, or have estimates by samples. */
#define CINSTR_MERGED_VERSION 2
#define CINSTR_MERGED_VERSION_COUNTED 3
#define CINSTR_MERGED_FRACTION 16 /* bits after the binary point of a nanosecond */

struct cinstr_merged {
	uint32_t version;
	uint32_t n_contributors; /* processes */
	uint32_t n_nodes, n_flats;
	uint64_t n_buckets; /* of all items */
	uint32_t n_totals;  /* numbers before the contributors */
	uint32_t reserved;
};

/* The numbers before the contributors: sums over all of them. */
#define CINSTR_MERGED_TOTALS(TOTAL) \
	TOTAL(threads) \
	TOTAL(events) \
	TOTAL(enters) \
	TOTAL(exits) \
	TOTAL(implicit_exits) \
	TOTAL(orphans) \
	TOTAL(lost_events) \
	TOTAL(voluntary) \
	TOTAL(involuntary) \
	TOTAL(kernel_voluntary) \
	TOTAL(kernel_involuntary) \
	TOTAL(merged_calls) \
	TOTAL(pauses) \
	TOTAL(repaired) \
	TOTAL(uncounted) \
	TOTAL(timeline_lost) \
	TOTAL(open_frames) \
	TOTAL(runtime)	   /* time: the runtime's own work */ \
	TOTAL(paused)	   /* time: recording was off */ \
	TOTAL(between)	   /* time: belongs to no thread */ \
	TOTAL(late)	   /* time that may have gone to a neighbouring interval */ \
	TOTAL(intervals)   /* number of intervals that `late` is the sum of */ \
	TOTAL(calls_least) /* processes that may have had more calls */ \
	TOTAL(no_sites)	   /* processes in which calls of some sites were neither timed nor counted */ \
	TOTAL(counted_functions) \
	TOTAL(counted_sites) \
	TOTAL(mixed)	    /* processes whose recording was to take samples */ \
	TOTAL(sampled)	    /* processes with samples that were joined */ \
	TOTAL(unsampled)    /* processes of a mixed recording without samples */ \
	TOTAL(self_sampled) /* processes whose threads took samples of themselves */ \
	TOTAL(self_refused) /* threads that could not take samples of themselves */ \
	TOTAL(samples_kept) /* from here on as in semantics.md, "What cannot be joined" */ \
	TOTAL(samples_joined) \
	TOTAL(samples_stubs) \
	TOTAL(samples_probes) \
	TOTAL(samples_runtime) \
	TOTAL(samples_truncated) \
	TOTAL(samples_no_thread) \
	TOTAL(samples_no_interval) \
	TOTAL(samples_out_of_time) \
	TOTAL(samples_lost) \
	TOTAL(tree_time)   /* time on the processor by intervals, where the kernel's is known */ \
	TOTAL(kernel_time) /* that time by the kernel's clock */

/* Numbers of each contributor: sums over its threads, times in ns. */
#define CINSTR_MERGED_OF_CONTRIBUTOR(NUMBER) \
	NUMBER(length) /* of its recording */ \
	NUMBER(threads) \
	NUMBER(calls) \
	NUMBER(elapsed) \
	NUMBER(application) \
	NUMBER(overhead) \
	NUMBER(off_cpu) \
	NUMBER(overhead_low) \
	NUMBER(overhead_high) \
	NUMBER(application_uncertainty) \
	NUMBER(mpi)	 /* elapsed in calls that wait for other ranks */ \
	NUMBER(mpi_busy) /* part of it on a processor */

/* Bits of an item: the counted calls are a lower bound in rows ... */
enum cinstr_merged_bound {
	CINSTR_MERGED_BOUND_FUNCTION = 1, /* of functions */
	CINSTR_MERGED_BOUND_CALLER = 2,	  /* of call sites and callers */
	CINSTR_MERGED_BOUND_PATH = 4,	  /* of call paths */
	CINSTR_MERGED_BOUND_MODULE = 8,	  /* of modules */
};

/* Values of an item by contributor: calls; inclusive and exclusive, elapsed and application time;
 * time on a processor. */
enum cinstr_merged_value {
	CINSTR_MERGED_CALLS,
	CINSTR_MERGED_EI,
	CINSTR_MERGED_EE,
	CINSTR_MERGED_AI,
	CINSTR_MERGED_AE,
	CINSTR_MERGED_CE, /* exclusive elapsed less time off the processor */
	CINSTR_MERGED_VALUES,
};

#endif
