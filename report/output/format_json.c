/* SPDX-License-Identifier: GPL-3.0-or-later */
/* format_json.c - writes json; missing values are null. */
#include "items.h"
#include "output.h"

/* Bytes of a well-formed UTF-8 sequence at s; 0: none. */
static size_t utf8_bytes(const unsigned char *s)
{
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* Returns the number of characters at s that mean themselves in json. */
static size_t plain_bytes(const unsigned char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

void output_json_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc_unlocked('"', out);
	while (*s) {
		size_t n = plain_bytes(s);

		if (n) {
			fwrite_unlocked(s, 1, n, out);
			s += n;
			continue;
		}
		n = utf8_bytes(s);
		if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s);
		} else if (n == 2 && *s == 0xc2 && s[1] < 0xa0) { /* controls of 8 bits */
			fprintf(out, "\\u%04x", s[1]);
		} else if (!n) {
			fputs("\\ufffd", out); /* not UTF-8: json has no way to say it */
			n = 1;
		} else {
			fwrite(s, 1, n, out);
		}
		s += n;
	}
	putc_unlocked('"', out);
}

/* Names are the command's own: nothing in them has to be quoted. */
static void begin_item(struct items *items, const char *name)
{
	const struct items_group *group = items_group(items);

	if (!group->bracket)
		return;
	if (group->layout <= ITEMS_HANG)
		fprintf(items->out, "%s\n%*s", group->n ? "," : "", group->indent, "");
	else if (group->n || group->layout == ITEMS_PADDED)
		fputs_unlocked(group->n ? ", " : " ", items->out);
	if (!name)
		return;
	putc_unlocked('"', items->out);
	fputs_unlocked(name, items->out);
	fputs_unlocked("\": ", items->out);
}

static void open_group(struct items *items, const char *name, char bracket)
{
	begin_item(items, name);
	fputc(bracket, items->out);
}

static void close_group(struct items *items)
{
	const struct items_group *group = items_group(items), *outer = group - 1;

	if (group->layout == ITEMS_BLOCK || (group->layout == ITEMS_LINES && group->n))
		fprintf(items->out, "\n%*s", outer->indent, "");
	else if (group->layout == ITEMS_PADDED)
		fputc(' ', items->out);
	fputc(group->bracket == '{' ? '}' : ']', items->out);
	if (!outer->bracket)
		fputc('\n', items->out);
}

static void put_item(struct items *items, const char *name, const struct item *item)
{
	begin_item(items, name);
	if (item->type == ITEM_TEXT || item->type == ITEM_SOURCE)
		output_json_text(items->out, item->text);
	else
		fputs_unlocked(item->type == ITEM_NONE ? "null" : item->text, items->out);
}

const struct items_format output_json_items = { NULL, open_group, close_group, put_item };
