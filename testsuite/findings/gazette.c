/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0201|CF0205 next_number|parse; processor
 * true: CF0205 to read numbers is what is left
 * Adds up the numbers of a text. Planted: each is read by sscanf() from where the last one ended,
 * which looks for the end of the whole text each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 40000

static char *make(void)
{
	char *text = malloc(NUMBERS * 8 + 1), *end = text;

	for (int i = 0; i < NUMBERS; i++)
		end += sprintf(end, "%d,", i * 7919 % 100003);
	return text;
}

static int next_number(const char *text, const char **end)
{
#ifdef REPAIRED
	char *after;
	int number = (int)strtol(text, &after, 10);

	*end = after + 1;
#else
	int number = 0, used = 0;

	sscanf(text, "%d,%n", &number, &used);
	*end = text + used;
#endif
	return number;
}

static long parse(const char *text)
{
	long sum = 0;

	while (*text)
		sum += next_number(text, &text);
	return sum;
}

int main(void)
{
	char *text = make();
	long sum = 0;

	for (int i = 0; i < 12; i++)
		sum += parse(text) % (i + 2);
	printf("%ld\n", sum);
	free(text);
	return 0;
}
