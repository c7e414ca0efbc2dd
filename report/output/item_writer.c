/* SPDX-License-Identifier: GPL-3.0-or-later */
/* item_writer.c - see item_writer.h. */
#include "item_writer.h"

#include "output.h"

#define INDENT 2

void sheet_begin(struct sheet *sheet, FILE *out, int is_csv)
{
	*sheet = (struct sheet){ .out = out, .is_csv = is_csv, .depth = 1, .is_first = 1 };
	strbuf_clear(&sheet->key);
	fputs(is_csv ? "pid,key,value\r\n" : "{", out);
}

void sheet_end(struct sheet *sheet)
{
	fputs(sheet->is_csv ? "" : "\n}\n", sheet->out);
	strbuf_release(&sheet->key);
}

/* What stands before a json item. */
static void put_name(struct sheet *sheet, const char *name)
{
	fprintf(sheet->out, "%s\n%*s", sheet->is_first ? "" : ",", (int)(INDENT * sheet->depth), "");
	sheet->is_first = 0;
	if (name) {
		output_json_text(sheet->out, name);
		fputs(": ", sheet->out);
	}
}

void sheet_open(struct sheet *sheet, const char *name, size_t number, char bracket)
{
	if (sheet->is_csv) {
		if (name)
			strbuf_printf(&sheet->key, "%s.", name);
		else
			strbuf_printf(&sheet->key, "%zu.", number);
	} else {
		put_name(sheet, name);
		fputc(bracket, sheet->out);
	}
	sheet->depth++;
	sheet->is_first = 1;
}

void sheet_close(struct sheet *sheet, char bracket)
{
	struct strbuf *key = &sheet->key;

	sheet->depth--;
	if (!sheet->is_csv) {
		if (!sheet->is_first)
			fprintf(sheet->out, "\n%*s", (int)(INDENT * sheet->depth), "");
		fputc(bracket, sheet->out);
	} else if (key->length) {
		do
			key->text[--key->length] = '\0';
		while (key->length && key->text[key->length - 1] != '.');
	}
	sheet->is_first = 0;
}

static void begin_item(struct sheet *sheet, const char *name)
{
	if (!sheet->is_csv) {
		put_name(sheet, name);
		return;
	}
	if (sheet->pid)
		fprintf(sheet->out, "%u", sheet->pid);
	fprintf(sheet->out, ",%s%s,", sheet->key.text, name);
}

static void end_item(struct sheet *sheet)
{
	fputs(sheet->is_csv ? "\r\n" : "", sheet->out);
}

void sheet_text(struct sheet *sheet, const char *name, const char *text)
{
	begin_item(sheet, name);
	if (sheet->is_csv)
		output_csv_text(sheet->out, text ? text : "");
	else if (text)
		output_json_text(sheet->out, text);
	else
		fputs("null", sheet->out);
	end_item(sheet);
}

void sheet_count(struct sheet *sheet, const char *name, uint64_t n)
{
	begin_item(sheet, name);
	fprintf(sheet->out, "%llu", (unsigned long long)n);
	end_item(sheet);
}

void sheet_signed(struct sheet *sheet, const char *name, int64_t n)
{
	begin_item(sheet, name);
	fprintf(sheet->out, "%lld", (long long)n);
	end_item(sheet);
}

void sheet_ns(struct sheet *sheet, const char *name, long double ns)
{
	begin_item(sheet, name);
	fprintf(sheet->out, "%.0Lf", ns);
	end_item(sheet);
}

void sheet_decimal(struct sheet *sheet, const char *name, long double number)
{
	begin_item(sheet, name);
	fprintf(sheet->out, "%.3Lf", number);
	end_item(sheet);
}

void sheet_flag(struct sheet *sheet, const char *name, int is_true)
{
	begin_item(sheet, name);
	fputs(sheet->is_csv ? (is_true ? "1" : "0") : is_true ? "true" : "false", sheet->out);
	end_item(sheet);
}
