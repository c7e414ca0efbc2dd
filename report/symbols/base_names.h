/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base_names.h - recognises functions that have different names in two sessions: variants that the
 * C library and others choose by processor (__strcpy_evex, __strcpy_avx2: strcpy), and Fortran
 * without debug information (dgemm_: dgemm). They are joined only if each session has one of the
 * names.
 */
#ifndef REPORT_SYMBOLS_BASE_NAMES_H
#define REPORT_SYMBOLS_BASE_NAMES_H

#include "lib/util.h"

struct base_name;

/* Names by module and base name, from previous runs and from the current one. */
struct base_names {
	struct map keys;
	struct base_name *list;
	size_t n, size, run;
};

/* Appends the base name of a function, which all its variants share. */
void base_name_put(struct strbuf *text, const char *name);

/* Appends the name of the public function that an internal one of the C library does the work of:
 * pow of __ieee754_pow_fma or __pow_finite, strtoll of ____strtoll_l_internal. Returns 0 if the
 * name is not of this kind; nothing is appended then. */
int base_name_put_public(struct strbuf *text, const char *name);

/* Adds a name of a run, numbered from 1. All names of a run are added before any is looked up.
 * `strings` owns the copies. */
void base_names_add(struct base_names *names, struct map *strings, size_t run, const char *module,
		    const char *name);
/* Returns the name that previous runs have for this function of the current run; NULL: its own. */
const char *base_names_other(struct base_names *names, const char *module, const char *name);
/* Ends the look-ups of the current run; the next one may be added. */
void base_names_end_run(struct base_names *names);
void base_names_release(struct base_names *names);

#endif
