/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * awaited.h - what a thread waited for, and who ended that, as far as its file tells
 * (CINSTR_SEG_WAITS).
 */
#ifndef REPORT_FILE_AWAITED_H
#define REPORT_FILE_AWAITED_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;
struct data_thread;

/* The same path, object and giver may be there several times. */
struct awaited {
	struct cinstr_wait *list;
	size_t n, size;
};

/* Reads the waits of the file into the thread. Those that have ended behind `folded`, a stamp, have
 * no cell yet. */
void awaited_read(const struct data *data, struct data_thread *thread, uint32_t owner, uint64_t folded);
/* Gives the wait that has ended at `stamp`, if there is one, the cell that had the interval; or
 * drops it, if that is of another call. */
void awaited_set_cell(struct data_thread *thread, uint64_t stamp, const struct cinstr_cell *cell,
		      uint32_t index);

#endif
