/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parquet.h - tables as Apache Parquet files: what other engines read (DuckDB, Spark, ClickHouse),
 * and what cinstr reads again of those that it wrote itself (reader.h).
 *
 * Columns are flat: numbers of 32 and 64 bits, doubles, texts. Texts, and numbers of which there
 * are few, are kept in a dictionary for each row group. Pages are packed by gzip. Rows are kept in
 * memory until their group ends, no more than PARQUET_GROUP_ROWS; of what was written only the
 * places of the columns are kept.
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
	uint8_t is_optional; /* a row may have none */
	uint8_t is_few;	     /* of numbers: a dictionary is worth it */
};

/* What the format calls its parts. */
enum { PARQUET_TYPE_INT32 = 1, PARQUET_TYPE_INT64 = 2, PARQUET_TYPE_DOUBLE = 5, PARQUET_TYPE_BYTES = 6 };
enum { PARQUET_PLAIN = 0, PARQUET_RLE = 3, PARQUET_RLE_DICTIONARY = 8 };
enum { PARQUET_PAGE_DATA = 0, PARQUET_PAGE_DICTIONARY = 2 };
enum { PARQUET_CODEC_NONE = 0, PARQUET_CODEC_GZIP = 2 };
#define PARQUET_MAGIC "PAR1"
#define PARQUET_MAGIC_BYTES 4

struct parquet_writer;

/* The file is made anew; the columns are to live as long as the writer. */
struct parquet_writer *parquet_create(const char *path, const struct parquet_column *columns, size_t n);
/* Each column of a row gets one of these. */
void parquet_number(struct parquet_writer *writer, size_t column, int64_t number);
void parquet_double(struct parquet_writer *writer, size_t column, double number);
/* NULL: none. Control characters, and what is not UTF-8, are made visible. */
void parquet_text(struct parquet_writer *writer, size_t column, const char *text);
void parquet_none(struct parquet_writer *writer, size_t column);
/* All columns of a row were given. */
void parquet_row_end(struct parquet_writer *writer);
/* The next row begins a group; without rows there is none. */
void parquet_group_end(struct parquet_writer *writer);
/* Closes the file until something is written again: a process may have few files open. */
void parquet_pause(struct parquet_writer *writer);
uint64_t parquet_rows(const struct parquet_writer *writer);
/* errno of the first failure; 0: none so far. */
int parquet_failed(const struct parquet_writer *writer);
/* Ends the file, adds its bytes to *bytes, and releases the writer. errno of the first failure, or
 * 0. */
int parquet_close(struct parquet_writer *writer, uint64_t *bytes);

#endif
