/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_csv.c - writes csv (RFC 4180): rows, or if a view has no columns lines of pid, key and
 * value, where the key is the path of the item: calibration.call.mean_ns, modules.0.path. Missing
 * values are empty.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "items.h"
#include "output.h"

/* In quotes also where a spreadsheet would take it for a formula: those who read it as text get
 * what it says. */
static void csv_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"") && !(*text && strchr("=+-@\t", *text))) {
		fputs_unlocked(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Tells whether the text is of ASCII's visible characters that mean themselves in csv. */
static int is_plain(const char *text)
{
	if (strchr("=+-@", *text) && *text)
		return 0;
	while (*text >= ' ' && *text <= '~' && *text != ',' && *text != '"')
		text++;
	return !*text;
}

/* errno stays: it may be that of a write. */
void output_csv_text(FILE *out, const char *text)
{
	FREED char *visible = NULL;
	int was;

	if (is_plain(text)) {
		fputs_unlocked(text, out);
		return;
	}
	visible = util_visible(text);
	was = errno;
	csv_field(out, visible);
	errno = was;
}

void output_csv_source(FILE *out, const char *text)
{
	STRBUF(visible);
	FREED char *copy = xstrdup(text);
	char *rest = copy;
	int was = errno;

	strbuf_clear(&visible);
	for (const char *piece = strsep(&rest, "\t"); piece; piece = strsep(&rest, "\t")) {
		strbuf_visible(&visible, piece);
		strbuf_puts(&visible, rest ? "\t" : "");
	}
	csv_field(out, visible.text);
	errno = was;
}

static void columns(struct items *items, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(items->out, "%s%s", i ? "," : "", names[i]);
	fputs(items->line_end, items->out);
}

static void put_key(struct items *items, const char *name)
{
	if (name)
		strbuf_puts(&items->key, name);
	else
		strbuf_printf(&items->key, "%zu", items_group(items)->n);
}

static void open_group(struct items *items, const char *name, char bracket)
{
	(void)bracket;
	if (items->has_columns)
		return;
	if (!items->depth) {
		columns(items, (const char *const[]){ "pid", "key", "value" }, 3);
		return;
	}
	put_key(items, name);
	strbuf_puts(&items->key, ".");
}

static void cut_key(struct strbuf *key, size_t length)
{
	key->length = length;
	key->text[length] = '\0';
}

static void close_group(struct items *items)
{
	if (items->has_columns)
		fputs(items->line_end, items->out);
	else
		cut_key(&items->key, items_group(items)->key_length);
}

/* Numbers are short: a call for each of them takes several times as long. */
static void put_number(FILE *out, const char *digits)
{
	while (*digits)
		putc_unlocked(*digits++, out);
}

static void put_value(FILE *out, const struct item *item)
{
	if (item->type == ITEM_TEXT)
		output_csv_text(out, item->text);
	else if (item->type == ITEM_SOURCE)
		output_csv_source(out, item->text);
	else if (item->type == ITEM_FLAG)
		putc_unlocked(*item->text == 't' ? '1' : '0', out);
	else if (item->type == ITEM_NUMBER)
		put_number(out, item->text);
}

static void put_item(struct items *items, const char *name, const struct item *item)
{
	size_t length = items->key.length;

	if (items->has_columns) {
		if (items_group(items)->n)
			putc_unlocked(',', items->out);
		put_value(items->out, item);
		return;
	}
	if (items->pid)
		fprintf(items->out, "%u", items->pid);
	put_key(items, name);
	fprintf(items->out, ",%s,", items->key.text);
	cut_key(&items->key, length);
	put_value(items->out, item);
	fputs(items->line_end, items->out);
}

const struct items_format output_csv_items = { columns, open_group, close_group, put_item };
