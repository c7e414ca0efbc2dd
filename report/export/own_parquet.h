/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own_parquet.h - tables of the program's own values (own_values.h) as Parquet files. */
#ifndef REPORT_EXPORT_OWN_PARQUET_H
#define REPORT_EXPORT_OWN_PARQUET_H

#include "own_values.h"
#include "parquet/folder.h"

/* Writes the table into the folder; each row has the number of the run in front. Adds the file's
 * size to *bytes. Returns 0, or the errno of the first failure. */
int own_parquet_put(const struct export_tree *tree, enum own_table table, struct folder *folder, uint64_t run,
		    uint64_t *bytes);

#endif
