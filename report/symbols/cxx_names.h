/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cxx_names.h - shortens a demangled C++ name to what people write: std::map<std::string,
 * Value>::operator[] for std::map<std::__cxx11::basic_string<char, ...>, Value, std::less<...>,
 * ...>::operator[].
 */
#ifndef REPORT_CXX_NAMES_H
#define REPORT_CXX_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Returns a new string: `name` without inline namespaces, ABI tags, default template arguments and
 * the parameters of enclosing functions; NULL if it is nested too deeply. A lambda function ends
 * with `line`, unless that is 0.
 */
char *cxx_name_written(const char *name, uint32_t line);

/* Returns the length of "operator" and its sign at `s` in a name that starts at `begin`, or 0. */
size_t cxx_operator_length(const char *s, const char *begin);
/* Whether `text` begins with `beginning`. */
static inline int cxx_begins(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}
/* Returns the bracket that closes the one at `s`, or NULL. */
const char *cxx_closing(const char *s);
/* Returns the position after the qualifiers of a member function at `s`: " const", " &". */
const char *cxx_behind_qualifiers(const char *s);

#endif
