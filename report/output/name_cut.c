/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "name_cut.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/cxx_names.h"

#define WIDTH_LEAST 20 /* of a name in a text */
#define WIDTH_STEP 8
#define BEFORE 2 /* columns that are shown before what differs */

/* ---- one name -------------------------------------------------------------------------------- */

size_t name_cut(struct strbuf *line, const char *text, size_t width)
{
	size_t half = (width - 1) / 2, from = line->length;

	if (util_columns(text) <= width) {
		strbuf_puts(line, text);
		return util_columns(text);
	}
	strbuf_add(line, text, util_head(text, half));
	strbuf_puts(line, "..");
	strbuf_puts(line, util_tail(text, width - 2 - half));
	return util_columns(line->text + from);
}

static int goes_on(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80; /* UTF-8 */
}

void name_cut_apart(struct strbuf *line, const char *text, const char *other, size_t width)
{
	size_t part = width / 3, same = 0, columns = util_columns(text);
	const char *from, *tail = text + strlen(text);
	FREED char *middle = NULL;

	while (text[same] && text[same] == other[same])
		same++;
	while (same && goes_on(text[same]))
		same--;
	from = text + (same > BEFORE ? same - BEFORE : 0);
	while (from > text && goes_on(*from))
		from--;
	if (columns <= width || part < 5 || from <= text + util_head(text, part)) {
		name_cut(line, text, width);
		return;
	}
	strbuf_add(line, text, util_head(text, part));
	strbuf_puts(line, "..");
	if (util_columns(from) > width - part - 2)
		tail = util_tail(text, part - 2);
	middle = xstrdup(from);
	if (tail > from && *tail)
		middle[tail - from] = '\0';
	strbuf_add(line, middle, util_head(middle, width - 2 * part - 2));
	if (*tail) {
		strbuf_puts(line, "..");
		strbuf_puts(line, tail);
	} else {
		strbuf_puts(line, middle + util_head(middle, width - 2 * part - 2));
	}
}

/* ---- the names in a text --------------------------------------------------------------------- */

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '~' || (unsigned char)c >= 0x80;
}

/* Bytes of the name that begins at `s`, with what stands in its brackets. */
static size_t name_length(const char *s)
{
	const char *at = s, *close;

	for (;;) {
		size_t n = *at == 'o' ? cxx_operator_length(at, s) : 0;

		if (n)
			at += n;
		else if (is_word(*at))
			at++;
		else if (at[0] == ':' && at[1] == ':')
			at += 2;
		else if (at > s && (*at == '<' || *at == '(' || *at == '{' || *at == '[') &&
			 (close = cxx_closing(at)))
			at = close + 1;
		else if (*at == '{' && at > s + 1 && at[-1] == ':')
			at++;
		else
			return (size_t)(at - s);
	}
}

static char *with_names_of(const char *text, size_t width)
{
	struct strbuf cut = { 0 };

	strbuf_clear(&cut);
	while (*text) {
		size_t n = is_word(*text) ? name_length(text) : 0;
		FREED char *name = NULL;

		if (!n) {
			strbuf_add(&cut, text++, 1);
			continue;
		}
		name = strndup(text, n);
		name_cut(&cut, name, width);
		text += n;
	}
	return cut.text;
}

static size_t lines_of(const char *text, size_t used, size_t indent, size_t width)
{
	FREED char *copy = xstrdup(text);
	char *rest = copy;
	size_t column = used, lines = 1;

	for (char *word = util_next_word(&rest); word; word = util_next_word(&rest)) {
		size_t n = util_columns(word);

		if (column > indent && column + 1 + n > width) {
			lines++;
			column = indent;
		}
		column += n + (column > indent);
		lines += width > indent && n > width - indent ? (n - 1) / (width - indent) : 0;
	}
	return lines;
}

char *names_cut_to_lines(const char *text, size_t most, size_t used, size_t indent, size_t width)
{
	char *cut = xstrdup(text);

	if (!width || width <= indent)
		return cut;
	for (size_t of_name = width - indent;
	     of_name >= WIDTH_LEAST && lines_of(cut, used, indent, width) > most; of_name -= WIDTH_STEP) {
		free(cut);
		cut = with_names_of(text, of_name);
	}
	return cut;
}
