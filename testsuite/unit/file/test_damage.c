/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A good file, cut off everywhere and with flipped bits: whatever is in it, the reader comes back.
 * Meant to run with -fsanitize=address,undefined as well (make SAN=address,undefined unit).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "file/merged.h"
#include "tests.h"

#define FLIPS 1500

static struct maker maker;
static FILE *nowhere;

static void make(void)
{
	struct cinstr_record records[] = {
		{ CINSTR_SPECIAL(CINSTR_SP_START, 0), 0, 2000000, 1u << 31 },
		{ maker_code(MAIN_WORK), 2000010, 0x7000, maker_code(WORK_ENTER) },
		{ CINSTR_SPECIAL(CINSTR_SP_SLOW, 1), 0, 2000100, 1u << 31 },
		{ CINSTR_SPECIAL(CINSTR_SP_OS, 0), 0, 50, 1u << 31 },
		{ CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0), 0, 1, 1u << 31 },
		{ maker_code(WORK_READ), 2000100, 0x333, 0 },
		{ maker_code(WORK_READ_AFTER), 2000200, 0x6ff0, CINSTR_SECOND_PLAIN },
		{ maker_code(WORK_TAIL), 2000300, 0x111, maker_code(TAIL_ENTER) },
		{ maker_code(TAIL_EXIT), 2000400, 0x7000, CINSTR_SECOND_FUSED_EXIT },
		{ CINSTR_SPECIAL(CINSTR_SP_TARGET, 0), 0, 0x1234, 1u << 31 },
		{ maker_code(MAIN_POINTER), 2000500, 0x444, 0 },
	};
	uint32_t at;

	maker_init(&maker);
	for (uint32_t i = 0; i < 2; i++) {
		maker_thread(&maker, "t");
		at = maker_frame(&maker, i, maker_root(&maker, i), 0, maker_code(MAIN_ENTER), 1, 1000);
		maker_bucket(&maker, i, at, CINSTR_OS_VOLUNTARY, 10, 5);
		maker_bucket(&maker, i, at, CINSTR_OS_MINOR_FAULT, 10, 5);
		maker_call(&maker, i, at, maker_code(MAIN_PUTS), 3, 10);
		maker_open(&maker, i, at);
		at = maker_frame(&maker, i, at, maker_code(MAIN_POINTER), maker_code(LINED_ENTER), 5, 50);
		maker_line(&maker, i, at, maker_code(LINED_81), 5, 500);
		maker_line(&maker, i, at, maker_code(LINED_AGAIN), 7, 70);
		at = maker_line(&maker, i, at, maker_code(LINED_82), 10, 100);
		maker_bucket(&maker, i, at, CINSTR_OS_VOLUNTARY, 10, 5);
		maker_call(&maker, i, at, maker_code(LINED_PUTS), 3, 10);
		maker_open(&maker, i, at);
		maker_mark(&maker, 1000, 1000 - i, maker_code(LINED_82), "a mark");
		maker_records(&maker, i, records, ARRAY_SIZE(records));
	}
	maker_write(&maker);
	nowhere = fopen("/dev/null", "w");
}

/* What report, tree do with the file. */
static void show(const struct data *data, enum profile_by by)
{
	struct profile p;
	struct view view = { .profile = &p, .source = "x", .hidden_why = "" };

	profile_init(&p, by, &default_counting);
	profile_add(&p, data);
	if (by == BY_PATH) {
		paths_choose(&p, &every_path, &view.hidden);
		profile_add(&p, data);
	}
	view.rows = calloc(p.n_rows + 1, sizeof(*view.rows));
	for (size_t i = 0; i < p.n_rows; i++)
		if (p.rows[i].name)
			view.rows[view.n_rows++] = &p.rows[i];
	output_write(nowhere, OUTPUT_FORMAT_table, OUTPUT_ROWS, &view);
	output_write(nowhere, OUTPUT_FORMAT_json, OUTPUT_ROWS, &view);
	free(view.rows);
	profile_release(&p);
}

/*
 * Reads the file and shows two views of it, the next two each time: thousands of files are read,
 * and each view shows a quarter of them. Returns the number of problems.
 */
static size_t use(void)
{
	static unsigned turn;
	struct data data;
	int usable = !data_open(&data, maker.path);
	size_t problems = data.n_problems;

	for (int i = 0; usable && i < 2; i++)
		show(&data, (enum profile_by)(turn++ % (BY_PATH + 1)));
	CU_ASSERT(usable || problems);
	data_release(&data);
	return problems;
}

static void done(void)
{
	fclose(nowhere);
	maker_release(&maker);
}

static void cut_off_anywhere(void)
{
	make();
	CU_ASSERT_EQUAL(use(), 0);
	for (size_t n = 0; n < maker.n; n += n % CINSTR_PAGE < 512 ? 8 : 64) {
		maker_write_raw(&maker, n);
		if (!use()) {
			CU_FAIL("a truncated file without a problem");
			printf("cut off at %zu\n", n);
		}
	}
	done();
}

/* Bits flip where something stands: in bytes that are not zero, or beside one. */
static size_t place(void)
{
	for (;;) {
		size_t at = (size_t)random() % maker.n;

		for (size_t i = at & ~7ul; i < (at | 7); i++)
			if (maker.bytes[i])
				return at;
	}
}

static void flipped_bits(void)
{
	size_t noticed = 0;

	make();
	srandom(20240601);
	for (int i = 0; i < FLIPS; i++) {
		size_t at[4], n = 1 + (size_t)random() % 4;
		char kept[4];

		for (size_t k = 0; k < n; k++) {
			at[k] = place();
			kept[k] = maker.bytes[at[k]];
			maker.bytes[at[k]] ^= (char)(1 << random() % 8);
		}
		maker_write_raw(&maker, maker.n);
		noticed += use() != 0;
		while (n-- > 0)
			maker.bytes[at[n]] = kept[n];
	}
	CU_ASSERT(noticed > FLIPS / 4);
	done();
}

/*
 * Whole 32-bit words replaced by likely and by wild values, in what threads and cells are made of.
 */
static void replaced_words(void)
{
	static const uint32_t values[] = { 0, 1, 2, 63, 64, 65, 4096, 0x7fffffff, 0x80000000, 0xffffffff };

	make();
	srandom(7);
	for (int i = 0; i < FLIPS; i++) {
		uint32_t kept, value = values[(size_t)random() % ARRAY_SIZE(values)];
		size_t at = place() & ~3ul;

		if (random() % 4 == 0)
			value = (uint32_t)((size_t)random() % (maker.n / 64));
		memcpy(&kept, maker.bytes + at, 4);
		memcpy(maker.bytes + at, &value, 4);
		maker_write_raw(&maker, maker.n);
		use();
		memcpy(maker.bytes + at, &kept, 4);
	}
	CU_PASS("no crash");
	done();
}

/* ---- lists of a merged file ------------------------------------------------------------------ */

/* Reads these bytes as the only segment of a merged file. */
static void read_segment(struct data *read, const struct strbuf *bytes, uint32_t type,
			 void (*reader)(struct data *data))
{
	static const struct cinstr_merged head = { .n_nodes = 9, .n_contributors = 1 };
	static struct merged merged;
	static struct data_segment segment;

	free(merged.tags);
	merged = (struct merged){ .head = &head };
	segment = (struct data_segment){ .type = type, .bytes = bytes->length, .used = bytes->length };
	*read = (struct data){ .memory = bytes->text,
			       .segments = &segment,
			       .n_segments = 1,
			       .merged = &merged,
			       .is_to_merge = 1 };
	reader(read);
}

static void damaged_tags_are_left_out(void)
{
	const struct merged_tag tag = { .name = "id", .id = 7, .times = 2, .time = 30, .cell = 4 };
	struct data read;
	STRBUF(bytes);

	merged_put_tag(&bytes, &tag);
	merged_put_tag(&bytes, &tag);
	read_segment(&read, &bytes, CINSTR_SEG_MERGED_TAGS, merged_tags_read);
	CU_ASSERT_EQUAL_FATAL(read.merged->n_tags, 2);
	CU_ASSERT_STRING_EQUAL(read.merged->tags[1].name, "id");
	CU_ASSERT(read.merged->tags[1].id == 7 && read.merged->tags[1].times == 2 && !read.n_problems);
	bytes.length--;
	read_segment(&read, &bytes, CINSTR_SEG_MERGED_TAGS, merged_tags_read);
	CU_ASSERT_EQUAL(read.merged->n_tags, 0);
	CU_ASSERT_EQUAL(read.n_problems, 1);
	for (size_t i = 0; i < read.n_problems; i++)
		free(read.problems[i].reason);
	free(read.problems);
}

CU_TestInfo damage_tests[] = {
	{ "cut off anywhere", cut_off_anywhere },
	{ "flipped bits", flipped_bits },
	{ "replaced words", replaced_words },
	{ "damaged tags of a merged file are left out", damaged_tags_are_left_out },
	CU_TEST_INFO_NULL,
};
