/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tape.h - records of a thread as a test wants them, and as timelines in a maker's file. Stamps
 * count from the thread's first. */
#ifndef UNIT_TAPE_H
#define UNIT_TAPE_H

#include "maker.h"

#define TAPE_BEGIN 1000000ull /* a maker's first stamp */
#define TAPE_RECORDS 64

struct tape {
	struct cinstr_record records[TAPE_RECORDS];
	size_t n;
	uint64_t last;
};

/* Each stamp in turn; the first is START's. */
void tape_special(struct tape *tape, uint64_t at, uint32_t type, uint32_t argument, uint64_t value);
void tape_enter(struct tape *tape, uint64_t at, enum maker_site enter, uint32_t sp);
/* A call of a function with probes, and its return. */
void tape_call(struct tape *tape, uint64_t at, enum maker_site site, enum maker_site enter, uint32_t sp);
void tape_return(struct tape *tape, uint64_t at, enum maker_site exit, uint32_t sp);
void tape_exit(struct tape *tape, uint64_t at, enum maker_site exit);
/* A call whose enter stands alone, behind some of the recording's own work from `at` to `end`. */
void tape_split_call(struct tape *tape, uint64_t at, uint64_t end, enum maker_site site,
		     enum maker_site enter, uint32_t sp);
/* The enter of the call that a tape_before() announced, alone. */
void tape_late_enter(struct tape *tape, uint64_t at, enum maker_site enter, uint32_t sp);
/* Of one without. */
void tape_before(struct tape *tape, uint64_t at, enum maker_site site);
void tape_after(struct tape *tape, uint64_t at, enum maker_site site, uint32_t sp);
/* What stands before an event that ends an interval in which the operating system acted. */
void tape_os(struct tape *tape, uint64_t at, uint32_t bits, uint64_t off_cpu, uint64_t switches);

/* Its START. */
void tape_begin(struct tape *tape, uint64_t at);
/* The tape as a chunk of a TIMELINE segment of its own. */
void tape_put(const struct tape *tape, struct maker *maker, uint32_t thread, uint64_t number);

/*
 * main calls work, which reads for 2000, 1900 of them off the processor; main calls rec, which
 * calls rec, both left by a jump; a pause of 1000; 7 events lost; main exits; behind the
 * recording's own work of 900, work alone.
 *
 *        100 enter main   300 work   400 read   2400 returns   2500 work exits
 *       2600 rec   2700 rec   2800 back in main   2900 off   3900 on   4100 main exits
 *       5000 goes on   5100 work   5300 exits
 */
void tape_program(struct maker *maker);
/* A session's file with it, and a second thread that has a gap. Returns an exit status. */
int tape_sample(const char *path);

#endif
