// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a long sum; each level of the parser gets the text as a TEXT: std::string, of which it is a
// copy, or const std::string &.
#include <cstdio>
#include <string>

static double parse_sum(TEXT text, size_t &at);

static double parse_atom(TEXT text, size_t &at)
{
	double v = 0;

	if (text[at] == '(') {
		at++;
		v = parse_sum(text, at);
		at++;
		return v;
	}
	while (at < text.size() && text[at] >= '0' && text[at] <= '9')
		v = v * 10 + (text[at++] - '0');
	return v;
}

static double parse_product(TEXT text, size_t &at)
{
	double v = parse_atom(text, at);

	while (at < text.size() && text[at] == '*') {
		at++;
		v *= parse_atom(text, at);
	}
	return v;
}

static double parse_sum(TEXT text, size_t &at)
{
	double v = parse_product(text, at);

	while (at < text.size() && text[at] == '+') {
		at++;
		v += parse_product(text, at);
	}
	return v;
}

int main()
{
	std::string text = "1";
	double sum = 0;

	for (int i = 0; i < 4000; i++)
		text += i % 5 ? "+(2*3+4)" : "*1+7";
	for (int i = 0; i < 2; i++) {
		size_t at = 0;
		sum += parse_sum(text, at);
	}
	printf("%g\n", sum);
	return 0;
}
