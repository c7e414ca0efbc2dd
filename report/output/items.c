/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "items.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/decimal.h"

#define INDENT 2

struct kept_item {
	int type;
	char *text;
};

void items_begin(struct items *items, FILE *out, const struct items_format *format)
{
	*items = (struct items){ .out = out, .format = format, .line_end = "\r\n" };
	strbuf_clear(&items->key);
}

void items_end(struct items *items)
{
	strbuf_release(&items->key);
	free(items->kept);
}

void items_choose(struct items *items, const char *const *names, size_t n)
{
	items->chosen = names;
	items->n_chosen = n;
	items->kept = xcalloc(n + 1, sizeof(*items->kept));
}

void items_columns(struct items *items, const char *const *names, size_t n)
{
	items->has_columns = 1;
	items->format->columns(items, items->chosen ? items->chosen : names,
			       items->chosen ? items->n_chosen : n);
}

/* A list that is everything begins its lines at the left edge. */
void items_open(struct items *items, const char *name, char bracket, enum items_layout layout)
{
	struct items_group *outer = items_group(items);
	struct items_group group = { .bracket = bracket, .layout = layout, .indent = outer->indent };

	assert(items->depth + 1 < ITEMS_DEPTH_MAX);
	if (layout <= ITEMS_HANG && (items->depth || bracket == '{'))
		group.indent += INDENT;
	group.key_length = items->key.length;
	items->format->open(items, name, bracket);
	outer->n++;
	items->groups[++items->depth] = group;
}

void items_row(struct items *items, enum items_layout layout)
{
	items_open(items, NULL, '{', layout);
	items->row_depth = items->chosen ? items->depth : 0;
}

static void keep(struct items *items, const char *name, int type, const char *text)
{
	for (size_t i = 0; i < items->n_chosen; i++)
		if (!strcmp(items->chosen[i], name))
			items->kept[i] = (struct kept_item){ type, text ? xstrdup(text) : NULL };
}

static void put_kept(struct items *items)
{
	items->row_depth = 0;
	for (size_t i = 0; i < items->n_chosen; i++) {
		struct item item = { .text = items->kept[i].text };

		item.type = items->kept[i].type;
		items->format->put(items, items->chosen[i], &item);
		items_group(items)->n++;
		free(items->kept[i].text);
		items->kept[i] = (struct kept_item){ ITEM_NONE, NULL };
	}
}

void items_close(struct items *items)
{
	if (items->row_depth && items->row_depth == items->depth)
		put_kept(items);
	items->format->close(items);
	items->depth--;
}

int items_table(struct items *items, FILE *out, const struct items_format *format, enum items_layout layout,
		const char *const *columns, size_t n)
{
	items_begin(items, out, format);
	if (format->columns)
		items_columns(items, columns, n);
	else
		items_open(items, NULL, '{', layout);
	return !format->columns;
}

void items_table_rows(struct items *items, const char *name)
{
	if (!items->has_columns)
		items_open(items, name, '[', items_group(items)->layout);
}

void items_table_end(struct items *items)
{
	while (items->depth)
		items_close(items);
	items_end(items);
}

/* Inline: tables have a hundred million values. */
static inline void put(struct items *items, const char *name, int type, const char *text)
{
	const struct item item = { .type = type, .text = text };

	if (items->row_depth) {
		keep(items, name, type, text);
		return;
	}
	items->format->put(items, name, &item);
	items_group(items)->n++;
}

void items_text(struct items *items, const char *name, const char *text)
{
	put(items, name, text ? ITEM_TEXT : ITEM_NONE, text);
}

void items_source(struct items *items, const char *name, const char *text)
{
	put(items, name, text ? ITEM_SOURCE : ITEM_NONE, text);
}

void items_none(struct items *items, const char *name)
{
	put(items, name, ITEM_NONE, NULL);
}

void items_count(struct items *items, const char *name, uint64_t n)
{
	char digits[DECIMAL_BYTES_COUNT];

	decimal_count(digits, n);
	put(items, name, ITEM_NUMBER, digits);
}

void items_count_if(struct items *items, const char *name, uint64_t n)
{
	if (n)
		items_count(items, name, n);
	else
		items_none(items, name);
}

void items_signed(struct items *items, const char *name, int64_t n)
{
	char digits[DECIMAL_BYTES_COUNT];

	decimal_signed(digits, n);
	put(items, name, ITEM_NUMBER, digits);
}

void items_ns(struct items *items, const char *name, long double ns)
{
	items_decimal(items, name, ns, 0);
}

void items_decimal(struct items *items, const char *name, long double number, int decimals)
{
	char digits[DECIMAL_BYTES];

	decimal_number(digits, number, decimals);
	put(items, name, ITEM_NUMBER, digits);
}

void items_decimal_if(struct items *items, const char *name, long double number, int decimals)
{
	if (isnan(number))
		items_none(items, name);
	else
		items_decimal(items, name, number, decimals);
}

void items_short(struct items *items, const char *name, double number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%g", number);
	put(items, name, ITEM_NUMBER, digits);
}

void items_flag(struct items *items, const char *name, int is_true)
{
	put(items, name, ITEM_FLAG, is_true ? "true" : "false");
}
