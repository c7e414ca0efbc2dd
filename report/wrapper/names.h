/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h - which names of commands are those of compilers, or of what is put in front of
 * compilers. */
#ifndef REPORT_WRAPPER_NAMES_H
#define REPORT_WRAPPER_NAMES_H

/* gcc, c++, gfortran-12, x86_64-linux-gnu-gcc-11, c99, clang++-14, ... */
int name_of_compiler(const char *name);
/* A cache that takes a compiler and its arguments: ccache. */
int name_of_launcher(const char *name);
/* gnatmake, gnatmake-12, ...: it calls a compiler beside itself, not in PATH. Where "gnatmake" is
 * in it; NULL. */
const char *name_of_gnatmake(const char *name);
/* Any of them. */
int name_is_shimmed(const char *name);

#endif
