/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "runtime/system/plain_name.h"
#include "symbols/demangle.h"
#include "tests.h"

static const struct {
	const char *assembler, *written;
} names[] = {
#include "../symbols/cxx_names.inc"
};

static void plain_is(const char *assembler, const char *expected)
{
	char name[PLAIN_NAME_MAX];

	CU_ASSERT_STRING_EQUAL(plain_name(assembler, name) ? "none" : name, expected);
}

static void names_of_languages(void)
{
	plain_is("main", "main");
	plain_is("f.constprop.0", "f");
	plain_is("main._omp_fn.0", "main::{parallel}");
	plain_is("_Z1fi._omp_fn.0", "f::{parallel}");
	plain_is("__grid_MOD_smooth", "grid::smooth");
	plain_is("__grid_MOD_smooth._omp_fn.1", "grid::smooth::{parallel}");
	plain_is("_ZZ4mainENKUlvE_clEv", "main::{lambda}");
	plain_is("_ZZZN1a1bEvENKUliE_clEiENKUlvE0_clEv", "a::b::{lambda}::{lambda}");
	plain_is("_ZN12_GLOBAL__N_13hidEi", "hid");
	plain_is("_ZN3fmt2v96formatB5cxx11Ev", "fmt::format");
	plain_is("_ZN1VD0Ev", "V::~V");
	plain_is("_ZNSaIcEC1Ev", "std::allocator::allocator");
	plain_is("_ZN1CILN1n1EE1EE1fEv", "C::f");
	plain_is("_ZN1CIXadL_Z1gvEEE1fEv", "none"); /* an expression */
	plain_is("_ZN1QcvbEv", "none");		    /* a conversion */
	plain_is("_Z", "none");
	plain_is("_ZN", "none");
	plain_is("_Z99f", "none");
	plain_is("_ZNKUlE", "none");
	plain_is("", "none");
}

/* Lambdas have no number, destructors no kind. */
static char *comparable(char *name)
{
	char *to = name;

	for (char *from = name; *from; from++) {
		if (*from == '#') {
			from += strspn(from, "#0123456789");
			*to++ = *from;
		} else if (!strncmp(from, "::operator()", 12) && to > name && to[-1] == '}') {
			from += 11;
		} else if (!strcmp(from, " [deleting]")) {
			break;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return name;
}

/* The name without arguments is the same as libiberty's, or there is none. */
static void names_of_programs(void)
{
	size_t n_none = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char name[PLAIN_NAME_MAX], *expected = demangle(names[i].assembler, NULL, 0, DEMANGLE_PLAIN);

		if (plain_name(names[i].assembler, name))
			n_none++;
		else
			CU_ASSERT_STRING_EQUAL(name, comparable(expected));
		free(expected);
	}
	CU_ASSERT(n_none <= 8);
}

static void damaged_names_do_no_harm(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t n = strlen(names[i].assembler); n; n--) {
			char *cut = strndup(names[i].assembler, n), name[PLAIN_NAME_MAX];

			plain_name(cut, name);
			cut[n / 2] = "EINSTLZ9_"[n % 9];
			plain_name(cut, name);
			free(cut);
		}
}

static void matches(const char *glob, const char *assembler)
{
	if (!plain_name_match(glob, strlen(glob), assembler))
		CU_ASSERT_STRING_EQUAL(glob, assembler);
}

static void matches_not(const char *glob, const char *assembler)
{
	if (plain_name_match(glob, strlen(glob), assembler))
		CU_ASSERT_STRING_NOT_EQUAL(glob, glob);
}

/* Each function is chosen by the name that tables show it with. */
static void shown_names_are_taken(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char name[PLAIN_NAME_MAX], written[1000];
		char *end;

		/* what the library calls otherwise */
		if (plain_name(names[i].assembler, name) || strstr(names[i].written, "std::pmr") ||
		    strstr(name, "std::chrono") || strstr(name, "_base::"))
			continue;
		snprintf(written, sizeof(written), "%s", names[i].written);
		end = strstr(written, " [deleting]");
		if (end)
			*end = '\0';
		matches(written, names[i].assembler);
		matches(names[i].assembler, names[i].assembler);
	}
}

static void globs(void)
{
	matches("json::*", "_ZNK4json5Value4dumpEv");
	matches("json::Value::dump(int)", "_ZNK4json5Value4dumpEi");
	matches("std::map<int, *>::operator[]", "_ZNSt3mapIiiSt4lessIiESaISt4pairIKiiEEEixERS3_");
	matches("std::map::operator[]", "_ZNSt3mapIiiSt4lessIiESaISt4pairIKiiEEEixERS3_");
	matches("main::{parallel}:10", "main._omp_fn.0");
	matches("main::{lambda}:34", "_ZZ4mainENKUlvE_clEv");
	matches("main::{lambda#2}", "_ZZ4mainENKUlvE0_clEv");
	matches("n::operator<", "_ZN1nltERKNS_1AES2_");
	matches("n::operator<<", "_ZN1nlsERKNS_1AES2_");
	matches("solve", "solve_");
	matches("stack.push", "stack__push");
	matches("f", "f.constprop.0");
	matches_not("dump", "_ZNK4json5Value4dumpEv");
	matches_not("json::Value::dum", "_ZNK4json5Value4dumpEv");
	matches_not("main", "main._omp_fn.0");
	matches_not("n::operator<", "_ZN1nlsERKNS_1AES2_");
	matches_not("f", "g");
	matches_not("", "g");
}

static void lists(void)
{
	CU_ASSERT_EQUAL(plain_name_glob_length("f,g"), 1);
	CU_ASSERT_EQUAL(plain_name_glob_length("std::map<int, long>::find,g"), 25);
	CU_ASSERT_EQUAL(plain_name_glob_length("f(int, long),g"), 12);
	CU_ASSERT_EQUAL(plain_name_glob_length("operator<,g"), 9);
	CU_ASSERT_EQUAL(plain_name_glob_length("a::operator<<,g"), 13);
	CU_ASSERT_EQUAL(plain_name_glob_length("a::operator->,g"), 13);
	CU_ASSERT_EQUAL(plain_name_glob_length(""), 0);
}

CU_TestInfo plain_name_tests[] = {
	{ "names of languages", names_of_languages },
	{ "names of programs", names_of_programs },
	{ "damaged names do no harm", damaged_names_do_no_harm },
	{ "shown names are taken", shown_names_are_taken },
	{ "globs", globs },
	{ "lists", lists },
	CU_TEST_INFO_NULL,
};
