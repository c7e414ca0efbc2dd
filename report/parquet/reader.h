/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reader.h - reads tables written by parquet.h: flat columns, pages of version 1, compressed by
 * gzip or not. Files are small enough for memory, and may be damaged in any way.
 */
#ifndef REPORT_PARQUET_READER_H
#define REPORT_PARQUET_READER_H

#include "parquet.h"

struct parquet_cells {
	uint8_t *is_some; /* by row: whether it has a value */
	/* By row; only the array of the column's kind. Without a value: 0. */
	int64_t *numbers;
	double *doubles;
	const char **texts; /* by row; without a value: "" */
	char **kept;	    /* memory that `texts` points into */
	size_t n_kept;
};

struct parquet_table {
	size_t n_rows, n_columns;
	struct parquet_cells *columns; /* the columns requested */
};

/* Reads these columns by name. A column that the file does not have, or has with another kind, has
 * no values. Returns NULL, or the problem as the end of a sentence. Release the table in both
 * cases. */
const char *parquet_read(struct parquet_table *table, const char *path, const struct parquet_column *columns,
			 size_t n);
void parquet_table_release(struct parquet_table *table);

#endif
