/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests.h"

static struct maker maker;

static void make(void)
{
	maker_init(&maker);
	maker_thread(&maker, "t");
	maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	maker_write(&maker);
}

/* Opens what the maker holds (as it is) and returns the first problem, "" if there is none. */
static const char *first_problem(int expected)
{
	static char text[256];
	struct data data;

	CU_ASSERT_EQUAL(data_open(&data, maker.path), expected);
	snprintf(text, sizeof(text), "%s", data.n_problems ? data.problems[0].reason : "");
	data_release(&data);
	return text;
}

static void a_good_file_has_no_problem(void)
{
	struct data data;

	make();
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL(data.n_threads, 1);
	CU_ASSERT_EQUAL(data.threads[0].n_nodes, 2);
	CU_ASSERT_STRING_EQUAL(data_property(&data, "exe"), "/nowhere/app");
	CU_ASSERT_STRING_EQUAL(data_property(&data, "argv2"), "a b");
	CU_ASSERT_PTR_NULL(data_property(&data, "argv3"));
	data_release(&data);
	maker_release(&maker);
}

static void useless_files_are_named_by_what_is_wrong(void)
{
	make();
	maker_write_raw(&maker, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "empty"));
	maker_write_raw(&maker, 5);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "magic"));
	maker_write_raw(&maker, 100);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "header"));
	maker_write_raw(&maker, CINSTR_PAGE - 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "truncated"));
	maker_header(&maker)->version = 77;
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "version 77"));
	memset(maker.bytes, 0, CINSTR_PAGE);
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "no data yet"));
	unlink(maker.path);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "No such file"));
	mkdir(maker.path, 0700);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(-1), "regular file"));
	rmdir(maker.path);
	maker_release(&maker);
}

static void checksums_are_verified(void)
{
	make();
	maker_header(&maker)->pid++;
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(0), "identity"));
	maker_header(&maker)->pid--;
	maker.bytes[CINSTR_PAGE + 64 + 5] ^= 1; /* in the properties */
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_PTR_NOT_NULL(strstr(first_problem(0), "checksum of a segment of type 1"));
	maker_release(&maker);
}

static void a_truncated_file_shows_what_is_left(void)
{
	struct data data;

	maker_init(&maker);
	maker_thread(&maker, "first");
	maker_thread(&maker, "second");
	maker_write(&maker);
	maker_write_raw(&maker, maker.n - CINSTR_PAGE); /* without the second one's buffer */
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_threads, 1);
	CU_ASSERT_STRING_EQUAL(data.threads[0].record->name, "first");
	CU_ASSERT(data.n_problems >= 2);
	data_release(&data);
	maker_release(&maker);
}

static void damaged(void (*damage)(void), const char *reason)
{
	struct data data;
	int found = 0;

	maker_init(&maker);
	maker_thread(&maker, "first");
	maker_thread(&maker, "second");
	maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	maker_frame(&maker, 0, maker_root(&maker, 0) + 1, 0, maker_code(REC_ENTER), 1, 100);
	maker_bucket(&maker, 0, maker_root(&maker, 0) + 1, 1, 10, 0);
	maker_line(&maker, 0, maker_root(&maker, 0) + 1, maker_code(LINED_81), 1, 5);
	maker_line(&maker, 0, maker_root(&maker, 0) + 1, maker_code(LINED_82), 1, 5);
	maker_write(&maker);
	damage();
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_threads, 1);
	if (data.n_threads)
		CU_ASSERT_STRING_EQUAL(data.threads[0].record->name, "second");
	for (size_t i = 0; i < data.n_problems; i++)
		found |= strstr(data.problems[i].reason, reason) != NULL;
	CU_ASSERT(found);
	if (!found)
		printf("not found: %s\n", reason);
	data_release(&data);
	maker_release(&maker);
}

static struct cinstr_cell *cell(uint32_t i)
{
	return maker_cell_at(&maker, maker_root(&maker, 0) + i);
}

static struct cinstr_detail *detail(void)
{
	return maker_detail(&maker, 0, maker_root(&maker, 0) + 1);
}

static struct cinstr_fold_state *state(void)
{
	return &maker_thread_at(&maker, 0)->states[1];
}

static void parent_of_another_thread(void)
{
	cell(1)->parent = maker_root(&maker, 1);
}
static void cycle(void)
{
	cell(1)->parent = maker_root(&maker, 0) + 2;
}
static void own_parent(void)
{
	cell(1)->parent = maker_root(&maker, 0) + 1;
}
static void unknown_kind(void)
{
	cell(2)->tag = 15;
}
static void line_below_root(void)
{
	cell(1)->tag = CINSTR_CELL_LINE;
}
static void line_below_line(void)
{
	cell(5)->parent = maker_root(&maker, 0) + 6;
}
static void line_below_call(void)
{
	cell(1)->tag = CINSTR_CELL_CALL;
}
static void line_below_bucket(void)
{
	cell(5)->parent = maker_root(&maker, 0) + 3;
}
static void second_root(void)
{
	cell(2)->tag = CINSTR_CELL_ROOT;
}
static void no_root(void)
{
	cell(0)->tag = 0;
}
static void foreign_bucket(void)
{
	cell(3)->parent = maker_root(&maker, 0); /* bucket's owner */
}
static void bucket_cycle(void)
{
	cell(3)->func = maker_root(&maker, 0) + 3; /* bucket's next */
}
static void bucket_nowhere(void)
{
	detail()->buckets = 3;
}
static void detail_nowhere(void)
{
	cell(1)->detail = 3;
}
static void foreign_detail(void)
{
	detail()->owner = maker_root(&maker, 0);
}
static void wide_window(void)
{
	detail()->window = CINSTR_SLOTS - CINSTR_RECENT_SLOTS + 1;
}
static void more_nowhere(void)
{
	detail()->more = 3;
}
/* Cell 6, a line's, is another part of the node's instead. */
static struct cinstr_cell *part(uint32_t kind)
{
	struct cinstr_cell *made = cell(6);

	*made = (struct cinstr_cell){ .parent = maker_root(&maker, 0) + 1, .tag = kind };
	return made;
}
static void counts_nowhere(void)
{
	struct cinstr_more *more = (struct cinstr_more *)(void *)part(CINSTR_CELL_MORE);

	detail()->more = maker_root(&maker, 0) + 6;
	more->counts[2] = maker_root(&maker, 0) + 3;
}
static void dirty_nowhere(void)
{
	struct cinstr_more *more = (struct cinstr_more *)(void *)part(CINSTR_CELL_MORE);

	detail()->more = maker_root(&maker, 0) + 6;
	more->dirty = maker_root(&maker, 0) + 6;
}
static void after_bucket_nowhere(void)
{
	detail()->after_buckets = 3;
}
static void deep_stack(void)
{
	state()->depth = 1000000;
}
static void wrong_stack(void)
{
	state()->depth = 1;
}
static void wrong_current(void)
{
	state()->current = maker_root(&maker, 0) + 1;
}
static void wrong_index(void)
{
	maker_thread_at(&maker, 0)->index = 5;
}
static void buffer_nowhere(void)
{
	maker_thread_at(&maker, 0)->buffer_offset = 64;
}
static void buffer_too_long(void)
{
	maker_thread_at(&maker, 0)->buffer_bytes = UINT64_MAX;
}
static void stack_of_another(void)
{
	maker_thread_at(&maker, 0)->stack_offset = maker_thread_at(&maker, 1)->stack_offset;
}
static void long_journal(void)
{
	maker_thread_at(&maker, 0)->journal_commit = 1;
	maker_thread_at(&maker, 0)->journal_used = 1u << 30;
}
static void foreign_journal(void)
{
	struct cinstr_thread *t = maker_thread_at(&maker, 0);
	struct cinstr_undo *undo = (struct cinstr_undo *)(void *)(maker.bytes + t->journal_offset);

	t->journal_commit = t->journal_used = 1;
	undo->offset = maker_thread_at(&maker, 1)->stack_offset;
}

static void damaged_threads_are_left_out(void)
{
	damaged(parent_of_another_thread, "parent lies nowhere");
	damaged(cycle, "do not hang together");
	damaged(own_parent, "do not hang together");
	damaged(unknown_kind, "unknown kind");
	damaged(line_below_root, "belongs to no function");
	damaged(line_below_line, "belongs to no function");
	damaged(line_below_call, "belongs to no function");
	damaged(line_below_bucket, "parent lies nowhere");
	damaged(second_root, "root in the wrong place");
	damaged(no_root, "no root");
	damaged(foreign_bucket, "chain of buckets");
	damaged(bucket_cycle, "chain of buckets");
	damaged(bucket_nowhere, "chain of buckets");
	damaged(detail_nowhere, "detail lies nowhere");
	damaged(foreign_detail, "detail lies nowhere");
	damaged(wide_window, "out of range");
	damaged(more_nowhere, "more of a cell's detail");
	damaged(counts_nowhere, "durations lie nowhere");
	damaged(dirty_nowhere, "application times lie nowhere");
	damaged(after_bucket_nowhere, "chain of buckets");
	damaged(deep_stack, "deeper than its place");
	damaged(wrong_stack, "stack of open calls");
	damaged(wrong_current, "top of its stack");
	damaged(wrong_index, "number is wrong");
	damaged(buffer_nowhere, "buffer lies nowhere");
	damaged(buffer_too_long, "buffer lies nowhere");
	damaged(stack_of_another, "stack lies nowhere");
	damaged(long_journal, "journal is longer");
	damaged(foreign_journal, "not its own");
}

/* An open function may be in a line of it: that is its entry on the stack. */
static void an_open_function_in_a_line(void)
{
	struct data data;
	uint32_t frame, line, call;

	maker_init(&maker);
	maker_thread(&maker, "t");
	frame = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(LINED_ENTER), 1, 100);
	line = maker_line(&maker, 0, frame, maker_code(LINED_81), 1, 5);
	call = maker_call(&maker, 0, line, maker_code(LINED_PUTS), 1, 50);
	maker_open(&maker, 0, line);
	maker_open(&maker, 0, call);
	maker_write(&maker);
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL_FATAL(data.n_threads, 1);
	CU_ASSERT_EQUAL(data.threads[0].n_nodes, 4);
	CU_ASSERT_EQUAL_FATAL(data.threads[0].n_open, 2);
	CU_ASSERT_EQUAL(data.threads[0].nodes[data.threads[0].open[0]].cell->func, maker_code(LINED_ENTER));
	CU_ASSERT_EQUAL(data.threads[0].nodes[data.threads[0].open[1]].cell->site, maker_code(LINED_PUTS));
	data_release(&data);
	maker_release(&maker);
}

/* ---- marks */

/* Opens what the maker holds; the number of marks and of problems must be these. */
static void marks_are(size_t n_marks, size_t n_problems)
{
	struct data data;

	maker_write_raw(&maker, maker.n);
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_marks, n_marks);
	CU_ASSERT_EQUAL(data.n_problems, n_problems);
	if (data.n_problems)
		CU_ASSERT_PTR_NOT_NULL(strstr(data.problems[0].reason, "mark is damaged"));
	data_release(&data);
}

static struct cinstr_mark *make_marks(void)
{
	size_t at;

	maker_init(&maker);
	maker_mark(&maker, 7, 3000, maker_code(MAIN_ENTER), "last");
	at = maker.marks_used;
	maker_mark(&maker, 8, 1000, 0, "first");
	maker_mark(&maker, 7, 2000, 0, "");
	maker_write(&maker);
	return (struct cinstr_mark *)(void *)(maker.bytes + maker.marks + at);
}

static void marks_in_order_of_time(void)
{
	struct data data;

	make_marks();
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL_FATAL(data.n_marks, 3);
	CU_ASSERT_STRING_EQUAL(data.marks[0].text, "first");
	CU_ASSERT_EQUAL(data.marks[0].tid, 8);
	CU_ASSERT_STRING_EQUAL(data.marks[1].text, "");
	CU_ASSERT_STRING_EQUAL(data.marks[2].text, "last");
	CU_ASSERT_EQUAL(data.marks[2].site, maker_code(MAIN_ENTER));
	data_release(&data);
	maker_release(&maker);
}

static void damaged_marks_end_the_list(void)
{
	static const uint32_t sizes[] = { 1, 8, 24, 31, 33, 36, 4096, 0x7ffffff8, 0xfffffff8, 0xffffffff };
	struct cinstr_mark *second = make_marks();
	uint32_t bytes = second->bytes;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		second->bytes = sizes[i];
		marks_are(1, 1);
	}
	memset(second + 1, 'x', bytes - sizeof(*second)); /* no end of its text */
	marks_are(1, 1);
	maker_release(&maker);
}

/* One whose writer was stopped has no length, whatever else is there: those behind it count. */
static void a_begun_mark_is_stepped_over(void)
{
	struct cinstr_mark *second = make_marks();
	uint32_t bytes = second->bytes;

	second->bytes = 0;
	marks_are(2, 0);
	memset(second, 0, bytes); /* nothing but its room */
	marks_are(2, 0);
	second->tid = 8;
	second->ticks = 1000;
	marks_are(2, 0);
	memset(second + 1, 'x', bytes - sizeof(*second) - 1);
	marks_are(2, 0);
	((uint32_t *)(void *)(second + 1))[0] = 40; /* its text looks like a mark's length */
	((uint32_t *)(void *)(second + 1))[1] = 0;
	marks_are(2, 0);
	maker_release(&maker);
	make_marks();
	memset(maker.bytes + maker.marks, 0, 8); /* the first one */
	marks_are(2, 0);
	maker_release(&maker);
}

/* The last mark ends where the segment ends. */
static void a_full_segment_of_marks(void)
{
	size_t room = CINSTR_PAGE - sizeof(struct cinstr_segment);

	maker_init(&maker);
	do
		maker_mark(&maker, 1, 1, 0, "1234567890123456789012345678901");
	while (maker.marks_used < room);
	CU_ASSERT_EQUAL(maker.marks_used, room);
	maker_write(&maker);
	marks_are(room / 64, 0);
	maker_release(&maker);
}

static void a_damaged_segment_is_stepped_over(void)
{
	struct data data;

	maker_init(&maker);
	maker_segment(&maker, CINSTR_SEG_TIMELINE, 0, 3);
	maker_thread(&maker, "behind");
	maker_write(&maker);
	memset(maker.bytes + CINSTR_PAGE * 4, 0xee, 64); /* the timeline's header */
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 1);
	CU_ASSERT_EQUAL(data.problems[0].offset, CINSTR_PAGE * 4);
	CU_ASSERT_EQUAL(data.n_threads, 1);
	data_release(&data);
	maker_release(&maker);
}

CU_TestInfo data_tests[] = {
	{ "a good file has no problem", a_good_file_has_no_problem },
	{ "useless files are named by what is wrong", useless_files_are_named_by_what_is_wrong },
	{ "checksums are verified", checksums_are_verified },
	{ "a truncated file shows what is left", a_truncated_file_shows_what_is_left },
	{ "damaged threads are left out", damaged_threads_are_left_out },
	{ "an open function in a line", an_open_function_in_a_line },
	{ "marks in order of time", marks_in_order_of_time },
	{ "damaged marks end the list", damaged_marks_end_the_list },
	{ "a begun mark is stepped over", a_begun_mark_is_stepped_over },
	{ "a full segment of marks", a_full_segment_of_marks },
	{ "a damaged segment is stepped over", a_damaged_segment_is_stepped_over },
	CU_TEST_INFO_NULL,
};
