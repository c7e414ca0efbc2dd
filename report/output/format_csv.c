/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_csv.c - writes csv (RFC 4180): rows, or if a view has no columns lines of pid, key and
 * value, where the key is the path of the item: calibration.call.mean_ns, modules.0.path. Missing
 * values are empty.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "item_writer.h"
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

/* Tells whether the text is letters, digits and the like, which mean themselves in csv. */
static int is_plain(const char *text)
{
	for (; (*text >= '0' && *text <= '9') || ((*text | 32) >= 'a' && (*text | 32) <= 'z') ||
	       *text == '_' || *text == '/' || *text == '.';
	     text++)
		;
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

static void columns(struct sheet *sheet, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(sheet->out, "%s%s", i ? "," : "", names[i]);
	fputs(sheet->line_end, sheet->out);
}

static void put_key(struct sheet *sheet, const char *name)
{
	if (name)
		strbuf_puts(&sheet->key, name);
	else
		strbuf_printf(&sheet->key, "%zu", sheet_group(sheet)->n);
}

static void open_group(struct sheet *sheet, const char *name, char bracket)
{
	(void)bracket;
	if (sheet->has_columns)
		return;
	if (!sheet->depth) {
		columns(sheet, (const char *const[]){ "pid", "key", "value" }, 3);
		return;
	}
	put_key(sheet, name);
	strbuf_puts(&sheet->key, ".");
}

static void cut_key(struct strbuf *key, size_t length)
{
	key->length = length;
	key->text[length] = '\0';
}

static void close_group(struct sheet *sheet)
{
	if (sheet->has_columns)
		fputs(sheet->line_end, sheet->out);
	else
		cut_key(&sheet->key, sheet_group(sheet)->key_length);
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

static void put_item(struct sheet *sheet, const char *name, const struct item *item)
{
	size_t length = sheet->key.length;

	if (sheet->has_columns) {
		if (sheet_group(sheet)->n)
			putc_unlocked(',', sheet->out);
		put_value(sheet->out, item);
		return;
	}
	if (sheet->pid)
		fprintf(sheet->out, "%u", sheet->pid);
	put_key(sheet, name);
	fprintf(sheet->out, ",%s,", sheet->key.text);
	cut_key(&sheet->key, length);
	put_value(sheet->out, item);
	fputs(sheet->line_end, sheet->out);
}

const struct sheet_format output_csv_items = { columns, open_group, close_group, put_item };
