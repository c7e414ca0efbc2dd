/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h - recognises names of compilers, and of programs put in front of compilers. */
#ifndef REPORT_WRAPPER_NAMES_H
#define REPORT_WRAPPER_NAMES_H

/* Whether it is a compiler: gcc, c++, gfortran-12, x86_64-linux-gnu-gcc-11, c99, clang++-14, ... */
int name_of_compiler(const char *name);
/* Whether it is a cache that takes a compiler and its arguments: ccache. */
int name_of_launcher(const char *name);
/* Returns the position of "gnatmake" in gnatmake, gnatmake-12, ..., which call a compiler in their
 * own folder, not in PATH; NULL for other names. */
const char *name_of_gnatmake(const char *name);
/* Whether it is any of them. */
int name_is_shimmed(const char *name);

#endif
