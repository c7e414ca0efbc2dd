/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parquet.h - writes tables as Apache Parquet files, for other engines (DuckDB, Spark, ClickHouse),
 * and for cinstr itself (reader.h).
 *
 * Columns are flat: integers of 32 and 64 bits, doubles, texts. Texts, and numbers with few values,
 * have a dictionary in each row group. Pages are compressed by gzip. Rows are kept in memory until
 * their group ends, PARQUET_GROUP_ROWS at most; of rows written only the positions of their columns
 * are kept.
 */
#ifndef REPORT_PARQUET_PARQUET_H
#define REPORT_PARQUET_PARQUET_H

#include <stddef.h>
#include <stdint.h>

#define PARQUET_GROUP_ROWS (1 << 19)

enum parquet_kind { PARQUET_INT32, PARQUET_INT64, PARQUET_DOUBLE, PARQUET_TEXT };

struct parquet_column {
	const char *name;
	enum parquet_kind kind;
	uint8_t is_optional; /* rows may have no value */
	uint8_t is_few;	     /* numbers with few values, which get a dictionary */
};
/* Make an enum of numbers and an array of columns from one list of them:
 * #define LIST(C) C(NUMBER, "name", KIND, is_optional, is_few) ... */
#define PARQUET_NUMBER(number, name, kind, is_optional, is_few) number,
#define PARQUET_COLUMN(number, name, kind, is_optional, is_few) { name, PARQUET_##kind, is_optional, is_few },

/* Numbers of the format for its parts. */
enum { PARQUET_TYPE_INT32 = 1, PARQUET_TYPE_INT64 = 2, PARQUET_TYPE_DOUBLE = 5, PARQUET_TYPE_BYTES = 6 };
enum { PARQUET_PLAIN = 0, PARQUET_RLE = 3, PARQUET_RLE_DICTIONARY = 8 };
enum { PARQUET_PAGE_DATA = 0, PARQUET_PAGE_DICTIONARY = 2 };
enum { PARQUET_CODEC_NONE = 0, PARQUET_CODEC_GZIP = 2 };
#define PARQUET_MAGIC "PAR1"
#define PARQUET_MAGIC_BYTES 4

struct parquet_writer;

/* Creates the file. `columns` must live as long as the writer. */
struct parquet_writer *parquet_create(const char *path, const struct parquet_column *columns, size_t n);
/* Set the value of a column in the current row; each column must get one. */
void parquet_number(struct parquet_writer *writer, size_t column, int64_t number);
void parquet_double(struct parquet_writer *writer, size_t column, double number);
/* NULL: no value. Control characters and invalid UTF-8 are made visible. */
void parquet_text(struct parquet_writer *writer, size_t column, const char *text);
void parquet_none(struct parquet_writer *writer, size_t column);
/* Ends a row, all columns of which must have been set. */
void parquet_row_end(struct parquet_writer *writer);
/* Ends the row group, if it has rows. */
void parquet_group_end(struct parquet_writer *writer);
/* Closes the file until more is written, as a process may have few files open. */
void parquet_pause(struct parquet_writer *writer);
/* Returns the errno of the first failure, or 0. */
int parquet_failed(const struct parquet_writer *writer);
/* Completes the file, adds its size to *bytes, and releases the writer. Returns the errno of the
 * first failure, or 0. */
int parquet_close(struct parquet_writer *writer, uint64_t *bytes);

#endif
