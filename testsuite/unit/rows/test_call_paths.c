/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged call paths: sums, what is hidden, the hot path, folded chains, other roots. */
#include <string.h>

#include "rows/hot_path.h"
#include "tests.h"

/*
 * One thread, in ns:
 *   main 10 -> work 20 -> rec 30 -> rec 400 -> rec 3 -> puts 40
 *              twin_a 100
 *   work 60 -> rec 5
 */
static void make_tree(struct maker *m)
{
	uint32_t main_cell, at, rec;

	maker_init(m);
	maker_thread(m, "t");
	main_cell = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 10);
	at = maker_frame(m, 0, main_cell, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 2, 20);
	rec = maker_frame(m, 0, at, maker_code(WORK_REC), maker_code(REC_ENTER), 3, 30);
	rec = maker_frame(m, 0, rec, maker_code(REC_REC), maker_code(REC_ENTER), 4, 400);
	rec = maker_frame(m, 0, rec, maker_code(REC_REC), maker_code(REC_ENTER), 5, 3);
	maker_call(m, 0, rec, maker_code(MAIN_PUTS), 6, 40);
	maker_frame(m, 0, main_cell, maker_code(MAIN_TWIN), maker_code(TWIN_A_ENTER), 7, 100);
	at = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(WORK_ENTER), 1, 60);
	maker_frame(m, 0, at, maker_code(WORK_REC), maker_code(REC_ENTER), 2, 5);
}

struct tree {
	struct maker maker;
	struct profile profile;
	long double hidden;
	size_t n_hidden;
};

/* Reads the file `times` times, as so many processes of a session. */
static void read_tree(struct tree *t, const char *root, const struct paths_choice *choice, int times)
{
	struct data data;

	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&t->maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	profile_init(&t->profile, BY_PATH, &default_counting);
	t->profile.paths.root = root;
	for (int i = 0; i < times; i++)
		profile_add(&t->profile, &data);
	t->n_hidden = paths_choose(&t->profile, choice, &t->hidden);
	for (int i = 0; i < times; i++)
		profile_add(&t->profile, &data);
	data_release(&data);
}

static void tree_of(struct tree *t, const char *root, const struct paths_choice *choice)
{
	make_tree(&t->maker);
	read_tree(t, root, choice, 1);
}

static void release(struct tree *t)
{
	profile_release(&t->profile);
	maker_release(&t->maker);
}

/* The row of that name at that depth, the n-th of them. */
static const struct row *row_at(const struct tree *t, const char *name, uint32_t depth)
{
	static const struct row none = { .calls = UINT64_MAX };

	for (size_t i = 1; i < t->profile.n_rows; i++)
		if (!strcmp(t->profile.rows[i].name, name) && t->profile.rows[i].depth == depth)
			return &t->profile.rows[i];
	return &none;
}

static long double shown(const struct tree *t)
{
	long double sum = 0;

	for (size_t i = 0; i < t->profile.n_rows; i++)
		sum += t->profile.rows[i].sums.elapsed_exclusive;
	return sum;
}

static void rows_have_the_values_of_all_processes(void)
{
	struct tree t;

	make_tree(&t.maker);
	maker_root_ticks(&t.maker, 0, 9);
	read_tree(&t, NULL, &every_path, 3);
	CU_ASSERT_EQUAL(t.profile.n_rows, 1 + 9);
	CU_ASSERT_EQUAL(t.n_hidden, 0);
	CU_ASSERT_EQUAL(t.profile.totals.processes, 3); /* though it was read twice */
	CU_ASSERT(nearly(t.profile.totals.elapsed, 3 * 677));
	CU_ASSERT(nearly(shown(&t), 3 * 677));
	CU_ASSERT_EQUAL(row_at(&t, "rec", 4)->calls, 12);
	CU_ASSERT(nearly(row_at(&t, "rec", 4)->sums.elapsed_inclusive, 3 * 443));
	CU_ASSERT(nearly(row_at(&t, "rec", 4)->activations_elapsed, 3 * 443));
	CU_ASSERT(nearly(row_at(&t, "puts", 6)->sums.application_exclusive, 3 * 40));
	for (size_t i = 1; i < t.profile.n_rows; i++) {
		const struct row *row = &t.profile.rows[i];
		long double sum = row->sums.elapsed_exclusive;

		CU_ASSERT(row->parent < i);
		for (uint32_t k = row->child; k != ROW_NONE; k = t.profile.rows[k].sibling)
			sum += t.profile.rows[k].sums.elapsed_inclusive;
		CU_ASSERT(nearly(sum, row->sums.elapsed_inclusive));
	}
	release(&t);
}

static void what_is_hidden_is_counted(void)
{
	static const struct paths_choice by_share = { .min_percent = 10, .depth = UINT64_MAX };
	static const struct paths_choice by_depth = { .depth = 2 };
	struct tree t;

	/* of 668: 66.8. Hidden: the third rec 43, puts 40, work 65 -> rec 5 */
	tree_of(&t, NULL, &by_share);
	CU_ASSERT_EQUAL(t.n_hidden, 4);
	CU_ASSERT_EQUAL(t.profile.paths.n_tops, 2);
	CU_ASSERT(nearly(t.hidden, 43 + 65));
	CU_ASSERT(nearly(shown(&t) + t.hidden, 668));
	CU_ASSERT_EQUAL(t.profile.n_rows, 1 + 5);
	release(&t);
	tree_of(&t, NULL, &by_depth);
	CU_ASSERT_EQUAL(t.n_hidden, 4);
	CU_ASSERT_EQUAL(t.profile.paths.n_tops, 1);
	CU_ASSERT(nearly(t.hidden, 473));
	/* hidden time stays in it */
	CU_ASSERT(nearly(row_at(&t, "work", 2)->sums.elapsed_inclusive, 493));
	release(&t);
}

static void the_hot_path_takes_half_at_least(void)
{
	static const char *const names[] = { "main", "work", "rec" };
	struct hot_path path;
	struct tree t;
	size_t hot = 0;

	tree_of(&t, NULL, &every_path); /* the second rec has 443, the third 43 of it */
	hot_path_make(&path, &t.profile);
	CU_ASSERT_EQUAL_FATAL(path.n, 3);
	for (size_t i = 0; i < 3; i++)
		CU_ASSERT_STRING_EQUAL(t.profile.names->list[path.list[i].entity].name, names[i]);
	CU_ASSERT(path.list[2].is_recursive && !path.list[1].is_recursive && !path.skips_waits);
	hot_path_release(&path);
	for (size_t i = 1; i < t.profile.n_rows; i++)
		hot += t.profile.rows[i].is_hot != 0;
	CU_ASSERT_EQUAL(hot, 4);
	CU_ASSERT(row_at(&t, "rec", 4)->is_hot && !row_at(&t, "rec", 5)->is_hot);
	CU_ASSERT(!row_at(&t, "work", 1)->is_hot);
	release(&t);
}

/* Exactly half is enough, less is not. */
static void the_hot_path_at_its_limit(void)
{
	for (uint64_t own = 50; own <= 51; own++) {
		struct hot_path path;
		struct tree t;
		uint32_t at;

		maker_init(&t.maker);
		maker_thread(&t.maker, "t");
		at = maker_frame(&t.maker, 0, maker_root(&t.maker, 0), 0, maker_code(MAIN_ENTER), 1, own);
		maker_frame(&t.maker, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 50);
		read_tree(&t, NULL, &every_path, 1);
		hot_path_make(&path, &t.profile);
		CU_ASSERT_EQUAL(path.n, own == 50 ? 2 : 1);
		hot_path_release(&path);
		release(&t);
	}
}

/* Waits for other threads, where there are any, are no work of this one. */
static void the_hot_path_is_of_work(void)
{
	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct hot_path path;
		struct tree t;
		uint32_t at;

		maker_init(&t.maker);
		maker_rename(&t.maker, "work._omp_fn.0", "pthread_join");
		for (uint32_t i = 0; i < threads; i++)
			maker_thread(&t.maker, "t");
		at = maker_frame(&t.maker, 0, maker_root(&t.maker, 0), 0, maker_code(MAIN_ENTER), 1, 10);
		maker_frame(&t.maker, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 90);
		maker_frame(&t.maker, 0, at, maker_code(MAIN_TWIN), maker_code(OMP_ENTER), 1, 1000);
		read_tree(&t, NULL, &every_path, 1);
		hot_path_make(&path, &t.profile);
		CU_ASSERT_EQUAL_FATAL(path.n, 2);
		CU_ASSERT_STRING_EQUAL(t.profile.names->list[path.list[1].entity].name,
				       threads == 1 ? "pthread_join" : "work");
		hot_path_release(&path);
		release(&t);
	}
}

static void chains_are_folded(void)
{
	static const struct paths_choice fold = { .depth = UINT64_MAX, .fold_percent = 95, .fold_length = 2 };
	static const struct paths_choice longer = { .depth = UINT64_MAX,
						    .fold_percent = 95,
						    .fold_length = 4 };
	struct tree t;
	const struct row *row;

	/* work 493 -> rec 473: 95.9 %; puts has 40 of rec's 43: 93 %; main has two callees */
	tree_of(&t, NULL, &fold);
	row = row_at(&t, "work > rec (x 3)", 2);
	CU_ASSERT_EQUAL(row->calls, 2); /* of work */
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 493));
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 20 + 30 + 400 + 3));
	CU_ASSERT_EQUAL(t.profile.n_rows, 1 + 6);
	CU_ASSERT_EQUAL(t.profile.paths.n_folded, 3);
	CU_ASSERT_EQUAL(t.profile.paths.n_lines, 1);
	CU_ASSERT(row->is_hot);
	CU_ASSERT_EQUAL(row_at(&t, "puts", 3)->parent, row - t.profile.rows);
	CU_ASSERT(nearly(shown(&t), 668)); /* work 65 -> rec 5: 7 % */
	release(&t);
	tree_of(&t, NULL, &longer);
	CU_ASSERT_EQUAL(t.profile.paths.n_folded, 3);
	release(&t);
	tree_of(&t, "rec", &longer); /* three */
	CU_ASSERT_EQUAL(t.profile.paths.n_folded, 0);
	release(&t);
}

static void recursion_is_folded_to_one_function(void)
{
	static const struct paths_choice fold = { .depth = UINT64_MAX, .fold_percent = 95, .fold_length = 3 };
	struct tree t;
	const struct row *row;

	tree_of(&t, "rec", &fold);
	row = row_at(&t, "rec (x 3)", 1);
	CU_ASSERT_EQUAL(row->calls, 3 + 2 + 4 + 5); /* R6: every activation */
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 473 + 5));
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 433 + 5));
	CU_ASSERT(nearly(row->activations_elapsed, 478 + 443 + 43));
	release(&t);
}

/* What else a caller called is not folded away, unless it is hidden and counted as such. */
static void hidden_callees_do_not_keep_a_chain_apart(void)
{
	struct paths_choice fold = { .depth = UINT64_MAX, .fold_percent = 80, .fold_length = 2 };
	struct tree t;

	tree_of(&t, NULL, &fold); /* work has 81.8 % of main, beside twin */
	CU_ASSERT_EQUAL(row_at(&t, "main", 1)->calls, 1);
	release(&t);
	fold.min_percent = 20;
	tree_of(&t, NULL, &fold);
	CU_ASSERT_EQUAL(row_at(&t, "main > work > rec (x 3)", 1)->calls, 1);
	CU_ASSERT(nearly(t.hidden, 40 + 100 + 65));
	CU_ASSERT(nearly(shown(&t) + t.hidden, 668));
	release(&t);
}

/* 20 levels of work(), each of which calls rec() as well: the deepest have less than is shown, and
 * are in the line all the same. */
static void a_recursion_in_a_line_is_all_of_it(void)
{
	static const unsigned folded[] = { 0, 10, 21 }, rows[] = { 10, 1, 10 }, calls[] = { 1, 20, 1 };

	for (size_t k = 0; k < ARRAY_SIZE(folded); k++) {
		struct paths_choice choice = {
			.depth = UINT64_MAX, .min_percent = 52, .fold_percent = 95, .fold_length = folded[k]
		};
		struct tree t = { 0 };
		uint32_t at;

		maker_init(&t.maker);
		maker_thread(&t.maker, "t");
		at = maker_root(&t.maker, 0);
		for (int i = 0; i < 20; i++) {
			at = maker_frame(&t.maker, 0, at, 0, maker_code(WORK_ENTER), 1, 10);
			maker_frame(&t.maker, 0, at, 0, maker_code(REC_ENTER), 1, 1);
		}
		read_tree(&t, NULL, &choice, 1);
		/* 10 of 20 levels have 52 % */
		CU_ASSERT_EQUAL_FATAL(t.profile.n_rows, 1 + rows[k]);
		CU_ASSERT_EQUAL(t.profile.rows[1].calls, calls[k]);
		if (rows[k] == 1)
			CU_ASSERT_STRING_EQUAL(t.profile.rows[1].name, "work (x 20)");
		CU_ASSERT(nearly(t.hidden, rows[k] == 1 ? 20 : 20 * 11 - 10 * 10));
		CU_ASSERT_EQUAL(t.profile.paths.n_tops, rows[k] == 1 ? 20 : 11);
		release(&t);
	}
}

static void a_long_line_is_shortened(void)
{
	static const struct paths_choice fold = { .depth = UINT64_MAX, .fold_percent = 0, .fold_length = 2 };
	struct tree t;
	uint32_t at;

	maker_init(&t.maker);
	maker_thread(&t.maker, "t");
	at = maker_root(&t.maker, 0);
	for (int i = 0; i < 20; i++) {
		at = maker_frame(&t.maker, 0, at, 0, maker_code(WORK_ENTER), 1, 10);
		at = maker_frame(&t.maker, 0, at, 0, maker_code(REC_ENTER), 1, 10);
	}
	read_tree(&t, NULL, &fold, 1);
	CU_ASSERT_EQUAL(t.profile.n_rows, 2);
	CU_ASSERT_STRING_EQUAL(t.profile.rows[1].name,
			       "work > rec > work > rec > ... 33 more ... > rec > work > rec");
	CU_ASSERT(nearly(t.profile.rows[1].sums.elapsed_exclusive, 400));
	CU_ASSERT_EQUAL(t.profile.rows[1].calls, 20); /* work's */
	release(&t);
}

static void another_root_merges_all_its_callers(void)
{
	struct tree t;

	tree_of(&t, "re?", &every_path);
	CU_ASSERT_EQUAL(t.profile.n_rows, 1 + 4); /* rec -> rec -> rec -> puts */
	CU_ASSERT_EQUAL(row_at(&t, "rec", 1)->calls, 3 + 2);
	CU_ASSERT(nearly(row_at(&t, "rec", 1)->sums.elapsed_inclusive, 473 + 5));
	CU_ASSERT(nearly(row_at(&t, "rec", 1)->sums.elapsed_exclusive, 30 + 5));
	CU_ASSERT(nearly(row_at(&t, "rec", 2)->sums.elapsed_inclusive, 443));
	CU_ASSERT(nearly(t.profile.totals.elapsed, 668)); /* percentages stay the session's */
	release(&t);
	tree_of(&t, "nosuch", &every_path);
	CU_ASSERT_EQUAL(t.profile.n_rows, 1);
	release(&t);
}

/* What begins or ends between two readings of a live session has no row, and does no harm. */
static void another_tree_the_second_time(void)
{
	struct tree t;
	struct maker other;
	struct data data;

	make_tree(&t.maker);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&t.maker)), 0);
	profile_init(&t.profile, BY_PATH, &default_counting);
	profile_add(&t.profile, &data);
	data_release(&data);
	paths_choose(&t.profile, &every_path, &t.hidden);
	maker_init(&other);
	maker_thread(&other, "t");
	maker_frame(&other, 0, maker_root(&other, 0), 0, maker_code(LINED_ENTER), 1, 10);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&other)), 0);
	profile_add(&t.profile, &data);
	CU_ASSERT_EQUAL(t.profile.n_rows, 1 + 9);
	CU_ASSERT(nearly(shown(&t), 0));
	data_release(&data);
	maker_release(&other);
	release(&t);
}

/* Two trees of the same data, with other roots: numbers of the one are not those of the other. */
static void two_trees_of_the_same_data(void)
{
	struct tree whole, below;
	struct data data;

	make_tree(&whole.maker);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&whole.maker)), 0);
	profile_init(&whole.profile, BY_PATH, &default_counting);
	profile_init(&below.profile, BY_PATH, &default_counting);
	below.profile.paths.root = "rec";
	profile_add(&whole.profile, &data);
	profile_add(&below.profile, &data);
	paths_choose(&whole.profile, &every_path, &whole.hidden);
	paths_choose(&below.profile, &every_path, &below.hidden);
	profile_add(&whole.profile, &data);
	profile_add(&below.profile, &data);
	CU_ASSERT(nearly(row_at(&whole, "rec", 3)->sums.elapsed_inclusive, 473));
	CU_ASSERT(nearly(row_at(&below, "rec", 1)->sums.elapsed_inclusive, 478));
	CU_ASSERT(nearly(shown(&whole), 668));
	data_release(&data);
	profile_release(&below.profile);
	release(&whole);
}

/* As the screen does it, whose tree opens and closes: rows of the first choice are gone. */
static void rows_of_the_last_choice(void)
{
	static const struct paths_choice few = { .depth = UINT64_MAX, .limit = 5 };
	static const struct paths_choice fold = { .depth = UINT64_MAX, .fold_percent = 80, .fold_length = 2 };
	struct tree anew, again;
	struct data data;

	tree_of(&anew, NULL, &few);
	make_tree(&again.maker);
	read_tree(&again, NULL, &fold, 1);
	CU_ASSERT(again.profile.paths.n_lines > 0 && anew.n_hidden > 0);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&again.maker)), 0);
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(paths_choose(&again.profile, &few, &again.hidden), anew.n_hidden);
		profile_add(&again.profile, &data);
		CU_ASSERT_EQUAL(again.profile.n_rows, anew.profile.n_rows);
		CU_ASSERT_EQUAL(again.profile.paths.n_lines, anew.profile.paths.n_lines);
		CU_ASSERT(nearly(again.hidden, anew.hidden));
		CU_ASSERT(nearly(shown(&again), shown(&anew)));
	}
	data_release(&data);
	release(&anew);
	release(&again);
}

CU_TestInfo paths_tests[] = {
	{ "rows have the values of all processes", rows_have_the_values_of_all_processes },
	{ "what is hidden is counted", what_is_hidden_is_counted },
	{ "the hot path takes half at least", the_hot_path_takes_half_at_least },
	{ "the hot path at its limit", the_hot_path_at_its_limit },
	{ "the hot path is of work", the_hot_path_is_of_work },
	{ "chains are folded", chains_are_folded },
	{ "recursion is folded to one function", recursion_is_folded_to_one_function },
	{ "hidden callees do not keep a chain apart", hidden_callees_do_not_keep_a_chain_apart },
	{ "a recursion in a line is all of it", a_recursion_in_a_line_is_all_of_it },
	{ "a long line is shortened", a_long_line_is_shortened },
	{ "another root merges all its callers", another_root_merges_all_its_callers },
	{ "another tree the second time", another_tree_the_second_time },
	{ "two trees of the same data", two_trees_of_the_same_data },
	{ "rows of the last choice", rows_of_the_last_choice },
	CU_TEST_INFO_NULL,
};
