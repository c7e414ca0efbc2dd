/* SPDX-License-Identifier: MIT */
/*
 * cinstr/merged.h - the payload of a MERGED segment: many processes as one tree (cinstr merge),
 * described in doc/format.md. Written by the command, read by the report.
 *
 *   struct cinstr_merged | contributors | nodes in preorder | FLAT items | end
 *
 * Behind the head everything is a number with seven bits in each byte, the lowest first, bit 7 set
 * in all bytes but the last; or a string: its length, then its bytes. Times are in units of
 * 1 / 65536 ns; numbers may have up to 128 bits.
 */
#ifndef CINSTR_MERGED_H
#define CINSTR_MERGED_H

#include <stdint.h>

#define CINSTR_MERGED_VERSION 2
#define CINSTR_MERGED_FRACTION 16 /* bits behind the binary point of a nanosecond */

struct cinstr_merged {
	uint32_t version;
	uint32_t n_contributors; /* processes */
	uint32_t n_nodes, n_flats;
	uint64_t n_buckets; /* of all items */
	uint32_t n_totals;  /* numbers that stand before the contributors */
	uint32_t reserved;
};

/* The numbers that stand before the contributors: sums over all of them. */
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
	TOTAL(runtime)	 /* time: the runtime's own work */ \
	TOTAL(paused)	 /* time: recording was off */ \
	TOTAL(between)	 /* time: nobody's */ \
	TOTAL(late)	 /* time that may have gone to a neighbouring interval */ \
	TOTAL(intervals) /* of which that is the sum */

/* Of each contributor, sums over its threads: times in ns. */
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
	NUMBER(mpi_busy) /* of that on a processor */

/* What is known of an item by contributor. Inclusive and exclusive, elapsed and application;
 * time on a processor. */
enum cinstr_merged_value {
	CINSTR_MERGED_CALLS,
	CINSTR_MERGED_EI,
	CINSTR_MERGED_EE,
	CINSTR_MERGED_AI,
	CINSTR_MERGED_AE,
	CINSTR_MERGED_CE, /* exclusive elapsed less what was off the processor */
	CINSTR_MERGED_VALUES,
};

#endif
