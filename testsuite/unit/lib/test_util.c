/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "lib/array.h"
#include "lib/int_map.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"
#include "runtime/system/text.h"
#include "tests.h"

static void escapes_are_made_visible(void)
{
	struct strbuf empty = { 0 };
	char *text = util_visible("a\033[31mb\nc\x7f\xff\xc2\x9bz \xe2\x80\xae \xc3\xa9");

	CU_ASSERT_STRING_EQUAL(text, "a\\x1b[31mb\\nc\\x7f\\xff\\xc2\\x9bz \\xe2\\x80\\xae \xc3\xa9");
	free(text);
	strbuf_visible(&empty, "");
	CU_ASSERT_STRING_EQUAL_FATAL(empty.text, "");
	strbuf_release(&empty);
}

static void numbers_for_reading(void)
{
	struct strbuf buf = { 0 };

	strbuf_thousands(&buf, 0);
	strbuf_puts(&buf, " ");
	strbuf_thousands(&buf, 1002003);
	strbuf_puts(&buf, " ");
	strbuf_duration(&buf, 0);
	strbuf_puts(&buf, " ");
	strbuf_duration(&buf, 1234567);
	strbuf_puts(&buf, " ");
	strbuf_duration(&buf, 0.5L);
	strbuf_puts(&buf, " ");
	strbuf_size(&buf, 1234567);
	CU_ASSERT_STRING_EQUAL(buf.text, "0 1,002,003 0 ns 1.23 ms 0.50 ns 1.2 MB");
	strbuf_clear(&buf);
	strbuf_duration(&buf, 9997);
	strbuf_puts(&buf, " ");
	strbuf_duration(&buf, 99960);
	strbuf_puts(&buf, " ");
	strbuf_duration(&buf, 999600);
	CU_ASSERT_STRING_EQUAL(buf.text, "10.0 us 100 us 1.00 ms");
	strbuf_release(&buf);
}

static void a_map_keeps_every_key(void)
{
	struct map map = { 0 };
	int is_new, good = 1;

	for (uint32_t i = 0; i < 5000; i++)
		good &= map_add(&map, &i, sizeof(i), &is_new) == i && is_new;
	for (uint32_t i = 0; i < 5000; i++)
		good &= map_add(&map, &i, sizeof(i), &is_new) == i && !is_new && map_find(&map, &i, 4) == i;
	CU_ASSERT(good);
	CU_ASSERT_EQUAL(map_find(&map, "none", 4), MAP_NONE);
	CU_ASSERT_EQUAL(map_add(&map, "a\0b", 3, &is_new), 5000);
	CU_ASSERT_EQUAL(map_add(&map, "a\0c", 3, &is_new), 5001);
	map_release(&map);
}

/* Keys that agree in the low, the middle or the high bits, and 0. */
static void int_map_numbers_in_order(void)
{
	struct int_map map = { 0 };
	int is_new, good = 1;

	CU_ASSERT_EQUAL(int_map_find(&map, 0), INT_MAP_NONE);
	for (uint32_t i = 0; i < 6000; i++)
		good &= int_map_add(&map, (uint64_t)(i / 3) << 24 * (i % 3) | (uint64_t)(i % 3) << 62,
				    &is_new) == i &&
			is_new;
	for (uint32_t i = 0; i < 6000; i++) {
		uint64_t key = (uint64_t)(i / 3) << 24 * (i % 3) | (uint64_t)(i % 3) << 62;

		good &= int_map_find(&map, key) == i && int_map_add(&map, key, &is_new) == i && !is_new;
	}
	CU_ASSERT(good);
	CU_ASSERT_EQUAL(map.n, 6000);
	CU_ASSERT_EQUAL(int_map_find(&map, int_map_pair(3u << 30, 1)), INT_MAP_NONE);
	int_map_release(&map);
}

static void kept_strings_stay(void)
{
	struct map map = { 0 };
	const char *first = map_keep(&map, "first");
	char name[16];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		map_keep(&map, name);
	}
	CU_ASSERT_STRING_EQUAL(first, "first");
	CU_ASSERT_PTR_EQUAL(first, map_keep(&map, "first"));
	map_release(&map);
}

static void the_closest_word(void)
{
	static const char *const words[] = { "report", "record", "tree", "info" };

	CU_ASSERT_STRING_EQUAL(util_closest("reprot", words, 4), "report");
	CU_ASSERT_STRING_EQUAL(util_closest("tre", words, 4), "tree");
	CU_ASSERT_PTR_NULL(util_closest("xyzzy", words, 4));
	CU_ASSERT_STRING_EQUAL(util_closest("rceord", words, 4), "record");
	/* of three letters most words are near */
	CU_ASSERT_PTR_NULL(util_closest("inn", words, 4));
}

/* Whatever comes of a file. */
static void numbers_are_rounded(void)
{
	CU_ASSERT_EQUAL(util_rounded(0.49L), 0);
	CU_ASSERT_EQUAL(util_rounded(0.5L), 1);
	CU_ASSERT_EQUAL(util_rounded(2.4L), 2);
	CU_ASSERT_EQUAL(util_rounded(-7), 0);
	CU_ASSERT_EQUAL(util_rounded(NAN), 0);
	CU_ASSERT_EQUAL(util_rounded(-INFINITY), 0);
	CU_ASSERT_EQUAL(util_rounded(0x1p64L - 2), UINT64_MAX - 1);
	CU_ASSERT_EQUAL(util_rounded(0x1p64L - 1), UINT64_MAX);
	CU_ASSERT_EQUAL(util_rounded(0x1p64L), UINT64_MAX);
	CU_ASSERT_EQUAL(util_rounded(INFINITY), UINT64_MAX);
	CU_ASSERT_EQUAL(util_whole(1.9L), 1);
	CU_ASSERT_EQUAL(util_whole(-1.9L), 0);
	CU_ASSERT_EQUAL(util_whole(0x1p64L - 1), UINT64_MAX);
	CU_ASSERT_EQUAL(util_whole(0x1p64L), UINT64_MAX);
	CU_ASSERT_EQUAL(util_whole_signed(-1.9L), -1);
	CU_ASSERT_EQUAL(util_whole_signed(0x1p63L), INT64_MAX);
	CU_ASSERT_EQUAL(util_whole_signed(-1.7e19L), INT64_MIN);
}

/* Of libcinstr.so as well. */
static void words_are_so_far_apart(void)
{
	char many[80] = "";

	CU_ASSERT_EQUAL(string_distance("depth", "depth"), 0);
	CU_ASSERT_EQUAL(string_distance("", "abc"), 3);
	CU_ASSERT_EQUAL(string_distance("CINSTR_DEPHT", "CINSTR_DEPTH"), 1);
	CU_ASSERT_EQUAL(string_distance("calls", "call"), 1);
	CU_ASSERT_EQUAL(string_distance("kitten", "sitting"), 3);
	memset(many, 'x', 70);
	CU_ASSERT_EQUAL(string_distance(many, "x"), UINT32_MAX);
}

static void arrays_grow_by_doubling(void)
{
	uint32_t *list = NULL, n = 0;
	uint64_t size = 0;

	while (n < 100) {
		uint64_t before = size;

		ARRAY_ROOM(list, n, size, 3);
		CU_ASSERT_EQUAL(size, n < before ? before : before ? 2 * before : 3);
		CU_ASSERT_FATAL(n < size);
		list[n] = 7 * n;
		n++;
	}
	CU_ASSERT_EQUAL(size, 192);
	for (uint32_t i = 0; i < n; i++)
		CU_ASSERT_EQUAL(list[i], 7 * i);
	free(list);
}

/* Where the system has a locale with UTF-8. */
static void text_has_a_width(void)
{
	static const char han[] = "\xe6\xbc\xa2\xe5\xad\x97"; /* two characters of two columns */
	static const char marked[] = "e\xcc\x81t";	      /* e, a mark on it, t */

	CU_ASSERT_EQUAL(util_columns("plain"), 5);
	CU_ASSERT_EQUAL(util_columns("\xc3\xa9\xe2\x94\x8c"), 2);
	if (util_columns(han) == 2)
		return; /* it has none */
	CU_ASSERT_EQUAL(util_columns(han), 4);
	CU_ASSERT_EQUAL(util_columns(marked), 2);
	CU_ASSERT_EQUAL(util_head(han, 3), 3);
	CU_ASSERT_EQUAL(util_head(marked, 1), 3);
	CU_ASSERT_STRING_EQUAL(util_tail(han, 3), han + 3);
	CU_ASSERT_STRING_EQUAL(util_tail(han, 4), han);
	CU_ASSERT_STRING_EQUAL(util_tail(marked, 1), "t");
	CU_ASSERT_STRING_EQUAL(util_tail(han, 1), "");
	CU_ASSERT_EQUAL(util_columns("\xff\xe6"), 2); /* what is no character */
}

static void numbers_stay_with_their_units(void)
{
	static const char *const words[] = { "took", "173 ms,", "5 %", "of", "12", "sides", "", "in", "3 s" };
	char text[] = "took 173 ms, 5 % of 12 sides  in 3 s", *rest = text;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *word = util_next_word(&rest);

		CU_ASSERT_FATAL(word != NULL);
		CU_ASSERT_STRING_EQUAL(word, words[i]);
	}
	CU_ASSERT_PTR_NULL(util_next_word(&rest));
}

/* Every number is searched in arrays of every length up to seven, with a linear search beside. */
static void searches_find_the_first(void)
{
	static const int sorted[] = { 1, 3, 3, 3, 5, 8, 9 };

	for (size_t n = 0; n <= sizeof(sorted) / sizeof(*sorted); n++)
		for (size_t from = 0; from <= n; from++)
			for (int wanted = 0; wanted <= 10; wanted++) {
				size_t i, first = from;

				while (first < n && sorted[first] < wanted)
					first++;
				SEARCH_IN(i, from, n, sorted[i] >= wanted);
				CU_ASSERT_EQUAL(i, first);
			}
}

struct pair {
	unsigned size;
	const char *name;
};

ORDER_ITEMS(by_size, struct pair, ORDER(y->size, x->size), strcmp(x->name, y->name))
ORDER_POINTERS(by_name, struct pair, strcmp(x->name, y->name), ORDER(x->size, y->size))

static void orders_compare_in_turn(void)
{
	struct pair a = { 4000000000u, "a" }, b = { 4000000000u, "b" }, c = { 1, "a" };
	const struct pair *pa = &a, *pb = &b, *pc = &c;

	CU_ASSERT(by_size(&a, &b, NULL) < 0 && by_size(&b, &a, NULL) > 0);
	CU_ASSERT(by_size(&a, &c, NULL) < 0 && by_size(&c, &b, NULL) > 0);
	CU_ASSERT_EQUAL(by_size(&a, &a, NULL), 0);
	CU_ASSERT(by_name(&pb, &pc, NULL) > 0 && by_name(&pc, &pa, NULL) < 0);
	CU_ASSERT_EQUAL(by_name(&pb, &pb, NULL), 0);
}

static void names_are_shown_and_kept(void)
{
	CU_ASSERT_PTR_EQUAL(util_shown("a\033b"), util_shown("a\033b"));
	CU_ASSERT_STRING_EQUAL(util_shown("a\033b"), "a\\x1bb");
	CU_ASSERT(util_has_suffix("x.cinstr", ".cinstr") && !util_has_suffix(".cinstr", ".cinstr"));
}

CU_TestInfo util_tests[] = {
	{ "searches find the first", searches_find_the_first },
	{ "orders compare in turn", orders_compare_in_turn },
	{ "names are shown and kept", names_are_shown_and_kept },
	{ "numbers stay with their units", numbers_stay_with_their_units },
	{ "text has a width", text_has_a_width },
	{ "arrays grow by doubling", arrays_grow_by_doubling },
	{ "terminal escapes are made visible", escapes_are_made_visible },
	{ "numbers for reading", numbers_for_reading },
	{ "a map keeps every key", a_map_keeps_every_key },
	{ "a map of integers", int_map_numbers_in_order },
	{ "kept strings stay where they are", kept_strings_stay },
	{ "the closest word", the_closest_word },
	{ "numbers are rounded", numbers_are_rounded },
	{ "words are so far apart", words_are_so_far_apart },
	CU_TEST_INFO_NULL,
};
