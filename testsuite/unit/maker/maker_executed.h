/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * maker_executed.h - makes a program's file and a data file of two threads that have counted its
 * segments (cinstr/abi.h, CINSTR_NOTE_SEGMENTS). The file `counted` has these functions; what is in
 * brackets has a counter:
 *
 *   loop     [A: 2 instructions]  [B: 3, to itself]  C: 1
 *   branch   P: 2  [Q: 4] or [R: 1]  S: 2
 *   jumping  [T: 3 instructions, of which the first is a jump]
 *   strange  [U: a byte that is no instruction]
 */
#ifndef UNIT_MAKER_EXECUTED_H
#define UNIT_MAKER_EXECUTED_H

#include "maker.h"

enum { MADE_A, MADE_B, MADE_Q, MADE_R, MADE_T, MADE_U, MADE_COUNTERS };
#define EXECUTED_TEXT 0x1000u /* link address of its code */
#define EXECUTED_NOTES 0x4000u

struct maker_executed {
	/* counters of the two threads */
	uint64_t counts[2][MADE_COUNTERS];
	/* is called with the notes before they are put into the data file: may change them */
	void (*change_notes)(char *notes, size_t n);
	uint32_t more_counters; /* than there are, in the list of modules */
	int has_short_counts;	/* the second thread's payload ends among them */
	int is_shared;		/* the second thread did not record: its counts are nobody's */
	int is_lost;		/* the list of modules names none that is there */
	int is_twice;		/* a second list of modules names it twice */
};

/* Writes the program's file. Returns 0, or -1. */
int maker_executed_program(const char *path);
/* The data file, of a process of that program; it is to be written and released. */
void maker_executed_init(struct maker *maker, const char *program, const struct maker_executed *how);
/* Writes both into a folder, for the tests of the command line. B was executed so often more.
 * Returns an exit status. */
int maker_executed_sample(const char *folder, unsigned more);

#endif
