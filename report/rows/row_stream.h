/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row_stream.h - makes rows of call paths one at a time, in the order to show, while they are
 * written: a row takes 850 bytes and more, and there can be millions. Works where all paths are of
 * one thread, as in merged files.
 *
 * paths_choose() then makes no rows, only their places in the tree (struct streamed). The second
 * reading of the thread fills one row after another from the nodes of its path, and calls `put`.
 */
#ifndef REPORT_ROWS_ROW_STREAM_H
#define REPORT_ROWS_ROW_STREAM_H

#include <stddef.h>
#include <stdint.h>

struct addition;
struct os_counts;
struct profile;
struct row;

/* The place of a row, by its number. */
struct streamed {
	uint32_t path, parent, child, sibling; /* child, sibling: UINT32_MAX: none */
	uint32_t depth : 31, is_hot : 1;
};

struct row_stream {
	int is_wanted; /* set before paths_choose() */
	struct streamed *list;
	size_t n;
	struct os_counts **os; /* by number; NULL: the operating system did nothing */
	/* By number, inclusive and exclusive: of the error of estimates (mixed_rows.h). */
	long double (*variances)[2];
	uint32_t *order; /* numbers of the rows to show */
	size_t n_order;
	/* Called with each row, valid until it returns. NULL: the second reading is not begun. */
	void (*put)(void *arg, struct row *row);
	void *arg;
};

/* Whether the profile's paths can be streamed: those of one thread. */
int row_stream_is_possible(const struct profile *profile);
/* Makes room for n rows. */
void row_stream_begin(struct row_stream *stream, size_t n);
/* Adds the row of a path, without values, below row `parent`; number 0 is the root. */
void row_stream_add(struct row_stream *stream, uint32_t path, uint32_t parent);
/* Fills in a row as far as rows are sorted by it: name, place, and elapsed inclusive time. */
void row_stream_sketch(const struct profile *profile, uint32_t number, struct row *row);
/* Makes the rows of the thread and puts them. path_of: by node. */
void row_stream_thread(const struct addition *a, const uint32_t *path_of);
void row_stream_release(struct row_stream *stream);

#endif
