/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

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
	CU_ASSERT_EQUAL(row_named(&p, "work [parallel region 0]")->calls, 2);
	CU_ASSERT_EQUAL(row_named(&p, "work [parallel region 0]")->line, 25);
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
	CU_ASSERT_EQUAL(row_named(&p, "twin")->line, 40);   /* of two, the one in the caller's file */
	CU_ASSERT_EQUAL(row_named(&p, "0x1123")->calls, 1); /* no symbols: link address */
	CU_ASSERT_STRING_EQUAL(row_named(&p, "0x1123")->module, "/nowhere/libc.so");
	CU_ASSERT_EQUAL(row_named(&p, "rec")->line, 30); /* by its ENTER sled */
	CU_ASSERT_STRING_EQUAL(row_named(&p, "0x1234")->module, NAMES_UNKNOWN);
	CU_ASSERT_EQUAL(row_named(&p, "clone")->line, 60);
	CU_ASSERT_EQUAL(row_named(&p, NAMES_UNKNOWN)->calls, 1);
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

CU_TestInfo names_tests[] = {
	{ "clones have the source's name", clones_have_the_sources_name },
	{ "clones add up", clones_add_up },
	{ "every kind of cell has its function", every_kind_of_cell_has_its_function },
	{ "with and without probes is one function", with_and_without_probes_is_one_function },
	CU_TEST_INFO_NULL,
};
