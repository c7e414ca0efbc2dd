/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info_lines.c - prints lines of cinstr info, continued below the begin of their text. */
#include "info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/terminal.h"

#define LABEL 14
#define BEFORE 2
#define OPTIONS_WIDTH 84 /* on one line, if more would fit */

/* The last blank within so many columns, else the first one beyond; not before column `from`. NULL:
 * there is none. */
static const char *break_of(const char *text, size_t from, size_t columns)
{
	const char *found = NULL;
	size_t at = 0;

	for (const char *p = text; *p && (at <= columns || !found); p++) {
		if (*p == ' ' && at > from && (at <= columns || !found))
			found = p;
		at += (*p & 0xc0) != 0x80;
	}
	return found;
}

void info_line(struct info *info, size_t indent)
{
	size_t width = terminal_width(stdout), from = 0;
	const char *rest = info->text.text;

	while (width && from + util_columns(rest) > width) {
		const char *end = break_of(rest, from ? 0 : indent, width > from ? width - from : 0);
		const char *next = end ? end + strspn(end, " ") : NULL;

		if (!end)
			break;
		while (end > rest && end[-1] == ' ')
			end--;
		printf("%.*s\n%*s", (int)(end - rest), rest, (int)indent, "");
		rest = next;
		from = indent;
	}
	puts(rest);
	strbuf_clear(&info->text);
}

void info_say(struct info *info, const char *label)
{
	STRBUF(line);
	size_t blank = strspn(info->text.length ? info->text.text : "", " ");

	if (!info->text.length)
		return;
	strbuf_printf(&line, "%*s%-*s%s", BEFORE, "", LABEL, label, info->text.text);
	strbuf_clear(&info->text);
	strbuf_puts(&info->text, line.text);
	info_line(info, BEFORE + LABEL + blank);
}

/* NAME=VALUE NAME=VALUE, wrapped before names: a value may hold spaces. */
void info_say_options(struct info *info, const char *all)
{
	const char *label = "options";
	size_t width = terminal_width(stdout), most = OPTIONS_WIDTH;

	if (width > BEFORE + LABEL && width - BEFORE - LABEL < most)
		most = width - BEFORE - LABEL;
	while (*all) {
		const char *next = strstr(all + 1, " CINSTR");
		size_t n = next ? (size_t)(next - all) : strlen(all);
		FREED char *option = strndup(all, n);

		if (info->text.length && info->text.length + n + 1 > most) {
			info_say(info, label);
			label = "";
		}
		if (info->text.length)
			strbuf_puts(&info->text, " ");
		strbuf_visible(&info->text, option);
		all += n + (next != NULL);
	}
	info_say(info, label);
}
