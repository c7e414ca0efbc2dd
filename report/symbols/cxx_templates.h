/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cxx_templates.h - how people write the standard library's templates: without arguments that have
 * their default, and a container's name for the classes that a library makes it of.
 */
#ifndef REPORT_CXX_TEMPLATES_H
#define REPORT_CXX_TEMPLATES_H

#include "lib/util.h"

#define CXX_ARGUMENTS_MAX 64

/* A template with its arguments, each written already. They are changed in place. */
struct cxx_template {
	const char *name; /* with its namespaces, without arguments */
	const char *rest; /* what follows the arguments in the demangled name */
	char *arguments[CXX_ARGUMENTS_MAX];
	size_t n;
};

/* Appends the template as people write it. */
void cxx_template_put(struct strbuf *text, struct cxx_template *template);

#endif
