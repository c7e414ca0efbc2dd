/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.h - assembler names as the source has them: C++, Rust and D by GNU's libiberty, which
 * knows what GCC makes; Ada and Fortran only where the source file or the name itself says so.
 * Names come from data files: what libiberty may take for one of them is limited in length, text,
 * and processor time.
 */
#ifndef REPORT_DEMANGLE_H
#define REPORT_DEMANGLE_H

#include <stdint.h>

#define DEMANGLE_LENGTH_MAX 4096 /* longer assembler names stay as they are */

/* How much of a name is told. */
enum demangle_detail {
	DEMANGLE_FULL,	     /* with parameters: f<std::__cxx11::basic_string<...> >(int) */
	DEMANGLE_PATH,	     /* without: f<std::__cxx11::basic_string<...> > */
	DEMANGLE_PARAMETERS, /* as people write it, and parameters: f<std::string>(int) */
	DEMANGLE_WRITTEN,    /* f<std::string> (cxx_names.h) */
	DEMANGLE_PLAIN,	     /* f */
};

/*
 * Returns a new string, or NULL if the name cannot be told in another way. It must be without
 * suffixes of clones. `file`, `line`: where the function is defined, or NULL, 0.
 */
char *demangle(const char *assembler_name, const char *file, uint32_t line, enum demangle_detail detail);

#endif
