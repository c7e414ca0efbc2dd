/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/names.h"
#include "names/source_path.h"
#include "tests.h"

static void plain_is(const char *name, const char *plain)
{
	char *result = names_plain(name);

	CU_ASSERT_STRING_EQUAL(result, plain);
	free(result);
}

static void clones_have_the_sources_name(void)
{
	plain_is("f", "f");
	plain_is("f.constprop.0", "f");
	plain_is("f.isra.0.cold", "f");
	plain_is("f.part.0.constprop.12", "f");
	plain_is("inner.3", "inner");
	plain_is("f.lto_priv.7", "f");
	plain_is("f.own", "f.own");
	plain_is("f.own.cold", "f.own");
	plain_is("f.partial", "f.partial");
	plain_is(".text", ".text");
	plain_is("*f", "f");
	plain_is("f._omp_fn.0", "f [parallel region 0]");
	plain_is("f.part.0._omp_fn.12.constprop.3", "f [parallel region 12]");
	plain_is("f._omp_fn.1._omp_fn.0", "f [parallel region 1] [parallel region 0]");
	plain_is("f._omp_fn.x", "f._omp_fn.x");
}

static void shown_with_line(const char *name, const char *file, uint32_t line, int style, const char *shown)
{
	struct names_options options = { .style = style };
	char *result;

	CU_ASSERT_EQUAL(names_configure("test", &options, 1), 0);
	result = names_shown(name, file, line);
	CU_ASSERT_STRING_EQUAL(result, shown);
	free(result);
	options.style = NAMES_AUTO;
	names_configure("test", &options, 1);
}

static void shown_is(const char *name, const char *file, int style, const char *shown)
{
	shown_with_line(name, file, 0, style, shown);
}

static void names_as_the_source_has_them(void)
{
	/* double n::C<int>::m<double>(double, int) const */
	const char *method = "_ZNK1n1CIiE1mIdEET_S3_i";

	shown_is(method, NULL, NAMES_SHORT, "n::C<int>::m<double>");
	shown_is(method, NULL, NAMES_AUTO, "n::C<int>::m<double>");
	shown_is(method, NULL, NAMES_FULL, "double n::C<int>::m<double>(double, int) const");
	shown_is(method, NULL, NAMES_ASSEMBLER, method);
	shown_is("_Z1fi.part.0.constprop.1", NULL, NAMES_SHORT, "f");
	shown_is("_Z1fi._omp_fn.0", NULL, NAMES_FULL, "f(int) [parallel region 0]");
	shown_is("_Z1fi [parallel region 0]", NULL, NAMES_FULL, "f(int) [parallel region 0]");
	shown_is("_Z1fi._omp_fn.1._omp_fn.0", NULL, NAMES_SHORT, "f::{parallel#1}::{parallel#0}");
	shown_is("_Z1fi [parallel region 1] [parallel region 0]", NULL, NAMES_SHORT,
		 "f::{parallel#1}::{parallel#0}");
	shown_with_line("_Z1fi._omp_fn.0", NULL, 12, NAMES_SHORT, "f::{parallel}:12");
	shown_with_line("f [parallel region 1] [parallel region 0]", NULL, 12, NAMES_SHORT,
			"f::{parallel#1}::{parallel}:12");
	shown_with_line("_Z1fi._omp_fn.0", NULL, 12, NAMES_FULL, "f(int) [parallel region 0]");
	shown_is("_ZNK1n1CIiEltERKS1_", NULL, NAMES_SHORT, "n::C<int>::operator<");
	shown_is("_ZN1n1CIiElsEi", NULL, NAMES_SHORT, "n::C<int>::operator<<");
	shown_is("_ZZNK1n1CIiE1mIdEET_S3_iENKUldE_clEd", NULL, NAMES_SHORT,
		 "n::C<int>::m<double>::{lambda#1}");
	shown_with_line("_ZZNK1n1CIiE1mIdEET_S3_iENKUldE_clEd", NULL, 9, NAMES_SHORT,
			"n::C<int>::m<double>::{lambda}:9");
	shown_is("_Z4walkPZ4walkiE13_Z4walki.Frame.actor.cold", NULL, NAMES_SHORT, "walk::{coroutine}");
	shown_is("_Z4walkPZ4walkiE13_Z4walki.Frame.destroy", NULL, NAMES_SHORT, "walk::{destroy}");
	shown_is("_Z4walki", NULL, NAMES_SHORT, "walk");
	shown_is("_ZN12_GLOBAL__N_13hidEi", NULL, NAMES_SHORT, "hid");
	shown_is("_ZN1VD0Ev", NULL, NAMES_SHORT, "V::~V [deleting]");
	shown_is("_ZN1VD2Ev", NULL, NAMES_SHORT, "V::~V");
	shown_is("_ZN1V1fEi@plt", NULL, NAMES_FULL, "V::f(int)@plt");
	shown_is("_ZN1V1fEi@plt", NULL, NAMES_SHORT, "V::f@plt");
	shown_is("malloc@plt", NULL, NAMES_SHORT, "malloc@plt");
	shown_is("_D3std5stdio7writelnFAyaZv", NULL, NAMES_SHORT, "std.stdio.writeln");
	shown_is("_RNvCs123_4core3foo", NULL, NAMES_SHORT, "core::foo");
	shown_is("_Znonsense", NULL, NAMES_SHORT, "_Znonsense");
	shown_is("plain_c", "/src/a.c", NAMES_SHORT, "plain_c");
}

static void fortran_and_ada(void)
{
	shown_is("__geometry_MOD_area", NULL, NAMES_SHORT, "geometry::area");
	shown_is("__geometry_MOD_area.constprop.0", NULL, NAMES_FULL, "geometry::area");
	shown_is("__geometry_MOD_area", NULL, NAMES_ASSEMBLER, "__geometry_MOD_area");
	shown_is("solve_", "/src/solve.f90", NAMES_SHORT, "solve");
	shown_is("two_words__", "/src/solve.F", NAMES_SHORT, "two_words");
	shown_is("solve_", "/src/solve.c", NAMES_SHORT, "solve_");
	shown_is("solve_", NULL, NAMES_SHORT, "solve_");
	shown_is("MAIN__", "/src/main.f90", NAMES_SHORT, "MAIN__");
	shown_is("__own_MODE", "/src/a.c", NAMES_SHORT, "__own_MODE");
	shown_is("stack__push", "/src/stack.adb", NAMES_SHORT, "stack.push");
	shown_is("stack__push", "/src/stack.c", NAMES_SHORT, "stack__push");
}

/* Each parameter is a pair of the one before: the name's text doubles with each. */
static void put_pairs(struct strbuf *name, int n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strbuf_puts(name, "St4pairIiiE");
	for (int i = 0; i < n; i++)
		strbuf_printf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
}

static void hostile_name(struct strbuf *name, const char *shown)
{
	shown_is(name->text, NULL, NAMES_FULL, shown ? shown : name->text);
	strbuf_release(name);
}

static void hostile_names_stay_as_they_are(void)
{
	struct strbuf name = { 0 };

	strbuf_puts(&name, "_Z1f");
	put_pairs(&name, 1);
	hostile_name(&name, "f(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int> >)");
	strbuf_puts(&name, "_Z1f");
	put_pairs(&name, 30);
	hostile_name(&name, NULL); /* gigabytes */
	for (int i = 0; i < 40; i++) {
		strbuf_puts(&name, "_Z1fDpFi"); /* looks for a parameter pack in all of it: hours */
		put_pairs(&name, 28 + i % 8);
		strbuf_puts(&name, "E");
		hostile_name(&name, NULL);
	}
	strbuf_puts(&name, "_Z1f");
	strbuf_fill(&name, 'P', 4000);
	strbuf_puts(&name, "i");
	hostile_name(&name, NULL); /* too deep */
	strbuf_puts(&name, "_Z1f");
	strbuf_fill(&name, 'i', 100000);
	hostile_name(&name, NULL); /* too long */
	strbuf_puts(&name, "_Z1fi");
	hostile_name(&name, "f(int)");
}

/* Adds a function and returns its number. */
static uint32_t function(struct names *names, const char *path, const char *name, const char *file,
			 uint32_t line)
{
	struct module module = { .path = path };
	struct module_function f = { .name = name, .file = file, .line = line };

	return names_of_function(names, &module, &f);
}

static void same_names_are_told_apart(void)
{
	struct names names = { 0 };
	uint32_t all[] = {
		function(&names, "/app", "helper", "/src/a.c", 1),
		function(&names, "/app", "helper", "/src/b.c", 1),
		function(&names, "/app", "only", "/src/a.c", 9),
		function(&names, "/app", "_Z1fi", "/src/c.cc", 1),
		function(&names, "/app", "_Z1fd", "/src/c.cc", 2),
		function(&names, "/app", "init", "/src/x/i.c", 1),
		function(&names, "/app", "init", "/src/y/i.c", 1),
		function(&names, "/a.so", "open", NULL, 0),
		function(&names, "/b.so", "open", NULL, 0),
		NAMES_NONE,
		function(&names, "/app", "s", "/src/a.c", 3),
		function(&names, "/app", "s", "/src/a.c", 4),
	};
	static const char *const shown[] = {
		"helper (a.c)",	     "helper (b.c)",	  "only",	 "f(int)",	"f(double)",
		"init (/src/x/i.c)", "init (/src/y/i.c)", "open (a.so)", "open (b.so)", NULL,
		"s (a.c:3)",	     "s (a.c:4)"
	};

	CU_ASSERT_STRING_EQUAL(names.list[all[3]].name, "f");
	names_tell_apart(&names, all, ARRAY_SIZE(all));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (shown[i])
			CU_ASSERT_STRING_EQUAL(names.list[all[i]].name, shown[i]);
	names_release(&names);
}

/* The compiler makes two functions of one constructor: they are one row. The destructor that frees
 * is not. */
static void constructors_are_one_function(void)
{
	struct names names = { 0 };

	CU_ASSERT_EQUAL(function(&names, "/app", "_ZN1VC1Ev", "/v.cc", 1),
			function(&names, "/app", "_ZN1VC2Ev", "/v.cc", 1));
	CU_ASSERT_NOT_EQUAL(function(&names, "/app", "_ZN1VD0Ev", "/v.cc", 2),
			    function(&names, "/app", "_ZN1VD1Ev", "/v.cc", 2));
	names_release(&names);
}

static char *joined(const char *folder, const char *name)
{
	struct strbuf path = { 0 };

	strbuf_printf(&path, "%s/%s", folder, name);
	return path.text;
}

static void source_is(const char *recorded, const char *pairs, const char *session, const char *expected)
{
	char *found = source_path_find(recorded, pairs, session);

	CU_ASSERT_STRING_EQUAL(found ? found : "none", expected ? expected : "none");
	free(found);
}

static void sources_that_moved(void)
{
	char folder[] = "/tmp/cinstr-source-XXXXXX", *file, *session, *pairs;
	struct strbuf list = { 0 }, found = { 0 };
	struct names_options options = { .source_paths = "/a=/b,nonsense" };
	FILE *out;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	file = joined(folder, "a.c");
	session = joined(folder, "cinstr.data");
	out = fopen(file, "w");
	fclose(out);
	mkdir(session, 0700);
	strbuf_printf(&list, "/other=/x,/build/src=%s", folder);
	pairs = list.text;
	source_is(file, NULL, NULL, file);
	source_is("/build/src/a.c", pairs, NULL, file);
	source_is("/build/srcs/a.c", pairs, NULL, NULL);
	source_is("/build/src/b.c", pairs, NULL, NULL);
	strbuf_printf(&found, "%s/../a.c", session);
	source_is("/elsewhere/x/a.c", NULL, session, found.text);
	source_is("/elsewhere/x/b.c", NULL, session, NULL);
	quiet_begin();
	CU_ASSERT_EQUAL(names_configure("test", &options, 1), -1);
	quiet_end();
	options.source_paths = NULL;
	CU_ASSERT_EQUAL(names_configure("test", &options, 1), 0);
	rmdir(session);
	unlink(file);
	rmdir(folder);
	free(file);
	free(session);
	strbuf_release(&list);
	strbuf_release(&found);
}

static void patterns_match_all_names(void)
{
	static const char *const takes[] = { "_ZNK1n1CIiE1mIdEET_S3_i",
					     "n::C::m",
					     "n::C<*>::m<*>",
					     "n::C<int>::m<double>",
					     "n::*::m",
					     "_ZNK1n*",
					     "double n::C<int>::m<double>(double, int) const" };
	struct names names = { 0 };
	uint32_t m = function(&names, "/app", "_ZNK1n1CIiE1mIdEET_S3_i", "/v.cc", 1);
	uint32_t solve = function(&names, "/app", "solve_", "/v.f90", 1);

	for (size_t i = 0; i < ARRAY_SIZE(takes); i++)
		CU_ASSERT(names_matches(&names.list[m], takes[i]));
	CU_ASSERT(!names_matches(&names.list[m], "m"));
	CU_ASSERT(!names_matches(&names.list[m], "n::C<int>::m<int>"));
	CU_ASSERT(names_matches(&names.list[solve], "solve"));
	CU_ASSERT(names_matches(&names.list[solve], "solve_"));
	CU_ASSERT(!names_matches(&names.list[solve], "solv"));
	names_release(&names);
}

/* One source function, several clones of it in one file: one row. */
static void clones_add_up(void)
{
	struct maker m;
	struct profile p;
	uint32_t main_cell;

	maker_init(&m);
	maker_thread(&m, "t");
	main_cell = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 10);
	maker_frame(&m, 0, main_cell, 0, maker_code(CLONE_ENTER), 1, 90);
	maker_frame(&m, 0, main_cell, 0, maker_code(OMP_ENTER), 2, 20);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(row_named(&p, "clone")->calls, 1);
	CU_ASSERT_EQUAL(row_named(&p, "work::{parallel}:25")->calls, 2);
	CU_ASSERT_EQUAL(row_named(&p, "work::{parallel}:25")->line, 25);
	profile_release(&p);
	maker_release(&m);
}

static void build(struct maker *m)
{
	uint32_t main_cell;

	maker_init(m);
	maker_thread(m, "t");
	main_cell = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 10);
	maker_call(m, 0, main_cell, maker_code(MAIN_PUTS), 1, 20);
	maker_call(m, 0, main_cell, maker_code(MAIN_TWIN), 1, 30);
	maker_call(m, 0, main_cell, maker_code(MAIN_WORK), 1, 40);
	maker_frame(m, 0, main_cell, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 2, 50);
	maker_indirect(m, 0, main_cell, maker_code(MAIN_POINTER), MAKER_LIBC + 0x123, 1, 60);
	maker_indirect(m, 0, main_cell, maker_code(MAIN_POINTER), MAKER_TEXT + 8 * REC_ENTER, 1, 70);
	maker_indirect(m, 0, main_cell, maker_code(MAIN_POINTER), 0x1234, 1, 80);
	maker_frame(m, 0, main_cell, 0, maker_code(CLONE_ENTER), 1, 90);
	maker_call(m, 0, main_cell, maker_code(MAIN_POINTER), 1, 95);
}

static void every_kind_of_cell_has_its_function(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;

	build(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_STRING_EQUAL(row_named(&p, "puts")->module, "/nowhere/libc.so");
	CU_ASSERT_PTR_NULL(row_named(&p, "puts")->file);
	row = row_named(&p, "main");
	CU_ASSERT_STRING_EQUAL(row->module, "/nowhere/app");
	CU_ASSERT_STRING_EQUAL(row->file, "/src/a.c");
	CU_ASSERT_EQUAL(row->line, 10);
	/* of two, the one in the caller's file */
	CU_ASSERT_EQUAL(row_named(&p, "twin")->line, 40);
	CU_ASSERT_EQUAL(row_named(&p, "0x1123")->calls, 1); /* no symbols: link address */
	CU_ASSERT_STRING_EQUAL(row_named(&p, "0x1123")->module, "/nowhere/libc.so");
	CU_ASSERT_EQUAL(row_named(&p, "rec")->line, 30); /* by its ENTER sled */
	CU_ASSERT_STRING_EQUAL(row_named(&p, "0x1234")->module, SYMBOL_UNKNOWN);
	CU_ASSERT_EQUAL(row_named(&p, "clone")->line, 60);
	CU_ASSERT_EQUAL(row_named(&p, SYMBOL_UNKNOWN)->calls, 1);
	profile_release(&p);
	maker_release(&m);
}

static void with_and_without_probes_is_one_function(void)
{
	struct maker m;
	struct profile p;

	build(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(row_named(&p, "work")->calls, 3);
	CU_ASSERT(nearly(row_named(&p, "work")->sums.elapsed_exclusive, 90));
	profile_release(&p);
	maker_release(&m);
}

/* Views of one session have the same entities, for as long as one of them is there. */
static void views_share_names(void)
{
	struct profile functions, callers;
	struct profile *profiles[] = { &functions, &callers };
	struct maker m;
	struct data data;

	build(&m);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	profile_init(&functions, BY_FUNCTION, &default_counting);
	profile_init(&callers, BY_CALLERS, &default_counting);
	profile_share_names(&callers, &functions);
	profiles_add(profiles, 2, &data);
	data_release(&data);
	CU_ASSERT_PTR_EQUAL(functions.names, callers.names);
	CU_ASSERT_EQUAL(row_named(&functions, "work")->entity, row_named(&callers, "work")->entity);
	CU_ASSERT_PTR_EQUAL(row_named(&functions, "work")->name, row_named(&callers, "work")->name);
	profile_release(&functions);
	CU_ASSERT_STRING_EQUAL(row_named(&callers, "work")->file, "/src/a.c");
	profile_release(&callers);
	maker_release(&m);
}

CU_TestInfo names_tests[] = {
	{ "clones have the source's name", clones_have_the_sources_name },
	{ "clones add up", clones_add_up },
	{ "names as the source has them", names_as_the_source_has_them },
	{ "Fortran and Ada", fortran_and_ada },
	{ "hostile names stay as they are", hostile_names_stay_as_they_are },
	{ "same names are told apart", same_names_are_told_apart },
	{ "constructors are one function", constructors_are_one_function },
	{ "patterns match all names", patterns_match_all_names },
	{ "sources that moved", sources_that_moved },
	{ "every kind of cell has its function", every_kind_of_cell_has_its_function },
	{ "with and without probes is one function", with_and_without_probes_is_one_function },
	{ "views share names", views_share_names },
	CU_TEST_INFO_NULL,
};
