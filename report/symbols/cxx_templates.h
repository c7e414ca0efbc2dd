/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cxx_templates.h - writes the standard library's templates as people do: without arguments that
 * have their default, and with a container's name for the classes that a library implements it by.
 */
#ifndef REPORT_CXX_TEMPLATES_H
#define REPORT_CXX_TEMPLATES_H

#include "lib/util.h"

#define CXX_ARGUMENTS_MAX 64

/* A template with its arguments, already written. They are changed in place. */
struct cxx_template {
	const char *name; /* with namespaces, without arguments */
	const char *rest; /* text after the arguments in the demangled name */
	char *arguments[CXX_ARGUMENTS_MAX];
	size_t n;
};

/* Appends the template as people write it. */
void cxx_template_put(struct strbuf *text, struct cxx_template *template);

#endif
