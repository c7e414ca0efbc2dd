/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base_names.h - functions that are one but have other names in two sessions: what the C library
 * and others choose by the processor (__strcpy_evex, __strcpy_avx2: strcpy), and Fortran without
 * debug information (dgemm_: dgemm). They are joined only if each session has one of the names.
 */
#ifndef REPORT_SYMBOLS_BASE_NAMES_H
#define REPORT_SYMBOLS_BASE_NAMES_H

#include "lib/util.h"

struct base_name;

/* Names by module and base name: of the runs so far, and of the run at hand. */
struct base_names {
	struct map keys;
	struct base_name *list;
	size_t n, size, run;
};

/* Writes what the function is called whatever variant of it this is. */
void base_name_put(struct strbuf *text, const char *name);

/* A run, numbered from 1: all of its names are added, then asked for. `strings` keeps them. */
void base_names_add(struct base_names *names, struct map *strings, size_t run, const char *module,
		    const char *name);
/* The name by which the runs before know this one of the run that was added last; NULL: its own. */
const char *base_names_other(struct base_names *names, const char *module, const char *name);
/* Nothing more is asked of the run: the next one may be added. */
void base_names_end_run(struct base_names *names);
void base_names_release(struct base_names *names);

#endif
