/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "output/table_cells.h"
#include "output/upper_end.h"
#include "rows/uncertainty.h"
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

static enum value_type type_of(const struct profile *p, const char *name, enum column column)
{
	return column_value(p, row_named(p, name), column).type;
}

static void averages_and_extremes_of_the_four_values(void)
{
	struct maker m;
	struct profile p;
	struct row *row;

	make_profile(&m, &p);
	row = (struct row *)row_named(&p, "work");
	CU_ASSERT(nearly(number(&p, "work", COLUMN_AVERAGE_EXCLUSIVE), 100));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_AVERAGE_APPLICATION_INCLUSIVE), 100 / 3.0L));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_AVERAGE_APPLICATION_EXCLUSIVE), 100 / 3.0L));
	CU_ASSERT_EQUAL(type_of(&p, "work", COLUMN_SHORTEST_EXCLUSIVE), VALUE_NONE);
	for (int kind = 0; kind < VALUE_KINDS; kind++) {
		row->shortest[kind] = kind;
		row->longest[kind] = 10 + kind;
	}
	CU_ASSERT(nearly(number(&p, "work", COLUMN_SHORTEST), 0));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_SHORTEST_EXCLUSIVE), 1));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_SHORTEST_APPLICATION_INCLUSIVE), 2));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_SHORTEST_APPLICATION_EXCLUSIVE), 3));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_LONGEST_EXCLUSIVE), 11));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_LONGEST_APPLICATION_INCLUSIVE), 12));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_LONGEST_APPLICATION_EXCLUSIVE), 13));
	p.totals.no_source = 1;
	CU_ASSERT_EQUAL(type_of(&p, "work", COLUMN_LONGEST_APPLICATION_EXCLUSIVE), VALUE_NONE);
	CU_ASSERT_EQUAL(type_of(&p, "work", COLUMN_AVERAGE_APPLICATION_INCLUSIVE), VALUE_NONE);
	CU_ASSERT_EQUAL(type_of(&p, "work", COLUMN_UNCERTAINTY_APPLICATION_INCLUSIVE), VALUE_NONE);
	profile_release(&p);
	maker_release(&m);
}

/* A path that has lost a call to another one. */
static void calls_are_at_least_none(void)
{
	struct maker m;
	struct profile p;
	struct row *row;

	make_profile(&m, &p);
	row = (struct row *)row_named(&p, "work");
	row->calls = (uint64_t)-1;
	CU_ASSERT_EQUAL(number(&p, "work", COLUMN_CALLS), 0);
	CU_ASSERT_EQUAL(type_of(&p, "work", COLUMN_AVERAGE), VALUE_NONE);
	row->calls = 3;
	CU_ASSERT_EQUAL(number(&p, "work", COLUMN_CALLS), 3);
	profile_release(&p);
	maker_release(&m);
}

static void quantiles_lie_between_shortest_and_longest(void)
{
	struct maker m;
	struct profile p;
	struct row *row;

	make_profile(&m, &p);
	row = (struct row *)row_named(&p, "work");
	CU_ASSERT_EQUAL(type_of(&p, "work", COLUMN_P50), VALUE_NONE);
	durations_release(&row->durations);
	durations_add(&row->durations, 1000, 90);
	durations_add(&row->durations, 64000, 10);
	row->shortest[VALUE_ELAPSED_INCLUSIVE] = row->longest[VALUE_ELAPSED_INCLUSIVE] = -1;
	CU_ASSERT(number(&p, "work", COLUMN_P50) > 950 && number(&p, "work", COLUMN_P50) < 1050);
	CU_ASSERT(number(&p, "work", COLUMN_P90) < 1050);
	CU_ASSERT(number(&p, "work", COLUMN_P99) > 60000);
	row->shortest[VALUE_ELAPSED_INCLUSIVE] = 1040;
	row->longest[VALUE_ELAPSED_INCLUSIVE] = 62000;
	CU_ASSERT(nearly(number(&p, "work", COLUMN_P50), 1040));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_P99), 62000));
	profile_release(&p);
	maker_release(&m);
}

static void uncertainty_is_of_the_overhead(void)
{
	const struct counting raw = { .os_mask = CINSTR_OS_DEFAULT_MASK, .raw = 1 };
	struct maker m;
	struct profile p;
	struct cinstr_calibration *c;

	maker_init(&m);
	c = &maker_header(&m)->calibration;
	c->rounds = 1;
	c->sum[CINSTR_COST_ENTER] = 10 * 1024;
	c->minimum[CINSTR_COST_ENTER] = 8 * 1024;
	c->maximum[CINSTR_COST_ENTER] = 15 * 1024;
	maker_thread(&m, "t");
	maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(WORK_ENTER), 4, 400);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(number(&p, "work", COLUMN_ELAPSED_EXCLUSIVE), 360));
	/* 4 x the farther side */
	CU_ASSERT(nearly(number(&p, "work", COLUMN_UNCERTAINTY_EXCLUSIVE), 20));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_UNCERTAINTY), 20));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_UNCERTAINTY_APPLICATION_EXCLUSIVE), 20));
	profile_release(&p);
	maker_header(&m)->calibration.rounds = 0; /* the file has moved */
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(column_value(&p, &p.rows[0], COLUMN_UNCERTAINTY).type, VALUE_NONE);
	profile_release(&p);
	profile_of(&p, &m, BY_FUNCTION, &raw);
	CU_ASSERT(nearly(number(&p, "work", COLUMN_ELAPSED_EXCLUSIVE), 400));
	CU_ASSERT(nearly(number(&p, "work", COLUMN_UNCERTAINTY), 0));
	profile_release(&p);
	maker_release(&m);
}

/* R9: of each of the four values by itself. */
static void rough_values(void)
{
	struct sums s = { .elapsed_inclusive = 1000,
			  .elapsed_exclusive = 100,
			  .application_inclusive = 1000,
			  .application_exclusive = 100,
			  .overhead_inclusive = 50,
			  .overhead_low_inclusive = 40,
			  .overhead_high_inclusive = 60 };

	for (int kind = 0; kind < VALUE_KINDS; kind++)
		CU_ASSERT(!uncertainty_is_rough(&s, (enum value_kind)kind));
	s.application_uncertainty_exclusive = 51;
	CU_ASSERT(uncertainty_is_rough(&s, VALUE_APPLICATION_EXCLUSIVE));
	CU_ASSERT(!uncertainty_is_rough(&s, VALUE_APPLICATION_INCLUSIVE));
	CU_ASSERT(!uncertainty_is_rough(&s, VALUE_ELAPSED_EXCLUSIVE));
	s.application_uncertainty_inclusive = 501;
	CU_ASSERT(uncertainty_is_rough(&s, VALUE_APPLICATION_INCLUSIVE));
	s.overhead_high_inclusive = 551;
	CU_ASSERT(uncertainty_is_rough(&s, VALUE_ELAPSED_INCLUSIVE));
	s = (struct sums){ .elapsed_exclusive = 100,
			   .overhead_exclusive = 101,
			   .overhead_low_exclusive = 101,
			   .overhead_high_exclusive = 101 };
	CU_ASSERT(uncertainty_is_rough(&s, VALUE_ELAPSED_EXCLUSIVE));
	CU_ASSERT(!uncertainty_is_rough(&s, VALUE_APPLICATION_EXCLUSIVE)); /* there is none */
	s.application_exclusive = 50;
	CU_ASSERT(uncertainty_is_rough(&s, VALUE_APPLICATION_EXCLUSIVE));
}

/* What has a bar as long as itself. */
static void uncertain_values(struct sums *s)
{
	*s = (struct sums){ .elapsed_inclusive = 1000,
			    .elapsed_exclusive = 100,
			    .application_inclusive = 900,
			    .application_exclusive = 50,
			    .overhead_inclusive = 200,
			    .overhead_exclusive = 200,
			    .overhead_low_inclusive = 60,
			    .overhead_low_exclusive = 60.4L,
			    .overhead_high_inclusive = 300,
			    .overhead_high_exclusive = 300,
			    .application_uncertainty_inclusive = 899,
			    .application_uncertainty_exclusive = 50 };
}

static void values_that_may_be_nothing(void)
{
	struct sums s;

	uncertain_values(&s);
	CU_ASSERT(uncertainty_upper_end(&s, VALUE_ELAPSED_INCLUSIVE) < 0);
	CU_ASSERT(nearly(uncertainty_upper_end(&s, VALUE_ELAPSED_EXCLUSIVE), 239.6L));
	CU_ASSERT(uncertainty_upper_end(&s, VALUE_APPLICATION_INCLUSIVE) < 0);
	CU_ASSERT(nearly(uncertainty_upper_end(&s, VALUE_APPLICATION_EXCLUSIVE), 100));
	s.application_uncertainty_exclusive = 49;
	CU_ASSERT(uncertainty_upper_end(&s, VALUE_APPLICATION_EXCLUSIVE) < 0);
	s.application_uncertainty_exclusive = 900; /* Elapsed cannot be so much */
	CU_ASSERT(nearly(uncertainty_upper_end(&s, VALUE_APPLICATION_EXCLUSIVE), 239.6L));
	CU_ASSERT(uncertainty_end(0, 0) < 0);
	CU_ASSERT(nearly(uncertainty_end(0, 3), 3));
	CU_ASSERT(nearly(upper_end_shown(0.1234L, 3), 0.124L));
	CU_ASSERT(nearly(upper_end_shown(0.124L, 3), 0.124L)); /* no more than it is */
}

static void cell_is(const struct view *view, enum column column, const char *wanted)
{
	struct unit unit = { 1000, "us", 3, 1u << VALUE_ELAPSED_EXCLUSIVE, 1, 0, 0 };
	struct strbuf cell = { 0 };

	struct heading heading = cell_heading(column, view->profile);

	strbuf_clear(&cell);
	cell_put(&cell, view, column, &heading, row_named(view->profile, "work"), &unit);
	CU_ASSERT_STRING_EQUAL(cell.text, wanted);
	CU_ASSERT_EQUAL(cell_marks(view, column, row_named(view->profile, "work"), &unit),
			output_marks_in(cell.text));
	strbuf_release(&cell);
}

static void tables_show_the_upper_end(void)
{
	struct maker m;
	struct profile p;
	struct view view = { .profile = &p };

	make_profile(&m, &p);
	uncertain_values(&((struct row *)row_named(&p, "work"))->sums);
	cell_is(&view, COLUMN_ELAPSED_INCLUSIVE, "1.000");
	/* rounded up, and nothing in the mark's place */
	cell_is(&view, COLUMN_ELAPSED_EXCLUSIVE, "<= 0.240 ");
	cell_is(&view, COLUMN_ELAPSED_EXCLUSIVE_PERCENT, "<= 59.9");
	cell_is(&view, COLUMN_APPLICATION_EXCLUSIVE_PERCENT, "<= 50.0");
	cell_is(&view, COLUMN_AVERAGE_EXCLUSIVE, "<= 79.9 ns");
	cell_is(&view, COLUMN_CALLS, "3");
	cell_is(&view, COLUMN_OVERHEAD_EXCLUSIVE, "0.200");
	/* for scripts as ever */
	CU_ASSERT(nearly(number(&p, "work", COLUMN_ELAPSED_EXCLUSIVE), 100));
	p.counting.raw = 1;
	cell_is(&view, COLUMN_ELAPSED_EXCLUSIVE, "0.100 ");
	p.counting.raw = 0;
	/* of Application times what does not show in the unit is not said */
	((struct row *)row_named(&p, "work"))->sums.application_exclusive = 0;
	((struct row *)row_named(&p, "work"))->sums.application_uncertainty_exclusive = 0.9L;
	cell_is(&view, COLUMN_APPLICATION_EXCLUSIVE, "0.000");
	profile_release(&p);
	maker_release(&m);
}

static void columns_by_name(void)
{
	CU_ASSERT_EQUAL(column_find("calls"), COLUMN_CALLS);
	CU_ASSERT_EQUAL(column_find("elapsed_inclusive_ns"), COLUMN_ELAPSED_INCLUSIVE);
	CU_ASSERT_EQUAL(column_find("elapsed-inclusive"), COLUMN_ELAPSED_INCLUSIVE);
	CU_ASSERT_EQUAL(column_find("avg"), COLUMN_AVERAGE);
	CU_ASSERT_EQUAL(column_find("p99"), COLUMN_P99);
	CU_ASSERT_EQUAL(column_find("min-elapsed-exclusive"), COLUMN_SHORTEST_EXCLUSIVE);
	CU_ASSERT_EQUAL(column_find("time"), COLUMN_ELAPSED_EXCLUSIVE);
	CU_ASSERT_EQUAL(column_find("elapsed"), COLUMN_ELAPSED_EXCLUSIVE);
	CU_ASSERT_EQUAL(column_find("self"), COLUMN_ELAPSED_EXCLUSIVE);
	CU_ASSERT_EQUAL(column_find("total"), COLUMN_ELAPSED_INCLUSIVE);
	quiet_begin();
	CU_ASSERT_EQUAL(column_find("elapsing"), -1);
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

static void order_is_stable(void)
{
	struct row rows[4] = { { .name = "b", .calls = 1, .tid = 2 },
			       { .name = "b", .calls = 1, .tid = 1 },
			       { .name = "a", .calls = 1, .shortest = { 5 } },
			       { .name = "c", .calls = 9, .shortest = { 7 } } };
	const struct row *list[4];
	struct profile p = { .rows = rows, .n_rows = 4 };
	struct order order;

	rows[0].shortest[0] = rows[1].shortest[0] = -1;
	for (int reversed = 0; reversed < 2; reversed++) {
		for (int i = 0; i < 4; i++)
			list[i] = &rows[reversed ? 3 - i : i];
		CU_ASSERT_EQUAL(order_parse(&order, "calls"), 0);
		order_rows(&p, list, 4, &order);
		CU_ASSERT(list[0] == &rows[3] && list[1] == &rows[2] && list[2] == &rows[1] &&
			  list[3] == &rows[0]);
		CU_ASSERT_EQUAL(order_parse(&order, "calls:asc"), 0);
		order_rows(&p, list, 4, &order);
		CU_ASSERT(list[0] == &rows[2] && list[1] == &rows[1] && list[3] == &rows[3]);
		/* what has none is last, both ways */
		CU_ASSERT_EQUAL(order_parse(&order, "min:asc"), 0);
		order_rows(&p, list, 4, &order);
		CU_ASSERT(list[0] == &rows[2] && list[1] == &rows[3] && list[2] == &rows[1]);
		CU_ASSERT_EQUAL(order_parse(&order, "min:desc"), 0);
		order_rows(&p, list, 4, &order);
		CU_ASSERT(list[0] == &rows[3] && list[1] == &rows[2] && list[2] == &rows[1]);
		CU_ASSERT_EQUAL(order_parse(&order, "name:desc"), 0);
		order_rows(&p, list, 4, &order);
		CU_ASSERT(list[0] == &rows[3] && list[1] == &rows[1] && list[3] == &rows[2]);
	}
	quiet_begin();
	CU_ASSERT_EQUAL(order_parse(&order, "calls:up"), -1);
	CU_ASSERT_EQUAL(order_parse(&order, "cals"), -1);
	quiet_end();
}

static int is_list(const struct column_list *columns, size_t n, const enum column *wanted)
{
	return columns->n == n && !memcmp(columns->list, wanted, n * sizeof(*wanted));
}

static void lists_of_columns(void)
{
	const struct column_list defaults = { .list = { COLUMN_CALLS, COLUMN_NAME }, .n = 2 };
	struct profile p = { .by = BY_FUNCTION };
	struct column_list c;

	CU_ASSERT_EQUAL(column_list_parse(&c, "max-elapsed-inclusive,calls,p99", &defaults, &p), 0);
	CU_ASSERT(is_list(&c, 3, (enum column[]){ COLUMN_LONGEST, COLUMN_CALLS, COLUMN_P99 }));
	CU_ASSERT_EQUAL(column_list_parse(&c, "+p99,-calls", &defaults, &p), 0);
	/* numbers before the name */
	CU_ASSERT(is_list(&c, 2, (enum column[]){ COLUMN_P99, COLUMN_NAME }));
	CU_ASSERT(c.stays[COLUMN_P99] && !c.stays[COLUMN_NAME]);
	CU_ASSERT_EQUAL(column_list_parse(&c, "default,percentiles,-p90,-p95,calls", &defaults, &p), 0);
	CU_ASSERT(is_list(&c, 4, (enum column[]){ COLUMN_CALLS, COLUMN_NAME, COLUMN_P50, COLUMN_P99 }));
	CU_ASSERT_EQUAL(column_list_parse(&c, "avg,max", &defaults, &p), 0);
	CU_ASSERT(is_list(&c, 2, (enum column[]){ COLUMN_AVERAGE, COLUMN_LONGEST }));
	CU_ASSERT_EQUAL(column_list_parse(&c, "averages", &defaults, &p), 0);
	CU_ASSERT_EQUAL(c.n, 4);
	CU_ASSERT_EQUAL(column_list_parse(&c, "all", &defaults, &p), 0);
	CU_ASSERT(column_list_has(&c, COLUMN_MAJOR_FAULT) && !column_list_has(&c, COLUMN_CALLEE));
	quiet_begin();
	CU_ASSERT_EQUAL(column_list_parse(&c, "cals", &defaults, &p), -1);
	/* of call sites only */
	CU_ASSERT_EQUAL(column_list_parse(&c, "callee", &defaults, &p), -1);
	CU_ASSERT_EQUAL(column_list_parse(&c, "-calls,-name", &defaults, &p), -1);
	quiet_end();
}

/* No column comes without its line in a table. */
static void every_column_has_a_heading(void)
{
	struct profile p = { .by = BY_FUNCTION };

	for (int i = 0; i < COLUMN_COUNT; i++) {
		struct heading heading = cell_heading(i, &p);

		CU_ASSERT_PTR_NOT_NULL(heading.text);
		CU_ASSERT_EQUAL(heading.form == FORM_NAME, i == COLUMN_NAME);
	}
}

/* Scripts know columns by name: a row of the table that was copied needs its own. */
static void names_are_unique(void)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		for (int k = 0; k < i; k++)
			CU_ASSERT_STRING_NOT_EQUAL(column_infos[i].key, column_infos[k].key);
}

CU_TestInfo columns_tests[] = {
	{ "R7 percentages have their own denominators", percentages_have_their_own_denominators },
	{ "R12 without a source there is no application time",
	  without_a_source_there_is_no_application_time },
	{ "R8 averages and extremes of the four values", averages_and_extremes_of_the_four_values },
	{ "calls are at least none", calls_are_at_least_none },
	{ "quantiles lie between shortest and longest", quantiles_lie_between_shortest_and_longest },
	{ "R9 uncertainty is that of the overhead", uncertainty_is_of_the_overhead },
	{ "R9 rough values", rough_values },
	{ "R9 values that may be nothing", values_that_may_be_nothing },
	{ "R9 tables show the upper end", tables_show_the_upper_end },
	{ "order is stable", order_is_stable },
	{ "lists of columns", lists_of_columns },
	{ "every column has a heading", every_column_has_a_heading },
	{ "names are unique", names_are_unique },
	{ "columns by name", columns_by_name },
	{ "rows in order", rows_in_order },
	CU_TEST_INFO_NULL,
};
