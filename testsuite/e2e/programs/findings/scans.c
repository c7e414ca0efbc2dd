/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `strlen`: the length of a text is taken anew for each of its characters. `once`: before the loop.
 * `lines`: of 5,000 texts that are different ones, each of which is worked on. `strcat`: a text is
 * put together by strcat, which looks for its end each time. `front`: records are put before all
 * others of an array. `back`: behind them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 40000

static char text[LENGTH + 1];

__attribute__((noinline)) static void upper(char *s)
{
	for (size_t i = 0; i < strlen(s); i++)
		if (s[i] >= 'a' && s[i] <= 'z')
			s[i] -= 'a' - 'A';
}

__attribute__((noinline)) static void upper_once(char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (s[i] >= 'a' && s[i] <= 'z')
			s[i] -= 'a' - 'A';
}

__attribute__((noinline)) static unsigned long lines(char *s)
{
	unsigned long sum = 0;

	for (int i = 0; i < 5000; i++) {
		size_t n = strlen(s + i % 1000);

		for (size_t j = 0; j < n; j++)
			sum = sum * 31 + (unsigned char)s[j];
	}
	return sum;
}

__attribute__((noinline)) static void join(char *to, const char *word, int n)
{
	*to = 0;
	for (int i = 0; i < n; i++)
		strcat(to, word);
}

__attribute__((noinline)) static void insert_front(unsigned *list, int n)
{
	for (int i = 0; i < n; i++) {
		memmove(list + 1, list, (size_t)i * sizeof(*list));
		list[0] = (unsigned)i;
	}
}

__attribute__((noinline)) static void insert_back(unsigned *list, int n)
{
	for (int i = 0; i < n; i++)
		list[i] = (unsigned)i;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "once";
	char *joined = malloc(8 * LENGTH + 1);
	unsigned *list = calloc(LENGTH, sizeof(*list));
	unsigned long sum = 0;

	memset(text, 'x', LENGTH);
	for (int round = 0; round < 2; round++)
		if (!strcmp(what, "strlen"))
			upper(text);
		else if (!strcmp(what, "lines"))
			sum += lines(text);
		else if (!strcmp(what, "strcat"))
			join(joined, "a word, ", LENGTH / 2);
		else if (!strcmp(what, "front"))
			insert_front(list, LENGTH);
		else if (!strcmp(what, "back"))
			insert_back(list, LENGTH);
		else
			upper_once(text);
	printf("%c %lu %u\n", text[7], sum, list[5]);
	free(joined);
	free(list);
	return 0;
}
