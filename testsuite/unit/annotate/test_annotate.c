/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cinstr annotate: which lines of which sources, and their text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "tests.h"

/* ---- texts ----------------------------------------------------------------------------------- */

static char path[] = "/tmp/cinstr-annotate-XXXXXX";

static void write_source(const char *text, size_t n)
{
	int fd;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, n), (ssize_t)n);
	close(fd);
}

static void lines_of_a_source(void)
{
	static const char source[] = "one\r\n\n\tthree\nfo\0ur\nlast";
	struct source_text text;
	struct stat st;

	write_source(source, sizeof(source) - 1);
	CU_ASSERT_EQUAL_FATAL(source_text_read(&text, path), 0);
	CU_ASSERT_EQUAL(text.n, 5);
	CU_ASSERT_STRING_EQUAL(source_text_line(&text, 1), "one");
	CU_ASSERT_STRING_EQUAL(source_text_line(&text, 2), "");
	CU_ASSERT_STRING_EQUAL(source_text_line(&text, 3), "\tthree");
	CU_ASSERT_STRING_EQUAL(source_text_line(&text, 4), "fo");
	CU_ASSERT_STRING_EQUAL(source_text_line(&text, 5), "last");
	CU_ASSERT_PTR_NULL(source_text_line(&text, 0));
	CU_ASSERT_PTR_NULL(source_text_line(&text, 6));
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(text.changed_ns / 1000000000, (uint64_t)st.st_mtim.tv_sec);
	source_text_release(&text);
	unlink(path);
	CU_ASSERT_EQUAL(source_text_read(&text, path), -ENOENT);
	CU_ASSERT_EQUAL(source_text_read(&text, "/dev/null"), -EINVAL);
	CU_ASSERT_EQUAL(source_text_read(&text, "/"), -EINVAL);
	write_source("", 0);
	CU_ASSERT_EQUAL_FATAL(source_text_read(&text, path), 0);
	CU_ASSERT_EQUAL(text.n, 0);
	source_text_release(&text);
	CU_ASSERT_EQUAL(truncate(path, (off_t)1 << 30), 0);
	CU_ASSERT_EQUAL(source_text_read(&text, path), -EFBIG);
	unlink(path);
}

static void for_a_terminal(void)
{
	struct strbuf text = { 0 };

	source_text_put(&text, "\ta\tbcdefgh\ti\033[31m\x80");
	CU_ASSERT_STRING_EQUAL(text.text, "        a       bcdefgh i\\x1b[31m\\x80");
	strbuf_release(&text);
	source_text_put(&text, "\xc3\xa4\t|"); /* one column */
	CU_ASSERT_STRING_EQUAL(text.text, "\xc3\xa4       |");
	strbuf_release(&text);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/*
 * lined: line 80 (entry), 81 calls puts, 82 calls lined; b.c:5 inlined. main calls lined (pointer,
 * line 15), work (11), puts (13); work.
 */
static void make(struct annotation *a, struct maker *m)
{
	static const enum profile_by by[] = { BY_LINE, BY_SITE, BY_FUNCTION };
	uint32_t top, at, line;
	struct data data;

	maker_init(m);
	maker_thread(m, "t");
	top = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	maker_call(m, 0, top, maker_code(MAIN_PUTS), 3, 30);
	maker_frame(m, 0, top, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 2, 5000);
	at = maker_frame(m, 0, top, maker_code(MAIN_POINTER), maker_code(LINED_ENTER), 4, 1);
	line = maker_line(m, 0, at, maker_code(LINED_81), 10, 200);
	maker_call(m, 0, line, maker_code(LINED_PUTS), 10, 3000);
	maker_line(m, 0, at, maker_code(LINED_INLINED), 7, 40000);
	*a = (struct annotation){ .view = { .profile = &a->profiles[ANNOTATE_LINES], .source = "s" } };
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(m)), 0);
	for (int i = 0; i < ANNOTATE_PROFILES; i++) {
		profile_init(&a->profiles[i], by[i], &default_counting);
		profile_add(&a->profiles[i], &data);
	}
	data_release(&data);
}

static void release(struct annotation *a, struct maker *m)
{
	annotate_release(a);
	for (int i = 0; i < ANNOTATE_PROFILES; i++)
		profile_release(&a->profiles[i]);
	maker_release(m);
}

static void a_function(void)
{
	struct annotation a;
	struct maker m;
	const struct annotated *part;

	make(&a, &m);
	CU_ASSERT_EQUAL(annotate_choose(&a, "lined", SIZE_MAX), 1);
	CU_ASSERT_EQUAL_FATAL(a.n, 1);
	part = &a.parts[0];
	CU_ASSERT_STRING_EQUAL(part->file, "/src/a.c");
	CU_ASSERT_STRING_EQUAL(part->function, "lined");
	CU_ASSERT_EQUAL(part->from, 80);
	CU_ASSERT_EQUAL(part->to, 83); /* the last with values, or that inlines what has some */
	CU_ASSERT_EQUAL_FATAL(part->n, 3);
	CU_ASSERT_EQUAL(part->lines[2].number, 83);
	CU_ASSERT_PTR_NULL(part->lines[2].row);
	CU_ASSERT_EQUAL_FATAL(part->lines[2].n_inlined, 1);
	CU_ASSERT_STRING_EQUAL(part->lines[2].inlined[0].row->name, "b.c:5");
	CU_ASSERT(nearly(part->lines[2].inlined[0].row->sums.elapsed_exclusive, 40000));
	CU_ASSERT_EQUAL(part->lines[0].number, 80);
	CU_ASSERT_EQUAL(part->lines[0].n_callees, 0);
	CU_ASSERT_EQUAL(part->lines[0].row->entries, 4);
	CU_ASSERT_EQUAL(part->lines[1].number, 81);
	CU_ASSERT(nearly(part->lines[1].row->sums.elapsed_inclusive, 3200));
	CU_ASSERT_EQUAL_FATAL(part->lines[1].n_callees, 1);
	CU_ASSERT_STRING_EQUAL(part->lines[1].callees[0]->callee, "puts");
	CU_ASSERT_EQUAL(part->lines[1].callees[0]->calls, 10);
	annotate_read(&a, 0);
	CU_ASSERT_EQUAL(part->has_text, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(part->note);
	CU_ASSERT_PTR_NOT_NULL(strstr(part->note, "--source-path"));
	release(&a, &m);
}

/* main's lines are not those of work behind it. */
/* Behind the ';' that ends a name there is none. */
static void a_name_with_a_separator(void)
{
	static const char other[] = "x;\0lined";
	struct annotation a;
	struct maker m;

	make(&a, &m);
	for (size_t i = 0; i < a.profiles[ANNOTATE_LINES].n_rows; i++) {
		struct row *row = &a.profiles[ANNOTATE_LINES].rows[i];

		if (row->line == 81) {
			row->line = 85; /* not of its calls' line */
			row->function = other;
		}
	}
	CU_ASSERT_EQUAL(annotate_choose(&a, "lined", SIZE_MAX), 1);
	CU_ASSERT_EQUAL_FATAL(a.n, 1);
	CU_ASSERT_EQUAL(a.parts[0].to, 83); /* by what is inlined there */
	release(&a, &m);
}

static void lines_that_only_call(void)
{
	struct annotation a;
	struct maker m;
	const struct annotated *part;

	make(&a, &m);
	CU_ASSERT_EQUAL(annotate_choose(&a, "main", SIZE_MAX), 1);
	part = &a.parts[0];
	CU_ASSERT_EQUAL(part->from, 10);
	CU_ASSERT_EQUAL(part->to, 15);
	CU_ASSERT_EQUAL(part->end, 19);
	CU_ASSERT_EQUAL_FATAL(part->n, 4);
	CU_ASSERT_EQUAL(part->lines[1].number, 11);
	CU_ASSERT_PTR_NOT_NULL_FATAL(part->lines[1].row);
	CU_ASSERT(nearly(part->lines[1].row->sums.elapsed_exclusive, 0));
	CU_ASSERT_STRING_EQUAL(part->lines[1].callees[0]->callee, "work");
	CU_ASSERT_EQUAL(part->lines[3].number, 15);
	CU_ASSERT_STRING_EQUAL(part->lines[3].callees[0]->callee, "lined");
	release(&a, &m);
}

static void a_file(void)
{
	struct annotation a;
	struct maker m;

	make(&a, &m);
	CU_ASSERT_EQUAL(annotate_choose(&a, "src/a.c", SIZE_MAX), 1);
	CU_ASSERT_EQUAL_FATAL(a.n, 1);
	CU_ASSERT_PTR_NULL(a.parts[0].function);
	CU_ASSERT_EQUAL(a.parts[0].n, 4 + 1 + 2);
	CU_ASSERT_EQUAL(annotate_choose(&a, "b.c", SIZE_MAX), 2);
	CU_ASSERT_STRING_EQUAL(a.parts[1].file, "/abs/b.c");
	CU_ASSERT_EQUAL(a.parts[1].n, 1);
	/* no path ends in a file of this name */
	CU_ASSERT_EQUAL(annotate_choose(&a, ".c", SIZE_MAX), 2);
	release(&a, &m);
	make(&a, &m);
	CU_ASSERT_EQUAL(annotate_choose(&a, "rc/a.c", SIZE_MAX), 0);
	CU_ASSERT_EQUAL(annotate_choose(&a, "rec", SIZE_MAX), 0); /* not called */
	release(&a, &m);
}

/* a.c has 61 us of exclusive time, /abs/b.c 40. */
static void all_files(void)
{
	const uint64_t ahead[] = { 1, 8, SIZE_MAX };
	struct annotation a;
	struct maker m;

	for (size_t i = 0; i < ARRAY_SIZE(ahead); i++) {
		size_t n = i ? 2 : 1;

		make(&a, &m);
		for (size_t k = 0; k < a.profiles[ANNOTATE_LINES].n_rows; k++) {
			struct row *row = &a.profiles[ANNOTATE_LINES].rows[k];

			if (row->file && row->line == 81)
				row->sums.elapsed_exclusive += 60000;
		}
		CU_ASSERT_EQUAL_FATAL(annotate_choose_files(&a, NULL, ahead[i]), n);
		CU_ASSERT_EQUAL(a.files_hidden, 2 - n);
		CU_ASSERT_STRING_EQUAL(a.parts[0].file, "/src/a.c");
		CU_ASSERT_PTR_NULL(a.parts[0].function);
		CU_ASSERT_EQUAL(a.parts[0].n, 4 + 1 + 2);
		CU_ASSERT_PTR_NOT_NULL(a.parts[0].lines[0].row);
		if (n == 2) {
			CU_ASSERT_STRING_EQUAL(a.parts[1].file, "/abs/b.c");
			CU_ASSERT_EQUAL(a.parts[1].n, 1);
			CU_ASSERT_EQUAL(a.parts[1].lines[0].number, 5);
		}
		release(&a, &m);
	}
}

static void the_hottest(void)
{
	struct annotation a;
	struct maker m;

	make(&a, &m);
	CU_ASSERT_EQUAL(annotate_choose(&a, NULL, 2), 3);
	CU_ASSERT_EQUAL_FATAL(a.n, 2);
	CU_ASSERT_STRING_EQUAL(a.parts[0].function, "lined");
	CU_ASSERT_STRING_EQUAL(a.parts[1].function, "work");
	release(&a, &m);
}

/* Of two functions in one file: their lines are one text in memory. */
static void a_file_is_read_once(void)
{
	struct annotation a;
	struct maker m;

	make(&a, &m);
	write_source("one\n", 4);
	CU_ASSERT_EQUAL(annotate_choose(&a, NULL, 2), 3);
	CU_ASSERT_EQUAL_FATAL(a.n, 2);
	a.parts[0].file = a.parts[1].file = path;
	annotate_read(&a, 1);
	CU_ASSERT_STRING_EQUAL(source_text_line(&a.parts[0].text, 1), "one");
	CU_ASSERT_PTR_EQUAL(a.parts[0].text.bytes, a.parts[1].text.bytes);
	unlink(path);
	release(&a, &m);
}

CU_TestInfo annotate_tests[] = {
	{ "lines of a source", lines_of_a_source },
	{ "a source for a terminal", for_a_terminal },
	{ "a function", a_function },
	{ "a name with a separator", a_name_with_a_separator },
	{ "lines that only call", lines_that_only_call },
	{ "a file", a_file },
	{ "all files", all_files },
	{ "the hottest functions", the_hottest },
	{ "a file is read once", a_file_is_read_once },
	CU_TEST_INFO_NULL,
};
