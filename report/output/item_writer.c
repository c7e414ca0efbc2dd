/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/decimal.h"

#define INDENT 2

struct kept_item {
	int type;
	char *text;
};

void sheet_begin(struct sheet *sheet, FILE *out, const struct sheet_format *format)
{
	*sheet = (struct sheet){ .out = out, .format = format, .line_end = "\r\n" };
	strbuf_clear(&sheet->key);
}

void sheet_end(struct sheet *sheet)
{
	strbuf_release(&sheet->key);
	free(sheet->kept);
}

void sheet_choose(struct sheet *sheet, const char *const *names, size_t n)
{
	sheet->chosen = names;
	sheet->n_chosen = n;
	sheet->kept = xcalloc(n + 1, sizeof(*sheet->kept));
}

void sheet_columns(struct sheet *sheet, const char *const *names, size_t n)
{
	sheet->has_columns = 1;
	sheet->format->columns(sheet, sheet->chosen ? sheet->chosen : names,
			       sheet->chosen ? sheet->n_chosen : n);
}

/* A list that is everything begins its lines at the left edge. */
void sheet_open(struct sheet *sheet, const char *name, char bracket, enum sheet_layout layout)
{
	struct sheet_group *outer = sheet_group(sheet);
	struct sheet_group group = { .bracket = bracket, .layout = layout, .indent = outer->indent };

	assert(sheet->depth + 1 < SHEET_DEPTH_MAX);
	if (layout <= SHEET_HANG && (sheet->depth || bracket == '{'))
		group.indent += INDENT;
	group.key_length = sheet->key.length;
	sheet->format->open(sheet, name, bracket);
	outer->n++;
	sheet->groups[++sheet->depth] = group;
}

void sheet_row(struct sheet *sheet, enum sheet_layout layout)
{
	sheet_open(sheet, NULL, '{', layout);
	sheet->row_depth = sheet->chosen ? sheet->depth : 0;
}

static void keep(struct sheet *sheet, const char *name, int type, const char *text)
{
	for (size_t i = 0; i < sheet->n_chosen; i++)
		if (!strcmp(sheet->chosen[i], name))
			sheet->kept[i] = (struct kept_item){ type, text ? xstrdup(text) : NULL };
}

static void put_kept(struct sheet *sheet)
{
	sheet->row_depth = 0;
	for (size_t i = 0; i < sheet->n_chosen; i++) {
		struct item item = { .text = sheet->kept[i].text };

		item.type = sheet->kept[i].type;
		sheet->format->put(sheet, sheet->chosen[i], &item);
		sheet_group(sheet)->n++;
		free(sheet->kept[i].text);
		sheet->kept[i] = (struct kept_item){ ITEM_NONE, NULL };
	}
}

void sheet_close(struct sheet *sheet)
{
	if (sheet->row_depth && sheet->row_depth == sheet->depth)
		put_kept(sheet);
	sheet->format->close(sheet);
	sheet->depth--;
}

int sheet_table(struct sheet *sheet, FILE *out, const struct sheet_format *format, enum sheet_layout layout,
		const char *const *columns, size_t n)
{
	sheet_begin(sheet, out, format);
	if (format->columns)
		sheet_columns(sheet, columns, n);
	else
		sheet_open(sheet, NULL, '{', layout);
	return !format->columns;
}

void sheet_table_rows(struct sheet *sheet, const char *name)
{
	if (!sheet->has_columns)
		sheet_open(sheet, name, '[', sheet_group(sheet)->layout);
}

void sheet_table_end(struct sheet *sheet)
{
	while (sheet->depth)
		sheet_close(sheet);
	sheet_end(sheet);
}

static void put(struct sheet *sheet, const char *name, int type, const char *text)
{
	struct item item = { .text = text };

	if (sheet->row_depth) {
		keep(sheet, name, type, text);
		return;
	}
	item.type = type;
	sheet->format->put(sheet, name, &item);
	sheet_group(sheet)->n++;
}

void sheet_text(struct sheet *sheet, const char *name, const char *text)
{
	put(sheet, name, text ? ITEM_TEXT : ITEM_NONE, text);
}

void sheet_source(struct sheet *sheet, const char *name, const char *text)
{
	put(sheet, name, text ? ITEM_SOURCE : ITEM_NONE, text);
}

void sheet_none(struct sheet *sheet, const char *name)
{
	put(sheet, name, ITEM_NONE, NULL);
}

void sheet_count(struct sheet *sheet, const char *name, uint64_t n)
{
	char digits[DECIMAL_BYTES_COUNT];

	decimal_count(digits, n);
	put(sheet, name, ITEM_NUMBER, digits);
}

void sheet_count_if(struct sheet *sheet, const char *name, uint64_t n)
{
	if (n)
		sheet_count(sheet, name, n);
	else
		sheet_none(sheet, name);
}

void sheet_signed(struct sheet *sheet, const char *name, int64_t n)
{
	char digits[DECIMAL_BYTES_COUNT];

	decimal_signed(digits, n);
	put(sheet, name, ITEM_NUMBER, digits);
}

void sheet_ns(struct sheet *sheet, const char *name, long double ns)
{
	sheet_decimal(sheet, name, ns, 0);
}

void sheet_decimal(struct sheet *sheet, const char *name, long double number, int decimals)
{
	char digits[DECIMAL_BYTES];

	decimal_number(digits, number, decimals);
	put(sheet, name, ITEM_NUMBER, digits);
}

void sheet_short(struct sheet *sheet, const char *name, double number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%g", number);
	put(sheet, name, ITEM_NUMBER, digits);
}

void sheet_flag(struct sheet *sheet, const char *name, int is_true)
{
	put(sheet, name, ITEM_FLAG, is_true ? "true" : "false");
}
