/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql_text.c - see sql_text.h. */
#include "sql_text.h"

#include <stdlib.h>

void sql_text_quote(struct strbuf *text, const char *string)
{
	size_t from = text->length;
	char *visible;

	strbuf_visible(text, string);
	visible = xstrdup(text->text + from);
	text->length = from;
	strbuf_puts(text, "'");
	for (const char *at = visible; *at; at++)
		strbuf_add(text, "''", *at == '\'' ? 2 : 0), strbuf_add(text, at, *at != '\'');
	strbuf_puts(text, "'");
	free(visible);
}

void sql_text_own_schema(struct sink *sink, enum own_table table)
{
	const struct own_schema *schema = &own_values_schemas[table];

	sink_printf(sink, "CREATE TABLE %s(", schema->name);
	for (size_t i = 0; i < schema->n; i++)
		sink_printf(sink, "%s%s %s", i ? ", " : "", schema->columns[i].name,
			    schema->columns[i].is_text ? "TEXT" : "INTEGER");
	sink_puts(sink, ");\n");
}

void sql_text_own_row(struct strbuf *text, const struct export_tree *tree, enum own_table table, size_t row)
{
	const struct own_schema *schema = &own_values_schemas[table];
	struct own_cell cells[OWN_COLUMNS_MOST];

	own_values_row(tree, table, row, cells);
	for (size_t i = 0; i < schema->n; i++) {
		strbuf_puts(text, i ? "," : "(");
		if (schema->columns[i].is_text && cells[i].text)
			sql_text_quote(text, cells[i].text);
		else if (cells[i].is_known)
			strbuf_printf(text, "%lld", (long long)cells[i].number);
		else
			strbuf_puts(text, "NULL");
	}
	strbuf_puts(text, ")");
}
