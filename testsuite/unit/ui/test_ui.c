/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cinstr ui without a terminal: keys go in, a frame comes out. */
#include <stdlib.h>
#include <string.h>

#include "tests.h"
#include "ui/browser.h"
#include "ui/places.h"
#include "ui/tree_rows.h"

/* ---- a session ------------------------------------------------------------------------------ */

struct test {
	struct ui_session session;
	struct browser browser;
	void (*check)(struct test *test);
};

static struct view_options options = { .os_events = "default" };

static int show(struct view *view, void *arg)
{
	struct test *test = arg;

	test->session.view = view;
	browser_init(&test->browser, &test->session, 80, 24);
	browser_go_to_tab(&test->browser, TAB_FUNCTIONS);
	test->check(test);
	browser_release(&test->browser);
	return STATUS_OK;
}

/* main -> work (3) -> rec (6), puts (4); main -> twin (7) of one file, twin (8) of another. */
static void look(void (*check)(struct test *test))
{
	struct test test = { .check = check };
	struct ui_session *session = &test.session;
	struct maker m;
	uint32_t at, work;

	maker_init(&m);
	maker_thread(&m, "first");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 100000);
	work = maker_frame(&m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 3, 10000);
	maker_frame(&m, 0, work, maker_code(WORK_REC), maker_code(REC_ENTER), 6, 20000);
	maker_call(&m, 0, work, maker_code(MAIN_PUTS), 4, 400000);
	maker_frame(&m, 0, at, maker_code(MAIN_TWIN), maker_code(TWIN_A_ENTER), 7, 70);
	maker_frame(&m, 0, at, maker_code(MAIN_TWIN), maker_code(TWIN_B_ENTER), 8, 80);
	CU_ASSERT_EQUAL_FATAL(selection_check(&options.selection), 0);
	ui_session_init(session, &options, &default_counting);
	CU_ASSERT_EQUAL(view_read(maker_write(&m), &options,
				  (struct profile *[]){ session->functions, session->threads,
							session->processes, session->paths },
				  4, show, &test),
			STATUS_OK);
	ui_session_release(session);
	selection_release(&options.selection);
	maker_release(&m);
}

static void press(struct test *test, const char *keys)
{
	for (; *keys; keys++)
		browser_key(&test->browser, *keys == '\n' ? PRESS_ENTER : *keys);
	browser_draw(&test->browser);
}

/* The number of the first line that has the text; -1: none has. */
static int line_with(const struct test *test, const char *text)
{
	const struct frame *frame = &test->browser.frame;

	for (unsigned i = 0; i < frame->height; i++)
		if (strstr(frame->lines[i].text.text, text))
			return (int)i;
	return -1;
}

static int cursor(const struct test *test)
{
	const struct frame *frame = &test->browser.frame;

	for (unsigned i = 0; i < frame->height; i++)
		if (frame->lines[i].style == STYLE_CURSOR)
			return (int)i;
	return -1;
}

#define EXPECT_ON_CURSOR(test, words) \
	CU_ASSERT_PTR_NOT_NULL(strstr((test)->browser.frame.lines[cursor(test)].text.text, words))

/* ---- keys ----------------------------------------------------------------------------------- */

static void no_key_twice(void)
{
	for (size_t i = 0; i < n_key_bindings; i++)
		for (size_t k = 0; k < ARRAY_SIZE(key_bindings[i].keys) && key_bindings[i].keys[k]; k++)
			CU_ASSERT_EQUAL(key_action(key_bindings[i].keys[k]), key_bindings[i].action);
	CU_ASSERT_EQUAL(key_action('Z'), ACTION_NONE);
}

static void capitals_matter_if_there_are_any(void)
{
	CU_ASSERT(page_text_matches("readLine", "readl"));
	CU_ASSERT(page_text_matches("readLine", "dL"));
	CU_ASSERT(!page_text_matches("readline", "dL"));
	CU_ASSERT(!page_text_matches("read", "write"));
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void check_functions(struct test *test)
{
	press(test, "g");
	CU_ASSERT_EQUAL(line_with(test, "[Functions]"), 0);
	EXPECT_ON_CURSOR(test, "puts");
	press(test, "scalls\n");
	EXPECT_ON_CURSOR(test, "twin");
	press(test, "i");
	EXPECT_ON_CURSOR(test, "main");
	press(test, "/rec\n");
	EXPECT_ON_CURSOR(test, "rec");
	press(test, "fwork\n");
	EXPECT_ON_CURSOR(test, "work");
	CU_ASSERT_EQUAL(test->browser.tabs[TAB_FUNCTIONS]->kind->n_lines(test->browser.tabs[TAB_FUNCTIONS]),
			1);
	press(test, "f\n/nothing of it\n");
	CU_ASSERT_EQUAL(line_with(test, "Not found: nothing of it"), 23);
	press(test, "q");
	CU_ASSERT_EQUAL(test->browser.wish, WISH_QUIT);
}

static void functions(void)
{
	look(check_functions);
}

static void check_callers(struct test *test)
{
	press(test, "/work\nc");
	CU_ASSERT_EQUAL(line_with(test, " Callers and callees of work"), 0);
	EXPECT_ON_CURSOR(test, "work");
	CU_ASSERT(line_with(test, "called by") < cursor(test) && line_with(test, "puts") > cursor(test));
	press(test, "/rec\n\n");
	CU_ASSERT_EQUAL(line_with(test, " Callers and callees of rec"), 0);
	press(test, "g\n");
	CU_ASSERT_EQUAL(line_with(test, " Callers and callees of work"), 0);
	press(test, "qq");
	CU_ASSERT_EQUAL(line_with(test, " Callers and callees of work"), 0);
	CU_ASSERT(line_with(test, "puts") > 0);
	press(test, "q");
	CU_ASSERT_EQUAL(line_with(test, "[Functions]"), 0);
	EXPECT_ON_CURSOR(test, "work");
}

static void callers(void)
{
	look(check_callers);
}

static void check_tree(struct test *test)
{
	press(test, "2C");
	CU_ASSERT(line_with(test, "+main") > 0 && line_with(test, "work") < 0);
	press(test, "l");
	CU_ASSERT(line_with(test, "-main") > 0 && line_with(test, "+work") > line_with(test, "-main"));
	press(test, "/rec\n");
	EXPECT_ON_CURSOR(test, "rec");
	CU_ASSERT(line_with(test, "-work") > 0);
	press(test, "H");
	EXPECT_ON_CURSOR(test, "puts");
	press(test, "g*");
	CU_ASSERT(line_with(test, "rec") > 0 && line_with(test, "puts") > 0);
	press(test, "-");
	CU_ASSERT(line_with(test, "+main") > 0 && line_with(test, "work") < 0);
}

static void tree(void)
{
	look(check_tree);
}

/* Rows for the two paths with most time; the others are read when they are wanted. */
static void check_few_rows(struct test *test)
{
	struct tree_rows few;
	const struct row *list[16], *more;
	const struct order order = { COLUMN_ELAPSED_INCLUSIVE, BY_NATURE };
	size_t n;

	tree_rows_init(&few, test->session.paths);
	few.most = 2;
	tree_read(&few, &test->session);
	few.open[1] = few.open[2] = 1;
	n = tree_list(&few, 0, &order, list);
	CU_ASSERT_EQUAL_FATAL(n, 4);
	CU_ASSERT_STRING_EQUAL(list[0]->name, "main");
	CU_ASSERT_STRING_EQUAL(list[1]->name, "work");
	more = list[2];
	CU_ASSERT(tree_is_more(&few, more));
	CU_ASSERT_PTR_NOT_NULL(strstr(more->name, "2 more paths, "));
	CU_ASSERT_PTR_NULL(tree_find(&few, "rec", list[0], 1, &order));
	CU_ASSERT(tree_keep_match(&few, "rec"));
	tree_read(&few, &test->session);
	CU_ASSERT_STRING_EQUAL(tree_find(&few, "rec", NULL, 1, &order)->name, "rec");
	tree_keep_below(&few, 2);
	tree_read(&few, &test->session);
	n = tree_list(&few, 0, &order, list);
	CU_ASSERT_EQUAL(n, 5);
	CU_ASSERT_STRING_EQUAL(list[2]->name, "puts");
	CU_ASSERT(list[2]->sums.elapsed_inclusive == 400000);
	tree_rows_release(&few);
}

static void few_rows(void)
{
	look(check_few_rows);
}

static void check_sizes(struct test *test)
{
	static const unsigned sizes[][2] = { { 80, 24 }, { 20, 6 }, { 200, 50 },
					     { 5, 2 },	 { 1, 1 },  { 40, 10 } };
	static const char tabs[] = "1234?";

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		browser_resize(&test->browser, sizes[i][0], sizes[i][1]);
		for (const char *tab = tabs; *tab; tab++) {
			press(test, (const char[]){ *tab, 'G', '\0' });
			for (unsigned y = 0; sizes[i][0] >= 80 && y < sizes[i][1]; y++) {
				const struct strbuf *line = &test->browser.frame.lines[y].text;
				size_t end = line->length;

				while (end && line->text[end - 1] == ' ')
					end--;
				CU_ASSERT(end <= sizes[i][0]);
			}
		}
		press(test, "q");
	}
}

static void sizes(void)
{
	look(check_sizes);
}

/* What is kept is found again by a new browser. */
static void check_places(struct test *test)
{
	struct places places;

	press(test, "scalls\nc2Cl/rec\n3");
	places_keep(&places, &test->browser);
	browser_release(&test->browser);
	browser_init(&test->browser, &test->session, 80, 24);
	browser_go_to_tab(&test->browser, TAB_FUNCTIONS);
	places_restore(&places, &test->browser);
	places_release(&places);
	browser_draw(&test->browser);
	CU_ASSERT(line_with(test, "[Threads]") == 0);
	press(test, "2");
	EXPECT_ON_CURSOR(test, "rec");
	press(test, "1");
	CU_ASSERT_EQUAL(line_with(test, " Callers and callees of twin"), 0);
	press(test, "q");
	CU_ASSERT_PTR_NOT_NULL(strstr(test->browser.frame.lines[0].text.text, "by calls"));
	EXPECT_ON_CURSOR(test, "twin");
}

static void places_are_kept(void)
{
	look(check_places);
}

CU_TestInfo ui_tests[] = {
	{ "no key does two things", no_key_twice },
	{ "capitals matter if there are any", capitals_matter_if_there_are_any },
	{ "functions: sort, search, filter", functions },
	{ "callers: from one to the next, and back", callers },
	{ "the tree opens and closes", tree },
	{ "paths without rows get them when wanted", few_rows },
	{ "every size", sizes },
	{ "places are kept", places_are_kept },
	CU_TEST_INFO_NULL,
};
