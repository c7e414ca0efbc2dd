/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * structors.h - constructors and destructors of C++ have names by what they are for: C1 or D1 makes
 * or ends a whole object, C2 or D2 what is the base of another one (Itanium C++ ABI, 5.1.4.3). For
 * classes without virtual bases GCC makes one function with both names.
 */
#ifndef REPORT_STRUCTORS_H
#define REPORT_STRUCTORS_H

/* A new string, the other of the two names; NULL: the assembler name is none of them. */
char *structor_other_name(const char *name);

#endif
