/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "columns.h"
#include "tests.h"

/* work is 300 of 400 elapsed, 100 of 200 application */
static void make_profile(struct maker *m, struct profile *p)
{
	uint32_t at;

	maker_init(m);
	maker_thread(m, "t");
	maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	at = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(WORK_ENTER), 3, 300);
	maker_bucket(m, 0, at, CINSTR_OS_VOLUNTARY, 200, 0);
	profile_of(p, m, BY_FUNCTION, &default_counting);
}

static long double number(const struct profile *p, const char *name, enum column column)
{
	return column_value(p, row_named(p, name), column).number;
}

static void percentages_have_their_own_denominators(void)
{
	struct maker m;
	struct profile p;

	make_profile(&m, &p);
	CU_ASSERT(nearly(number(&p, "work", COLUMN_ELAPSED_INCLUSIVE_PERCENT), 75));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_ELAPSED_EXCLUSIVE_PERCENT), 75));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_APPLICATION_INCLUSIVE_PERCENT), 50));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_APPLICATION_EXCLUSIVE_PERCENT), 50));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_AVERAGE), 100));
	profile_release(&p);
	maker_release(&m);
}

static void without_a_source_there_is_no_application_time(void)
{
	struct maker m;
	struct profile p;

	make_profile(&m, &p);
	CU_ASSERT_EQUAL(column_value(&p, row_named(&p, "work"), COLUMN_APPLICATION_INCLUSIVE).type, VALUE_NS);
	p.totals.no_source = 1;
	CU_ASSERT_EQUAL(column_value(&p, row_named(&p, "work"), COLUMN_APPLICATION_INCLUSIVE).type,
			VALUE_NONE);
	CU_ASSERT_EQUAL(column_value(&p, row_named(&p, "work"), COLUMN_APPLICATION_EXCLUSIVE_PERCENT).type,
			VALUE_NONE);
	CU_ASSERT_EQUAL(column_value(&p, row_named(&p, "work"), COLUMN_ELAPSED_INCLUSIVE).type, VALUE_NS);
	profile_release(&p);
	maker_release(&m);
}

static void columns_by_name(void)
{
	CU_ASSERT_EQUAL(column_find("calls"), COLUMN_CALLS);
	CU_ASSERT_EQUAL(column_find("elapsed_inclusive_ns"), COLUMN_ELAPSED_INCLUSIVE);
	CU_ASSERT_EQUAL(column_find("elapsed-inclusive"), COLUMN_ELAPSED_INCLUSIVE);
	CU_ASSERT_EQUAL(column_find("avg"), COLUMN_AVERAGE);
	quiet_begin();
	CU_ASSERT_EQUAL(column_find("elapsed"), -1);
	CU_ASSERT_EQUAL(column_find(""), -1);
	quiet_end();
}

static void rows_in_order(void)
{
	struct maker m;
	struct profile p;
	const struct row *rows[2];

	make_profile(&m, &p);
	rows[0] = row_named(&p, "main");
	rows[1] = row_named(&p, "work");
	column_sort(&p, rows, 2, COLUMN_ELAPSED_EXCLUSIVE);
	CU_ASSERT_STRING_EQUAL(rows[0]->name, "work");
	column_sort(&p, rows, 2, COLUMN_NAME);
	CU_ASSERT_STRING_EQUAL(rows[0]->name, "main");
	column_sort(&p, rows, 2, COLUMN_LINE);
	CU_ASSERT_STRING_EQUAL(rows[0]->name, "work");
	profile_release(&p);
	maker_release(&m);
}

CU_TestInfo columns_tests[] = {
	{ "R7 percentages have their own denominators", percentages_have_their_own_denominators },
	{ "R12 without a source there is no application time",
	  without_a_source_there_is_no_application_time },
	{ "columns by name", columns_by_name },
	{ "rows in order", rows_in_order },
	CU_TEST_INFO_NULL,
};
