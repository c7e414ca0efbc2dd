/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own_parquet.c - see own_parquet.h. */
#include "own_parquet.h"

#include <stdlib.h>

#include "parquet/parquet.h"

static void put_row(struct parquet_writer *w, const struct export_tree *tree, enum own_table table,
		    size_t row)
{
	const struct own_schema *schema = &own_values_schemas[table];
	struct own_cell cells[OWN_COLUMNS_MOST];

	own_values_row(tree, table, row, cells);
	for (size_t i = 0; i < schema->n; i++)
		if (schema->columns[i].is_text)
			parquet_text(w, 1 + i, cells[i].text);
		else if (cells[i].is_known)
			parquet_number(w, 1 + i, cells[i].number);
		else
			parquet_none(w, 1 + i);
}

int own_parquet_put(const struct export_tree *tree, enum own_table table, struct folder *folder, uint64_t run,
		    uint64_t *bytes)
{
	const struct own_schema *schema = &own_values_schemas[table];
	struct parquet_column columns[1 + OWN_COLUMNS_MOST] = { { "run", PARQUET_INT64, 0, 1 } };
	struct parquet_writer *w;
	STRBUF(name);
	char *path;

	for (size_t i = 0; i < schema->n; i++)
		columns[1 + i] = (struct parquet_column){
			.name = schema->columns[i].name,
			.kind = schema->columns[i].is_text ? PARQUET_TEXT : PARQUET_INT64,
			.is_optional = (uint8_t)schema->columns[i].is_optional,
		};
	strbuf_printf(&name, "%s.parquet", schema->name);
	path = folder_file(folder, name.text);
	w = parquet_create(path, columns, 1 + schema->n);
	free(path);
	for (size_t i = 0; i < own_values_rows(tree, table) && !parquet_failed(w); i++) {
		parquet_number(w, 0, (int64_t)run);
		put_row(w, tree, table, i);
		parquet_row_end(w);
	}
	return parquet_close(w, bytes);
}
