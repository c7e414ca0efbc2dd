/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbol_firsts.h - the order in which a thread first called its functions, taken from the order of
 * its cells in the file: a cell is made for each new path. Not for samples and merged files.
 */
#ifndef REPORT_EXPORT_SYMBOL_FIRSTS_H
#define REPORT_EXPORT_SYMBOL_FIRSTS_H

#include "rows/profile.h"

/* A function that a thread has called. */
struct symbol_first {
	uint64_t sequence, offset; /* position of the path's cell: its segment and offset */
	uint32_t code;		   /* of the ENTER sled; 0: a function without probes */
	uint32_t entity;
	const char *callee; /* its name at the call if it has no probes; else NULL */
};

/* Returns the functions that the thread has called in the order of their first calls, and their
 * number; the caller frees the list. NULL: the order is not known. */
struct symbol_first *symbol_firsts(struct names *names, const struct data *data,
				   const struct data_thread *thread, size_t *n);

#endif
