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

/* The call of a known function that a thread was in when its file was read, with no event since. */
struct awaiting {
	uint32_t site; /* code of its BEFORE or TAIL sled; 0: it was in none */
	uint32_t cell; /* 0: its path is not known */
	/* 0: not known, as of a wait in which a handler had events; nor is the rest */
	uint64_t object;
	uint64_t since;	 /* stamp */
	uint32_t holder; /* tid of the thread that had the mutex then; 0: not known */
	/* stamp: when the thread had last given back a lock that others may have waited for */
	uint64_t gave;
};

/* Finds what the thread waits for: its fold has come to its last event, behind the first `n`
 * records of its buffer; 0: it has none. */
void awaiting_read(const struct data *data, struct data_thread *thread, size_t n);

/* Reads the waits of the file into the thread. Those that have ended behind `folded`, a stamp, have
 * no cell yet. */
void awaited_read(const struct data *data, struct data_thread *thread, uint32_t owner, uint64_t folded);
/* Gives the wait that has ended at `stamp`, if there is one, the cell that had the interval; or
 * drops it, if that is of another call. */
void awaited_set_cell(struct data_thread *thread, uint64_t stamp, const struct cinstr_cell *cell,
		      uint32_t index);

#endif
