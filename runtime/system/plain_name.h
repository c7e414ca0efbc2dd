/* SPDX-License-Identifier: MIT */
/*
 * plain_name.h - functions by the names that their source has, without libc: what somebody writes
 * into CINSTR_ONLY and the like. The command asks the same (report/session/rule_check.c).
 */
#ifndef CINSTR_PLAIN_NAME_H
#define CINSTR_PLAIN_NAME_H

#include <stddef.h>

#define PLAIN_NAME_MAX 512

/*
 * Writes the name that the source has for an assembler name: without template arguments, parameters
 * and inline namespaces; ns::Class::f, main::{lambda}, main::{parallel}, Fortran's module::f, Ada's
 * package.f. 0, or -1: there is none, or it is of a kind that is not read here.
 */
int plain_name(const char *assembler, char name[PLAIN_NAME_MAX]);

/*
 * Whether a glob of n characters means the function: by its assembler name, or by its plain name.
 * What the glob has of template arguments, parameters, and of the line of a lambda is not compared.
 */
int plain_name_match(const char *glob, size_t n, const char *assembler);

/* Length of the first of a list of globs with commas between; in brackets they separate nothing. */
size_t plain_name_glob_length(const char *list);

#endif
