/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.h - assembler names as the source has them: C++, Rust and D by GNU's libiberty, which
 * knows what GCC makes; Ada and Fortran only where the source file or the name itself says so.
 * Names come from data files: what libiberty may take for one of them is limited in length, text,
 * and processor time.
 */
#ifndef REPORT_DEMANGLE_H
#define REPORT_DEMANGLE_H

#define DEMANGLE_LENGTH_MAX 4096 /* longer assembler names stay as they are */

/* How much of a name is told. */
enum demangle_detail {
	DEMANGLE_FULL,	/* with parameters */
	DEMANGLE_PATH,	/* ns::Class<int>::f<char> */
	DEMANGLE_SHORT, /* ns::Class<...>::f<...> */
	DEMANGLE_PLAIN, /* ns::Class::f */
};

/*
 * A new string; NULL: the name is none that can be told in another way. It must be without suffixes
 * of clones. file: where the function is defined; NULL: not known.
 */
char *demangle(const char *assembler_name, const char *file, enum demangle_detail detail);

#endif
