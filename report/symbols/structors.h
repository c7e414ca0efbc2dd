/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * structors.h - the two names of C++ constructors and destructors: C1 or D1 makes or destroys a
 * complete object, C2 or D2 the base part of another one (Itanium C++ ABI, 5.1.4.3). For classes
 * without virtual bases GCC makes one function with both names.
 */
#ifndef REPORT_STRUCTORS_H
#define REPORT_STRUCTORS_H

/* Returns the other of the two names as a new string, or NULL if the name is neither. */
char *structor_other_name(const char *name);

#endif
