/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names by which a rule may mean a function. C++ names come from the assembler name, not from
 * the declaration: so they are the same in cc1plus and, with -flto, in lto1, and the same that the
 * reports show.
 */
#ifndef CINSTR_PLUGIN_NAMES_H
#define CINSTR_PLUGIN_NAMES_H

#include "gcc.h"

struct names {
	unsigned int n;
	const char **name;
};

/* The assembler name of a function as the linker sees it (no leading '*'). */
const char *names_assembler(tree fn);

/*
 * All names of a function: assembler name; for clones (.constprop.0, .part.1, ._omp_fn.0) that of
 * their source; the name in the source text; and in C++ `ns::Class::method`, the same with template
 * arguments, with parameters, and with both; the same of its aliases in this unit. decl may be
 * NULL. Lives until the compiler exits.
 */
const struct names *names_of(const char *assembler, tree decl);

/*
 * How long is the name of an operator at `s`, which itself may have '<' and '>'? 0: it is none.
 * begin: of the name that `s` lies in.
 */
size_t names_operator_length(const char *s, const char *begin);

/* The name for messages: in C++ with parameters. Lives until the compiler exits. */
const char *names_shown(const char *assembler);

#endif
