/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbol_firsts.h - which functions a thread has called first: its cells are made as it comes to
 * new paths, so their order in the file tells. Not of samples and merged files.
 */
#ifndef REPORT_EXPORT_SYMBOL_FIRSTS_H
#define REPORT_EXPORT_SYMBOL_FIRSTS_H

#include "rows/profile.h"

/* Whom a thread has called: the function of a sled, or another one. */
struct symbol_first {
	uint64_t sequence, offset; /* of the segment and the place of the path's cell */
	uint32_t code;		   /* of the ENTER sled; 0: a function without probes */
	uint32_t entity;
	const char *callee; /* of a function without probes: its name at the call; NULL */
};

/* Returns all that the thread has called, in the order of their first calls, and their number; the
 * caller frees them. NULL: the order is not known. */
struct symbol_first *symbol_firsts(struct names *names, const struct data *data,
				   const struct data_thread *thread, size_t *n);

#endif
