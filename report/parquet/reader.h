/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reader.h - tables that parquet.h has written, read again: flat columns, pages of the first
 * version, by gzip or as they are. A file is small enough to be in memory. It may be damaged in any
 * way.
 */
#ifndef REPORT_PARQUET_READER_H
#define REPORT_PARQUET_READER_H

#include "parquet.h"

struct parquet_cells {
	uint8_t *is_some; /* by row */
	/* by row, by kind; what there is none of is 0 */
	int64_t *numbers;
	double *doubles;
	const char **texts; /* "" instead of none */
	char **kept;	    /* what these point into */
	size_t n_kept;
};

struct parquet_table {
	size_t n_rows, n_columns;
	struct parquet_cells *columns; /* those that were asked for */
};

/*
 * Reads these columns, by name; one that the file has not, or of another kind, has no value in any
 * row. NULL, or what is wrong, as the end of a sentence. Release it in both cases.
 */
const char *parquet_read(struct parquet_table *table, const char *path, const struct parquet_column *columns,
			 size_t n);
void parquet_table_release(struct parquet_table *table);

#endif
