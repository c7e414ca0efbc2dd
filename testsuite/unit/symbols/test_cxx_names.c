/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "symbols/cxx_names.h"
#include "symbols/demangle.h"
#include "tests.h"

static const struct {
	const char *assembler, *written;
} names[] = {
#include "cxx_names.inc"
};

static void names_as_people_write_them(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *written = demangle(names[i].assembler, NULL, 34, DEMANGLE_WRITTEN);

		CU_ASSERT_STRING_EQUAL(written ? written : names[i].assembler, names[i].written);
		free(written);
	}
}

static void written_is(const char *name, uint32_t line, const char *expected)
{
	char *written = cxx_name_written(name, line);

	CU_ASSERT_STRING_EQUAL(written ? written : "none", expected);
	free(written);
}

/* Other libraries' names, those of libc++, and text that nothing demangles to. */
static void names_by_text(void)
{
	written_is("std::__1::vector<int, std::__1::allocator<int> >::push_back", 0,
		   "std::vector<int>::push_back");
	written_is("std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> "
		   ">::append",
		   0, "std::string::append");
	written_is("std::__1::map<int, long, std::__1::less<int>, "
		   "std::__1::allocator<std::__1::pair<int const, long> > >::operator[]",
		   0, "std::map<int, long>::operator[]");
	written_is("nlohmann::json_abi_v3_11_2::basic_json<int>::parse", 0,
		   "nlohmann::basic_json<int>::parse");
	written_is("absl::lts_20230125::StrCat[abi:cxx11]", 0, "absl::StrCat");
	written_is("v2::f", 0, "v2::f");
	written_is("a::v2x::f", 0, "a::v2x::f");
	written_is("a::vector::f", 0, "a::vector::f");
	written_is("f[abi:cxx11][abi:mine](int)", 0, "f(int)");
	written_is("n::f(int) const::{lambda(int)#2}::operator()(int) const", 7,
		   "n::f::{lambda}:7(int) const");
	written_is("n::f(int) const::{lambda(int)#2}::operator()", 0, "n::f::{lambda#2}");
	written_is("f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > "
		   "const&, char*)",
		   0, "f(const std::string&, char*)");
	written_is("f<char* const>", 0, "f<char* const>");
	written_is("f<void (int, char const*)>", 0, "f<void(int, const char*)>");
	written_is("(anonymous namespace)::f", 0, "f");
	written_is("f<(Colour)1>", 0, "f<1>");
	written_is("a::operator< <int>", 0, "a::operator< <int>");
	written_is("f<", 0, "f<>");
	written_is("f<a(", 0, "f<a(>");
	written_is("f>", 0, "f>");
	written_is("{lambda(", 3, "{lambda(");
	written_is("", 3, "");
}

static void nested_too_deeply(void)
{
	struct strbuf name = { 0 };
	char *written;

	for (int i = 0; i < 1000; i++)
		strbuf_puts(&name, "f<");
	written = cxx_name_written(name.text, 0);
	CU_ASSERT_PTR_NULL(written);
	strbuf_release(&name);
}

CU_TestInfo cxx_names_tests[] = {
	{ "names as people write them", names_as_people_write_them },
	{ "names by text", names_by_text },
	{ "nested too deeply", nested_too_deeply },
	CU_TEST_INFO_NULL,
};
