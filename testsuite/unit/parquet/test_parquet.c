/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parquet/hybrid.h"
#include "parquet/parquet.h"
#include "parquet/reader.h"
#include "parquet/thrift.h"
#include "tests.h"

#define ROWS 150000 /* several pages */
#define DAMAGES 3000

static const struct parquet_column columns[] = {
	{ "id", PARQUET_INT64, 0, 0 },	 { "small", PARQUET_INT32, 1, 0 }, { "few", PARQUET_INT64, 1, 1 },
	{ "text", PARQUET_TEXT, 1, 0 },	 { "real", PARQUET_DOUBLE, 0, 0 }, { "none", PARQUET_TEXT, 1, 0 },
	{ "same", PARQUET_INT32, 0, 1 },
};

static char path[] = "/tmp/cinstr-unit-parquet-XXXXXX";

static uint32_t hash(uint32_t n)
{
	n = (n ^ (n >> 15)) * 0x2c1b3c6du;
	return n ^ (n >> 12);
}

/* NULL: the row has none */
static const char *text_of(uint32_t row)
{
	static const char *const texts[] = { "", "a", "a longer text with \" and ;", "\xc3\xa4" };

	return hash(row) % 5 < 4 ? texts[hash(row) % 5] : NULL;
}

static void write_file(uint32_t n_rows, uint32_t group)
{
	struct parquet_writer *w;
	uint64_t bytes = 0;
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	close(fd);
	w = parquet_create(path, columns, 7);
	for (uint32_t row = 0; row < n_rows; row++) {
		parquet_number(w, 0, (int64_t)row * -1234567891011);
		if (hash(row) & 1)
			parquet_number(w, 1, (int32_t)hash(row));
		else
			parquet_none(w, 1);
		if (row % 3000 < 2000) /* long runs */
			parquet_number(w, 2, -(int64_t)(row / 5000));
		else
			parquet_none(w, 2);
		parquet_text(w, 3, text_of(row));
		parquet_double(w, 4, row / 7.0);
		parquet_none(w, 5);
		parquet_number(w, 6, 42);
		parquet_row_end(w);
		if (group && row % group == group - 1) {
			parquet_group_end(w);
			parquet_group_end(w); /* without rows there is none */
			parquet_pause(w);
		}
	}
	CU_ASSERT(parquet_close(w, &bytes) == 0);
	CU_ASSERT(bytes > 100);
}

static int row_is_right(const struct parquet_table *table, uint32_t row)
{
	const struct parquet_cells *c = table->columns;
	const char *text = text_of(row);

	return c[0].is_some[row] && c[0].numbers[row] == (int64_t)row * -1234567891011 &&
	       c[1].is_some[row] == (hash(row) & 1) &&
	       c[1].numbers[row] == (hash(row) & 1 ? (int32_t)hash(row) : 0) &&
	       c[2].is_some[row] == (row % 3000 < 2000) &&
	       c[2].numbers[row] == (row % 3000 < 2000 ? -(int64_t)(row / 5000) : 0) &&
	       c[3].is_some[row] == (text != NULL) && !strcmp(c[3].texts[row], text ? text : "") &&
	       c[4].is_some[row] && c[4].doubles[row] >= row / 7.0 && c[4].doubles[row] <= row / 7.0 &&
	       !c[5].is_some[row] && c[6].numbers[row] == 42;
}

static void written_and_read(void)
{
	static const uint32_t sizes[][2] = { { 0, 0 }, { 1, 0 }, { 7, 2 }, { ROWS, 0 }, { ROWS, 40000 } };

	for (size_t i = 0; i < 5; i++) {
		struct parquet_table table;
		int right = 1;

		write_file(sizes[i][0], sizes[i][1]);
		CU_ASSERT(!parquet_read(&table, path, columns, 7));
		CU_ASSERT_FATAL(table.n_rows == sizes[i][0]);
		for (uint32_t row = 0; row < sizes[i][0]; row++)
			right &= row_is_right(&table, row);
		CU_ASSERT(right);
		parquet_table_release(&table);
		unlink(path);
		strcpy(path + sizeof(path) - 7, "XXXXXX");
	}
}

/* Columns that are not there, or of another kind, have no values. */
static void other_columns(void)
{
	static const struct parquet_column wanted[] = {
		{ "absent", PARQUET_INT64, 1, 0 },
		{ "text", PARQUET_INT64, 1, 0 },
		{ "id", PARQUET_INT64, 0, 0 },
	};
	struct parquet_table table;

	write_file(100, 0);
	CU_ASSERT(!parquet_read(&table, path, wanted, 3));
	CU_ASSERT_FATAL(table.n_rows == 100);
	CU_ASSERT(!table.columns[0].is_some[50] && !table.columns[1].is_some[50]);
	CU_ASSERT(table.columns[2].numbers[50] == -50 * 1234567891011);
	parquet_table_release(&table);
	unlink(path);
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	CU_ASSERT(parquet_read(&table, "/nowhere/at.all", wanted, 3) != NULL);
	parquet_table_release(&table);
}

static void write_bytes(const char *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_FATAL(file != NULL);
	fwrite(bytes, 1, n, file);
	fclose(file);
}

/* Whatever is in it, it is read or not, and nothing else happens. */
static void damaged_files(void)
{
	static char bytes[1 << 16], copy[1 << 16];
	struct parquet_table table;
	size_t n, refused = 0;
	FILE *file;

	write_file(500, 200);
	file = fopen(path, "r");
	CU_ASSERT_FATAL(file != NULL);
	n = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	CU_ASSERT_FATAL(n > 1000 && n < sizeof(bytes));
	for (uint32_t i = 0; i < DAMAGES; i++) {
		size_t end = i % 3 ? n : hash(i) % n;

		memcpy(copy, bytes, n);
		if (i % 3)
			for (uint32_t k = 0; k <= i % 4; k++) /* most of them in the footer */
				copy[n - 1 - hash(8 * i + k) % (i % 2 ? n : 700)] ^=
					(char)(1 << (hash(i + k) % 8));
		write_bytes(copy, end);
		refused += parquet_read(&table, path, columns, 7) != NULL;
		parquet_table_release(&table);
	}
	CU_ASSERT(refused > DAMAGES / 2);
	unlink(path);
	strcpy(path + sizeof(path) - 7, "XXXXXX");
}

static void small_numbers(void)
{
	static uint32_t numbers[1000], read[1000];

	for (uint32_t round = 0; round < 300; round++) {
		unsigned bits = 1 + hash(round) % 32, n = hash(round + 1) % 1000;
		struct strbuf packed = { 0 };
		const unsigned char *at;

		for (uint32_t i = 0; i < n; i++)
			numbers[i] = (i && hash(i * 7 + round) % 16 < round % 16 ? numbers[i - 1]
										 : hash(i + round)) &
				     (uint32_t)((UINT64_C(1) << bits) - 1);
		hybrid_put(&packed, numbers, n, bits);
		at = (const unsigned char *)packed.text;
		CU_ASSERT(!hybrid_get(at, at + packed.length, bits, read, n));
		CU_ASSERT(!memcmp(numbers, read, n * sizeof(*read)));
		CU_ASSERT(!n || hybrid_get(at, at + packed.length, bits, read, 1000 + n % 8) == -1);
		strbuf_release(&packed);
	}
	CU_ASSERT(hybrid_bits(0) == 1 && hybrid_bits(1) == 1 && hybrid_bits(2) == 2 && hybrid_bits(255) == 8);
	CU_ASSERT(hybrid_bits(256) == 9 && hybrid_bits(UINT32_MAX) == 32);
}

CU_TestInfo parquet_tests[] = {
	{ "written and read", written_and_read },
	{ "columns that are not there", other_columns },
	{ "damaged files", damaged_files },
	{ "small numbers", small_numbers },
	CU_TEST_INFO_NULL,
};
