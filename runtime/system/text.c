/* SPDX-License-Identifier: MIT */
/*
 * text.c - strings without libc (text.h). No system calls; any thread. The command links it, too.
 */
#include "text.h"

size_t string_length(const char *string)
{
	size_t n = 0;

	while (string[n])
		n++;
	return n;
}

int string_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

void text_add(struct text *text, const char *string)
{
	while (*string && text->used + 1 < sizeof(text->data))
		text->data[text->used++] = *string++;
	text->data[text->used] = '\0';
}

size_t text_printable(const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	uint32_t point;
	size_t n;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	point = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (s[i] & 0x3f);
	}
	/* No C1 controls, overlong forms, surrogates, direction overrides. */
	if (point < 0xa0 || (n == 3 && point < 0x800) || (n == 4 && point < 0x10000) || point > 0x10ffff ||
	    (point >= 0xd800 && point < 0xe000) || (point >= 0x202a && point <= 0x202e) ||
	    (point >= 0x2066 && point <= 0x2069))
		return 0;
	return n;
}

void text_add_visible(struct text *text, const char *string)
{
	static const char digits[] = "0123456789abcdef";

	while (*string && text->used < sizeof(text->data) - 1) {
		char code[5] = { '\\', 'x', digits[*string >> 4 & 15], digits[*string & 15], '\0' };
		size_t n = text_printable(string);

		for (size_t i = 0; i < n && text->used < sizeof(text->data) - 1; i++)
			text->data[text->used++] = string[i];
		text->data[text->used] = '\0';
		if (!n)
			text_add(text, code);
		string += n ? n : 1;
	}
}

void text_add_number(struct text *text, int64_t number)
{
	char digits[24];
	unsigned i = sizeof(digits);
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;

	digits[--i] = '\0';
	do
		digits[--i] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		digits[--i] = '-';
	text_add(text, digits + i);
}

void text_add_hex(struct text *text, uint32_t number)
{
	char digits[9] = "";

	for (int i = 8; i-- > 0; number >>= 4)
		digits[i] = "0123456789abcdef"[number & 15];
	text_add(text, digits);
}

struct text text_of(const char *a, const char *b, const char *c)
{
	struct text text = { .used = 0 };

	text_add(&text, a);
	text_add(&text, b);
	text_add(&text, c);
	return text;
}

int string_ends(const char *string, size_t length, const char *suffix)
{
	size_t n = string_length(suffix);

	if (length < n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (string[length - n + i] != suffix[i])
			return 0;
	return 1;
}

#define DISTANCE_MAX 64

static unsigned least_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned string_distance(const char *a, const char *b)
{
	unsigned rows[3][DISTANCE_MAX + 1], na = (unsigned)string_length(a), nb = (unsigned)string_length(b);

	if (na > DISTANCE_MAX || nb > DISTANCE_MAX)
		return UINT32_MAX;
	for (unsigned j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= na; i++) {
		unsigned *row = rows[i % 3], *before = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= nb; j++) {
			row[j] = least_of(least_of(before[j], row[j - 1]) + 1,
					  before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least_of(row[j], swapped[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

/* One character class, [a-z] or [!a-z]; *glob is behind the '['. */
static int match_class(const char **glob, const char *end, char c)
{
	const char *g = *glob;
	int negated = g < end && (*g == '!' || *g == '^');
	int found = 0;

	g += negated;
	for (const char *first = g; g < end && (*g != ']' || g == first); g++) {
		if (g + 2 < end && g[1] == '-' && g[2] != ']') {
			found |= g[0] <= c && c <= g[2];
			g += 2;
		} else {
			found |= *g == c;
		}
	}
	*glob = g < end ? g + 1 : g;
	return found != negated;
}

/* Shell-style: * ? [..]. */
int glob_match(const char *glob, size_t glob_length, const char *string)
{
	const char *end = glob + glob_length, *star = NULL, *retry = NULL;

	for (;;) {
		const char *g = glob;

		if (g < end && *g == '*') {
			star = ++glob;
			retry = string;
			continue;
		}
		if (!*string) {
			if (g == end)
				return 1;
		} else if (g < end) {
			g++;
			if (glob[0] == '[' ? match_class(&g, end, *string)
					   : glob[0] == '?' || glob[0] == *string) {
				glob = g;
				string++;
				continue;
			}
		}
		if (!star || !*retry)
			return 0;
		glob = star;
		string = ++retry;
	}
}

size_t text_cut(const char *string, size_t most)
{
	size_t n = 0;

	while (n < most && string[n])
		n++;
	/* UTF-8 goes on there */
	while (string[n] && n > 0 && ((unsigned char)string[n] & 0xc0) == 0x80)
		n--;
	return n;
}
