/* SPDX-License-Identifier: GPL-3.0-or-later */
/* R11 by kind, R6 for counts; processes' and threads' lives; modules with their functions. */
#include <string.h>

#include "output/columns.h"
#include "tests.h"
#include "view/view.h"

/*
 * main -> rec -> rec -> read x7, and main -> usleep x2. rec, outer: 3 intervals with major faults
 * and block input; rec, inner: 2 voluntary and 5 involuntary switches; main: 4 intervals with minor
 * faults and block output.
 */
static void make_events(struct maker *m)
{
	uint32_t main_cell, outer, inner, cell;

	maker_init(m);
	maker_thread(m, "first");
	main_cell = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	maker_bucket_of(m, 0, main_cell, CINSTR_OS_MINOR_FAULT | CINSTR_OS_BLOCK_OUT, 4, 0, 0);
	outer = maker_frame(m, 0, main_cell, maker_code(MAIN_REC), maker_code(REC_ENTER), 1, 10);
	maker_bucket_of(m, 0, outer, CINSTR_OS_MAJOR_FAULT | CINSTR_OS_BLOCK_IN, 3, 0, 0);
	inner = maker_frame(m, 0, outer, maker_code(REC_REC), maker_code(REC_ENTER), 1, 20);
	maker_bucket_of(m, 0, inner, CINSTR_OS_VOLUNTARY, 1, 2, 0);
	maker_bucket_of(m, 0, inner, CINSTR_OS_INVOLUNTARY, 5, 0, 5);
	maker_call(m, 0, inner, maker_code(WORK_READ), 7, 30);
	cell = maker_call(m, 0, main_cell, maker_code(MAIN_USLEEP), 2, 40);
	maker_bucket_of(m, 0, cell, CINSTR_OS_VOLUNTARY, 2, 2, 0)->ticks = 40;
}

static uint64_t count(const struct profile *p, const char *name, enum column column)
{
	struct value value = column_value(p, row_named(p, name), column);

	CU_ASSERT_EQUAL(value.type, VALUE_COUNT);
	return value.count;
}

static void counts_by_kind(void)
{
	struct maker m;
	struct profile p;

	make_events(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_VOLUNTARY_EXCLUSIVE), 2);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_INVOLUNTARY_EXCLUSIVE), 5);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_MAJOR_FAULT_EXCLUSIVE), 3);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_BLOCK_IN_EXCLUSIVE), 3);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_BLOCK_OUT_EXCLUSIVE), 0);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_SYSCALL_EXCLUSIVE), 0);
	CU_ASSERT_EQUAL(count(&p, "read", COLUMN_SYSCALL_EXCLUSIVE), 7);
	CU_ASSERT_EQUAL(count(&p, "main", COLUMN_MINOR_FAULT_EXCLUSIVE), 4);
	CU_ASSERT_EQUAL(count(&p, "main", COLUMN_BLOCK_OUT_EXCLUSIVE), 4);
	CU_ASSERT_EQUAL(count(&p, "main", COLUMN_VOLUNTARY_EXCLUSIVE), 0);
	profile_release(&p);
	maker_release(&m);
}

static void counts_once_per_interval_and_row(void)
{
	struct maker m;
	struct profile p;

	make_events(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	/* not 10: rec is on the path twice */
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_INVOLUNTARY), 5);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_VOLUNTARY), 2);
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_SYSCALL), 7);
	CU_ASSERT_EQUAL(count(&p, "main", COLUMN_VOLUNTARY), 4);
	CU_ASSERT_EQUAL(count(&p, "main", COLUMN_MAJOR_FAULT), 3);
	CU_ASSERT_EQUAL(count(&p, "main", COLUMN_SYSCALL), 9);
	/* not what its callers' other calls did */
	CU_ASSERT_EQUAL(count(&p, "usleep", COLUMN_VOLUNTARY), 2);
	CU_ASSERT_EQUAL(count(&p, "usleep", COLUMN_INVOLUNTARY), 0);
	profile_release(&p);
	profile_of(&p, &m, BY_MODULE, &default_counting);
	CU_ASSERT_EQUAL(count(&p, "app", COLUMN_VOLUNTARY), 4);
	CU_ASSERT_EQUAL(count(&p, "app", COLUMN_VOLUNTARY_EXCLUSIVE), 2);
	profile_release(&p);
	profile_of(&p, &m, BY_THREAD, &default_counting);
	CU_ASSERT_EQUAL(count(&p, "first", COLUMN_VOLUNTARY), 4);
	CU_ASSERT_EQUAL(count(&p, "first", COLUMN_VOLUNTARY_EXCLUSIVE), 4);
	CU_ASSERT_EQUAL(count(&p, "first", COLUMN_SYSCALL), 9);
	profile_release(&p);
	maker_release(&m);
}

/* A row that is left and entered again below another one still counts once. */
static void counts_of_a_line_and_its_function(void)
{
	struct maker m;
	struct profile p;
	uint32_t at, line;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(LINED_ENTER), 1, 100);
	line = maker_line(&m, 0, at, maker_code(LINED_81), 1, 10);
	maker_bucket_of(&m, 0, line, CINSTR_OS_VOLUNTARY, 1, 3, 0);
	at = maker_frame(&m, 0, line, maker_code(LINED_LINED), maker_code(LINED_ENTER), 1, 50);
	maker_bucket_of(&m, 0, at, CINSTR_OS_INVOLUNTARY, 1, 0, 1);
	profile_of(&p, &m, BY_LINE, &default_counting);
	CU_ASSERT_EQUAL(count(&p, "a.c:81", COLUMN_VOLUNTARY), 3);
	CU_ASSERT_EQUAL(count(&p, "a.c:81", COLUMN_INVOLUNTARY), 1);
	CU_ASSERT_EQUAL(count(&p, "a.c:80", COLUMN_VOLUNTARY),
			0); /* the line, not its function's definition */
	CU_ASSERT_EQUAL(count(&p, "a.c:80", COLUMN_INVOLUNTARY), 1);
	profile_release(&p);
	maker_release(&m);
}

static void no_source_no_counts(void)
{
	struct maker m;
	struct profile p;

	make_events(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	p.totals.no_source = 1;
	CU_ASSERT_EQUAL(column_value(&p, row_named(&p, "rec"), COLUMN_VOLUNTARY).type, VALUE_NONE);
	CU_ASSERT_EQUAL(column_value(&p, row_named(&p, "rec"), COLUMN_OFF_CPU).type, VALUE_NONE);
	CU_ASSERT_EQUAL(column_value(&p, row_named(&p, "read"), COLUMN_SYSCALL).type, VALUE_COUNT);
	profile_release(&p);
	maker_release(&m);
}

static void lives_of_threads_and_processes(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;
	uint32_t at;

	maker_init(&m);
	maker_header(&m)->end = CINSTR_END_SIGNAL;
	maker_header(&m)->end_status = 9;
	maker_header(&m)->end_realtime_ns = maker_header(&m)->start_realtime_ns + 5000;
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 1000);
	maker_bucket(&m, 0, at, CINSTR_OS_VOLUNTARY, 400, 250);
	maker_thread_at(&m, 0)->state = CINSTR_THREAD_LIVE;
	profile_of(&p, &m, BY_PROCESS, &default_counting);
	row = row_named(&p, "app");
	CU_ASSERT_STRING_EQUAL(column_value(&p, row, COLUMN_ENDED).text, "signal 9 (KILL)");
	CU_ASSERT_STRING_EQUAL(column_value(&p, row, COLUMN_COMMAND_LINE).text, "./app --size 'a b'");
	CU_ASSERT(nearly(column_value(&p, row, COLUMN_BEGIN).number, 0));
	CU_ASSERT(nearly(column_value(&p, row, COLUMN_END).number, 5000));
	CU_ASSERT(nearly(column_value(&p, row, COLUMN_ON_CPU_PERCENT).number, 75));
	profile_release(&p);
	profile_of(&p, &m, BY_THREAD, &default_counting);
	row = row_named(&p, "t");
	CU_ASSERT_STRING_EQUAL(column_value(&p, row, COLUMN_ENDED).text, "signal 9 (KILL)");
	CU_ASSERT_STRING_EQUAL(column_value(&p, row, COLUMN_PROCESS).text, "app");
	CU_ASSERT(
		nearly(column_value(&p, row, COLUMN_END).number - column_value(&p, row, COLUMN_BEGIN).number,
		       1000));
	profile_release(&p);
	maker_thread_at(&m, 0)->state = CINSTR_THREAD_ENDED;
	profile_of(&p, &m, BY_THREAD, &default_counting);
	CU_ASSERT_STRING_EQUAL(column_value(&p, row_named(&p, "t"), COLUMN_ENDED).text, "ended");
	profile_release(&p);
	maker_release(&m);
}

/* Calls, averages and extremes of a thread are those of the calls in it. */
static void values_of_a_threads_calls(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;
	uint32_t at;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 1000);
	maker_extremes(&m, 0, at, 1600, 1600);
	at = maker_frame(&m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 3, 600);
	maker_extremes(&m, 0, at, 100, 300);
	profile_of(&p, &m, BY_THREAD, &default_counting);
	row = row_named(&p, "t");
	CU_ASSERT(nearly(column_value(&p, row, COLUMN_AVERAGE).number, (1600 + 600) / 4.0L));
	CU_ASSERT(nearly(column_value(&p, row, COLUMN_SHORTEST).number, 100));
	CU_ASSERT(nearly(column_value(&p, row, COLUMN_LONGEST).number, 1600));
	profile_release(&p);
	maker_release(&m);
}

static void modules_with_functions(void)
{
	struct maker m;
	struct profile p;
	struct data data;
	const struct row *app, *rec;

	make_events(&m);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	profile_init(&p, BY_MODULE, &default_counting);
	p.functions = 1;
	profile_add(&p, &data);
	data_release(&data);
	app = row_named(&p, "app");
	rec = row_named(&p, "rec");
	CU_ASSERT_EQUAL(app->depth, 1);
	CU_ASSERT_EQUAL(rec->depth, 2);
	CU_ASSERT_PTR_EQUAL(&p.rows[rec->parent], app);
	CU_ASSERT_PTR_EQUAL(&p.rows[row_named(&p, "usleep")->parent], row_named(&p, "libc.so"));
	CU_ASSERT(nearly(app->sums.elapsed_inclusive, 200)); /* as without functions */
	CU_ASSERT(nearly(rec->sums.elapsed_inclusive, 60));
	CU_ASSERT(nearly(rec->sums.elapsed_exclusive, 30));
	CU_ASSERT_EQUAL(count(&p, "rec", COLUMN_INVOLUNTARY), 5);
	CU_ASSERT_EQUAL(count(&p, "app", COLUMN_INVOLUNTARY), 5);
	profile_release(&p);
	maker_release(&m);
}

static const struct row *path_of(const struct profile *p, const char *name, uint32_t depth)
{
	for (size_t i = 0; i < p->n_rows; i++)
		if (p->rows[i].name && !strcmp(p->rows[i].name, name) && p->rows[i].depth == depth)
			return &p->rows[i];
	return row_named(p, "");
}

static uint64_t path_count(const struct profile *p, const char *name, uint32_t depth, enum column column)
{
	return column_value(p, path_of(p, name, depth), column).count;
}

/* What hidden paths did is in those above them. */
static void counts_of_paths(void)
{
	struct paths_choice choice = { .depth = 2 };
	long double hidden;
	struct maker m;
	struct profile p;
	struct data data;

	make_events(&m);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	profile_init(&p, BY_PATH, &default_counting);
	profile_add(&p, &data);
	CU_ASSERT_EQUAL(paths_choose(&p, &choice, &hidden), 2);
	profile_add(&p, &data);
	paths_finish(&p);
	data_release(&data);
	CU_ASSERT_EQUAL(path_count(&p, "rec", 2, COLUMN_INVOLUNTARY), 5);
	CU_ASSERT_EQUAL(path_count(&p, "rec", 2, COLUMN_INVOLUNTARY_EXCLUSIVE), 0);
	CU_ASSERT_EQUAL(path_count(&p, "rec", 2, COLUMN_SYSCALL), 7);
	CU_ASSERT_EQUAL(path_count(&p, "rec", 2, COLUMN_MAJOR_FAULT_EXCLUSIVE), 3);
	CU_ASSERT_EQUAL(path_count(&p, "usleep", 2, COLUMN_VOLUNTARY_EXCLUSIVE), 2);
	CU_ASSERT_EQUAL(path_count(&p, "main", 1, COLUMN_VOLUNTARY), 4);
	CU_ASSERT_EQUAL(path_count(&p, "main", 1, COLUMN_VOLUNTARY_EXCLUSIVE), 0);
	CU_ASSERT_EQUAL(path_count(&p, "main", 1, COLUMN_SYSCALL), 9);
	profile_release(&p);
	maker_release(&m);
}

struct with_view {
	struct view_options view;
};

/* --help says it in words of its own: a new row of os_events.h must be told there. */
static void help_tells_every_event(void)
{
	static const struct option options[] = { VIEW_OPTIONS(struct with_view, view) };
	const char *help = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].name && !strcmp(options[i].name, "os-events"))
			help = options[i].help;
	CU_ASSERT_PTR_NOT_NULL_FATAL(help);
	for (int kind = 0; kind < OS_KINDS; kind++)
		CU_ASSERT_PTR_NOT_NULL(strstr(help, os_kind_infos[kind].word));
}

/* Bits are in files that exist. */
static void bits_stay(void)
{
	struct strbuf text = { 0 };

	os_events_put(&text, 127, " ");
	CU_ASSERT_STRING_EQUAL(text.text,
			       "voluntary involuntary major-fault block-in block-out syscall minor-fault");
	strbuf_clear(&text);
	os_events_put(&text, CINSTR_OS_DEFAULT_MASK, " ");
	CU_ASSERT_STRING_EQUAL(text.text, "voluntary involuntary major-fault block-in block-out syscall");
	strbuf_clear(&text);
	os_events_put(&text, 0, " ");
	CU_ASSERT_STRING_EQUAL(text.text, "none");
	strbuf_release(&text);
}

CU_TestInfo os_counts_tests[] = {
	{ "help tells every event", help_tells_every_event },
	{ "R11 bits stay", bits_stay },
	{ "R11 counts by kind", counts_by_kind },
	{ "R6 counts once per interval and row", counts_once_per_interval_and_row },
	{ "R6 counts of a line and of its function", counts_of_a_line_and_its_function },
	{ "R6 counts of call paths", counts_of_paths },
	{ "R12 no source, no counts", no_source_no_counts },
	{ "lives of threads and processes", lives_of_threads_and_processes },
	{ "values of a thread's calls", values_of_a_threads_calls },
	{ "modules with their functions", modules_with_functions },
	CU_TEST_INFO_NULL,
};
