/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * awaited.h - the waits of a thread and the calls that ended them, as recorded in its file
 * (CINSTR_SEG_WAITS).
 */
#ifndef REPORT_FILE_AWAITED_H
#define REPORT_FILE_AWAITED_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;
struct data_thread;

/* Several entries may have the same path, object and giver. */
struct awaited {
	struct cinstr_wait *list;
	size_t n, size;
};

/* A call of a known waiting function that the thread was in when its file was read, without an
 * event since. */
struct awaiting {
	uint32_t site; /* code of its BEFORE or TAIL sled; 0: the thread was in no such call */
	uint32_t cell; /* cell of the call; 0: its path is not known */
	/* Object waited for. 0: not known, for instance if a handler had events during the wait;
	 * the members below are then not known either. */
	uint64_t object;
	uint64_t since;	 /* begin of the wait, ticks */
	uint32_t holder; /* who held the lock then, as in struct cinstr_wait; 0: not known */
	/* Last time, in ticks, when this thread released a lock that others may have waited for. */
	uint64_t gave;
};

/* Finds what the thread waits for. Its fold must have reached its last event; the first `n` records
 * of its buffer are folded, 0: it has no buffer, and the object stays unknown. site 0: it does not
 * wait. */
void awaiting_read(const struct data *data, struct data_thread *thread, size_t n);

/* Reads the file's waits into the thread. Waits that ended after `folded` (ticks) get their cells
 * from awaited_set_cell(). */
void awaited_read(const struct data *data, struct data_thread *thread, uint32_t owner, uint64_t folded);
/* Assigns to the wait that ended at `stamp` the cell that got the interval, or drops the wait if
 * the cell is of another call. */
void awaited_set_cell(struct data_thread *thread, uint64_t stamp, const struct cinstr_cell *cell,
		      uint32_t index);

#endif
