/* SPDX-License-Identifier: MIT */
/*
 * cinstr/os_events.h - the table of OS events that an interval can have (semantics R11): their bits
 * in data files, the kernel's counters that the runtime reads, the words of --os-events, the
 * columns of tables.
 *
 *   EVENT(x, id, number of the bit, by default, source, word, how it is counted, column, heading,
 *         what it means, what it means in the function alone)
 *
 * x            passed on to EVENT by the user of the table
 * by default   COUNTS: Application time leaves out such intervals by default; else IGNORED
 * source       KERNEL(member of struct cinstr_counters, member of struct rusage); CALL: seen at
 *              the call itself
 * how          SWITCHES, INTERVALS that had at least one, or CALLS
 * column       takes the suffixes _inclusive and _exclusive
 *
 * Sorted by column, which scripts may rely on: add a new kind at the end, with a new number. Not
 * generated from here: help of --os-events (report/view/view.h), doc/format.md, doc/columns.md,
 * which tests compare; semantics.md R11; the decoder in testsuite/format.
 */
#ifndef CINSTR_OS_EVENTS_H
#define CINSTR_OS_EVENTS_H

#define CINSTR_OS_EVENTS(EVENT, x) \
	EVENT(x, VOLUNTARY, 0, COUNTS, KERNEL(voluntary, ru_nvcsw), "voluntary", SWITCHES, \
	      "voluntary_switches", "voluntary", "it waited: context switches in it and what it called", \
	      "in it alone") \
	EVENT(x, INVOLUNTARY, 1, COUNTS, KERNEL(involuntary, ru_nivcsw), "involuntary", SWITCHES, \
	      "involuntary_switches", "involuntary", "another thread got the processor", "in it alone") \
	EVENT(x, MAJOR_FAULT, 2, COUNTS, KERNEL(major_faults, ru_majflt), "major-fault", INTERVALS, \
	      "major_fault_intervals", "page-in", "intervals in which a page was read in from a disk", \
	      "in it alone") \
	EVENT(x, BLOCK_IN, 3, COUNTS, KERNEL(block_in, ru_inblock), "block-in", INTERVALS, \
	      "block_input_intervals", "block in", "intervals in which a disk was read", "in it alone") \
	EVENT(x, BLOCK_OUT, 4, COUNTS, KERNEL(block_out, ru_oublock), "block-out", INTERVALS, \
	      "block_output_intervals", "block out", "intervals in which was written for a disk", \
	      "in it alone") \
	EVENT(x, MINOR_FAULT, 6, IGNORED, KERNEL(minor_faults, ru_minflt), "minor-fault", INTERVALS, \
	      "minor_fault_intervals", "minor fault", \
	      "intervals in which a page was found in memory or made", "in it alone") \
	EVENT(x, SYSCALL, 5, COUNTS, CALL, "syscall", CALLS, "system_calls", "", \
	      "calls of known system-call wrappers (read, poll, ...), and of stdio that entered the kernel", \
	      "in it alone: of the wrapper itself")

/*
 * Bits of an interval. CINSTR_OS_SYSCALL: the callee, one that enters the kernel at times, did so;
 * for callees that always do, the report knows it from the call site.
 */
enum cinstr_os_bit {
#define CINSTR_OS_BIT(x, id, number, ...) CINSTR_OS_##id = 1 << (number),
	CINSTR_OS_EVENTS(CINSTR_OS_BIT, )
#undef CINSTR_OS_BIT
};

#define CINSTR_OS_OR(x, id, ...) | CINSTR_OS_##id
#define CINSTR_OS_ALL (0u CINSTR_OS_EVENTS(CINSTR_OS_OR, ))

/* No two have the same number: the bits together are their sum. */
#define CINSTR_OS_PLUS(x, id, ...) +CINSTR_OS_##id
enum { CINSTR_OS_NUMBERS_DIFFER = 1 / ((0u CINSTR_OS_EVENTS(CINSTR_OS_PLUS, )) == CINSTR_OS_ALL) };

/* Events whose intervals Application time leaves out by default. */
#define CINSTR_OS_COUNTS(bit) | (bit)
#define CINSTR_OS_IGNORED(bit)
#define CINSTR_OS_OR_DEFAULT(x, id, number, by_default, ...) CINSTR_OS_##by_default(CINSTR_OS_##id)
#define CINSTR_OS_DEFAULT_MASK (0u CINSTR_OS_EVENTS(CINSTR_OS_OR_DEFAULT, ))

#endif
