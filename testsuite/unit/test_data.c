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
	cell(2)->tag = 9;
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
	cell(1)->buckets = 3;
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
	damaged(second_root, "root in the wrong place");
	damaged(no_root, "no root");
	damaged(foreign_bucket, "chain of buckets");
	damaged(bucket_cycle, "chain of buckets");
	damaged(bucket_nowhere, "bucket lies nowhere");
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
	{ "a damaged segment is stepped over", a_damaged_segment_is_stepped_over },
	CU_TEST_INFO_NULL,
};
