/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names by which a rule may refer to a function. C++ names are made from the assembler name,
 * not from the declaration, so they are the same in cc1plus, in lto1 (-flto), and in reports.
 */
#ifndef CINSTR_PLUGIN_NAMES_H
#define CINSTR_PLUGIN_NAMES_H

#include "gcc.h"

struct names {
	unsigned int n;
	const char **name;
};

/* Returns the assembler name of a function as the linker sees it (no leading '*'). */
const char *names_assembler(tree fn);

/*
 * Returns all names of a function: assembler name; for clones (.constprop.0, .part.1, ._omp_fn.0)
 * that of their source; the name in the source text; in C++ `ns::Class::method`, also with template
 * arguments, with parameters, and with both; and those of its aliases in this unit. decl may be
 * NULL. The result lives until the compiler exits.
 */
const struct names *names_of(const char *assembler, tree decl);

/*
 * Returns the length of the name of an operator at `s`, which may contain '<' and '>', or 0 if
 * there is none. begin: of the name that contains `s`.
 */
size_t names_operator_length(const char *s, const char *begin);

/* Returns the name for messages, in C++ with parameters. It lives until the compiler exits. */
const char *names_shown(const char *assembler);

#endif
