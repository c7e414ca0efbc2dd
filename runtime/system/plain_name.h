/* SPDX-License-Identifier: MIT */
/*
 * plain_name.h - matches functions by their names in the source, as users write them into
 * CINSTR_ONLY and similar options. Without libc. The command uses it, too
 * (report/session/rule_check.c).
 */
#ifndef CINSTR_PLAIN_NAME_H
#define CINSTR_PLAIN_NAME_H

#include <stddef.h>

#define PLAIN_NAME_MAX 512

/*
 * Writes the source's name for an assembler name: without template arguments, parameters and inline
 * namespaces; ns::Class::f, main::{lambda}, main::{parallel}, Fortran's module::f, Ada's package.f.
 * Returns 0, or -1: no such name, or of a kind that is not supported.
 */
int plain_name(const char *assembler, char name[PLAIN_NAME_MAX]);

/*
 * Returns 1 if a glob of n characters matches the function's assembler name or plain name, else 0.
 * Template arguments, parameters and lines of lambdas in the glob are ignored.
 */
int plain_name_match(const char *glob, size_t n, const char *assembler);

/* Returns the length of the first glob of a list separated by commas; commas in brackets do not
 * separate. */
size_t plain_name_glob_length(const char *list);

#endif
