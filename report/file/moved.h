/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * moved.h - the bytes that a thread's calls have read and written, by call path and file
 * (cinstr/amounts.h).
 */
#ifndef REPORT_FILE_MOVED_H
#define REPORT_FILE_MOVED_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/amounts.h"

struct cinstr_cell;
struct data;
struct data_thread;

/* Sums of one kind (enum cinstr_amount_kind). */
struct moved_sums {
	uint64_t calls, failed, bytes, ticks, largest;
};

/* The sums of one cell and file. */
struct moved_item {
	uint32_t cell; /* index: a CALL, FLAT_CALL, or MERGED */
	uint32_t file; /* number, of the data file */
	uint32_t kind;
	struct moved_sums sums;
};

/* All items of a thread, sorted by cell; the same cell and file may be there twice. */
struct moved {
	struct moved_item *list;
	size_t n, size;
	size_t n_sorted; /* number of the first ones, which are sorted */
};

/* Returns the items of a cell of the data file, and sets *n to their number. */
const struct moved_item *moved_of(const struct data *data, const struct data_thread *thread,
				  const struct cinstr_cell *cell, size_t *n);
/* Adds the sums; `largest` becomes the larger one. */
void moved_add(struct moved_sums *to, const struct moved_sums *from);
/* Copies the items of `from`, a cell of the data file, to `to`, which the reader has made. */
void moved_join(const struct data *data, struct data_thread *thread, const struct cinstr_cell *to,
		const struct cinstr_cell *from);
/* Sorts the items that moved_join() has added, so that moved_of() finds them. */
void moved_sort(struct data_thread *thread);
/* Returns the name of the file with this number, or NULL: it has none. */
const char *moved_file(const struct data *data, uint32_t number);
/* Returns the same of a name of the program's own counts and tags; "(other names)": there was no
 * room for it. */
const char *moved_own_name(const struct data *data, uint32_t number);

#endif
