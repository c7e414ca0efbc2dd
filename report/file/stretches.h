/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stretches.h - the long intervals of a thread, as far as its file tells (cinstr/stretches.h): in
 * order of time, none of which begins before the one before has ended.
 */
#ifndef REPORT_FILE_STRETCHES_H
#define REPORT_FILE_STRETCHES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/stretches.h"
#include "runtime/fold/fold.h"

struct data;
struct data_thread;

struct stretches {
	struct cinstr_stretch *list;
	size_t n, size;
	uint32_t level; /* of the windows that it has kept */
	int are_there;	/* the runtime keeps them */
};

/* Reads those of the file that end at `folded`, a stamp, or before. */
void stretches_read(const struct data *data, struct data_thread *thread, uint32_t owner, uint64_t folded);
/* Adds an interval that the reader's fold has come to, if it has `threshold` ticks. The thread's
 * waits tell who ended it. */
void stretches_add(struct data_thread *thread, const struct fold_slow *slow, uint32_t cell,
		   uint64_t threshold);
/* Behind all of them: puts them in order, with what is open at the end, and drops what cannot
 * be. */
void stretches_settle(struct data_thread *thread);

#endif
