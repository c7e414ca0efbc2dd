/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.h - converts assembler names to the source's: C++, Rust and D with GNU's libiberty,
 * which knows GCC's names; Ada and Fortran only if the source file or the name itself shows the
 * language. Names come from data files, so libiberty's input and work for one name are limited in
 * length, text and processor time.
 */
#ifndef REPORT_DEMANGLE_H
#define REPORT_DEMANGLE_H

#include <stdint.h>

#define DEMANGLE_LENGTH_MAX 4096 /* longer assembler names are not demangled */

/* Detail of the name. */
enum demangle_detail {
	DEMANGLE_FULL,	     /* with parameters: f<std::__cxx11::basic_string<...> >(int) */
	DEMANGLE_PATH,	     /* without: f<std::__cxx11::basic_string<...> > */
	DEMANGLE_PARAMETERS, /* as people write it, with parameters: f<std::string>(int) */
	DEMANGLE_WRITTEN,    /* f<std::string> (cxx_names.h) */
	DEMANGLE_PLAIN,	     /* f */
};

/* Returns a new string, or NULL if the name is the same in the source or cannot be demangled. It
 * must be without suffixes of clones. `file`, `line`: the function's definition; NULL, 0: not
 * known. */
char *demangle(const char *assembler_name, const char *file, uint32_t line, enum demangle_detail detail);

#endif
