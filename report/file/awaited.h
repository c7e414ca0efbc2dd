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

/* Reads the waits of the file into the thread. Those that nobody has folded have no cell yet. */
void awaited_read(const struct data *data, struct data_thread *thread, uint32_t owner);
/* Gives the wait that has ended at `stamp` with the AFTER of the call of `site` its cell, if there
 * is one. */
void awaited_set_cell(struct data_thread *thread, uint64_t stamp, uint32_t site, uint32_t cell);

#endif
