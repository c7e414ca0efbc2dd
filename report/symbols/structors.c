/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * structors.c - finds the two names of a constructor or destructor (structors.h). They differ in
 * one digit and demangle to the same name, which distinguishes that digit from others.
 */
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "lib/util.h"
#include "structors.h"

static int is_same_in_source(const char *name, const char *other)
{
	FREED char *a = demangle(name, NULL, 0, DEMANGLE_FULL), *b = demangle(other, NULL, 0, DEMANGLE_FULL);

	return a && b && !strcmp(a, b);
}

char *structor_other_name(const char *name)
{
	size_t length = strlen(name);
	char *other;

	if (length > DEMANGLE_LENGTH_MAX || strncmp(name, "_Z", 2))
		return NULL;
	other = xstrdup(name);
	for (size_t i = length; i-- > 2;) {
		if ((name[i] != '1' && name[i] != '2') || (name[i - 1] != 'C' && name[i - 1] != 'D'))
			continue;
		other[i] = name[i] == '1' ? '2' : '1';
		if (is_same_in_source(name, other))
			return other;
		other[i] = name[i];
	}
	free(other);
	return NULL;
}
