/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "names.h"

#include <stddef.h>
#include <string.h>

/* Without the version behind the last hyphen: gcc-12, gcc-12.2. */
static size_t without_version(const char *name)
{
	size_t n = strlen(name), digits = n;

	while (digits && strchr("0123456789.", name[digits - 1]))
		digits--;
	return digits < n && digits > 1 && name[digits - 1] == '-' ? digits - 1 : n;
}

/* `word` is all of name[n], or what is behind a hyphen: the triplet of the machine is before it. */
static int ends_with_word(const char *name, size_t n, const char *word)
{
	size_t length = strlen(word);

	return n >= length && !memcmp(name + n - length, word, length) &&
	       (n == length || name[n - length - 1] == '-');
}

int name_of_compiler(const char *name)
{
	static const char *const words[] = { "gcc",   "g++", "cc",    "c++",   "gfortran",
					     "f77",   "f95", "c89",   "c99",   "gdc",
					     "gccgo", "gm2", "gccrs", "clang", "clang++" };
	size_t n = without_version(name);

	if (!strncmp(name, "cinstr-", 7))
		return 0;
	if (!strcmp(name, "gnatgcc"))
		return 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ends_with_word(name, n, words[i]))
			return 1;
	return 0;
}

int name_of_launcher(const char *name)
{
	return !strcmp(name, "ccache") || !strcmp(name, "sccache");
}

const char *name_of_gnatmake(const char *name)
{
	static const char word[] = "gnatmake";
	size_t n = without_version(name), length = strlen(word);

	return ends_with_word(name, n, word) ? name + n - length : NULL;
}

int name_is_shimmed(const char *name)
{
	return name_of_compiler(name) || name_of_launcher(name) || name_of_gnatmake(name);
}
