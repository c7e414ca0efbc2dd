/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text_width.c - the width of text on a terminal (util.h): two columns for Chinese, Japanese and
 * Korean characters, none for combining marks. Uses the C library's tables of any UTF-8 locale; the
 * command's own locale remains "C". Callable from any thread.
 */
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "util.h"

/* The locale that widths are asked of; 0: the system has none, each character is one column. */
static locale_t find_locale(void)
{
	static const char *const names[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8", "" };
	locale_t found = (locale_t)0;

	for (size_t i = 0; !found && i < ARRAY_SIZE(names); i++)
		found = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
	return found;
}

static locale_t kept;

static void keep_locale(void)
{
	kept = find_locale();
}

static locale_t width_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, keep_locale);
	return kept;
}

/* The character at `at`, which is at its end afterwards. */
static wchar_t next(const char **at)
{
	const unsigned char *s = (const unsigned char *)*at;
	uint32_t c = s[0] < 0xc0 ? s[0] : s[0] < 0xe0 ? s[0] & 0x1f : s[0] < 0xf0 ? s[0] & 0x0f : s[0] & 0x07;
	size_t n = 1;

	for (; s[0] >= 0xc0 && (s[n] & 0xc0) == 0x80; n++)
		c = c << 6 | (s[n] & 0x3f);
	*at += n;
	return (wchar_t)c;
}

static size_t width_of(wchar_t c)
{
	int width = c < 0x80 ? 1 : wcwidth(c);

	return width < 0 ? 1 : (size_t)width;
}

static int is_ascii(const char *text)
{
	while (*text && !(*text & 0x80))
		text++;
	return !*text;
}

/* From the begin of the text up to where it is more than `most` wide. Returns the bytes, and how
 * wide they are. */
static size_t measure(const char *text, size_t most, size_t *columns)
{
	locale_t locale = width_locale(), was = locale ? uselocale(locale) : (locale_t)0;
	const char *at = text;

	for (*columns = 0; *at;) {
		const char *behind = at;
		wchar_t c = next(&behind);
		size_t width = locale ? width_of(c) : 1;

		if (*columns + width > most)
			break;
		*columns += width;
		at = behind;
	}
	if (locale)
		uselocale(was);
	return (size_t)(at - text);
}

size_t util_columns(const char *string)
{
	size_t columns;

	if (is_ascii(string))
		return strlen(string);
	measure(string, SIZE_MAX, &columns);
	return columns;
}

size_t util_head(const char *string, size_t columns)
{
	size_t wide;

	return measure(string, columns, &wide);
}

const char *util_tail(const char *string, size_t columns)
{
	size_t all = util_columns(string), wide, bytes;

	if (all <= columns)
		return string;
	bytes = measure(string, all - columns, &wide);
	if (wide < all - columns) { /* half of a wide one would be left */
		const char *at = string + bytes;

		next(&at);
		bytes = (size_t)(at - string);
		bytes += measure(string + bytes, 0, &wide); /* marks that stood on it */
	}
	return string + bytes;
}

/* "ms" of "ms, ...": its length; 0: another word. */
static size_t unit_length(const char *text)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "%" };
	size_t length = strcspn(text, " ,.;:()");

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (length == strlen(units[i]) && !strncmp(text, units[i], length))
			return length;
	return 0;
}

char *util_next_word(char **rest)
{
	char *word = strsep(rest, " ");

	if (word && *rest && *word && strchr("0123456789", (*rest)[-2]) && unit_length(*rest)) {
		(*rest)[-1] = ' ';
		strsep(rest, " ");
	}
	return word;
}
