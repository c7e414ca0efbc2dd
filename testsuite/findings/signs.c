/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0209 is_wide|width|lay_out; processor
 * true: CF0205 the texts of the signs are put together
 * Lays out signs. Planted: whether letters are wide is asked of the environment for each letter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNS 200000

static int is_wide(void)
{
#ifdef REPAIRED
	static int known = -1;
	const char *text;

	if (known >= 0)
		return known;
	text = getenv("SIGNS_WIDE");
	known = text && !strcmp(text, "1");
	return known;
#else
	const char *text = getenv("SIGNS_WIDE");

	return text && !strcmp(text, "1");
#endif
}

static int width(char letter)
{
	int narrow = letter == 'i' || letter == 'l' ? 3 : letter == 'm' || letter == 'w' ? 9 : 6;

	return is_wide() ? narrow * 2 : narrow;
}

static int lay_out(const char *text, int line)
{
	int x = 0, y = 0;

	for (; *text; text++) {
		x += width(*text);
		if (x > line) {
			x = 0;
			y += 14;
		}
	}
	return x + y;
}

/* What a shell's environment has, more or less. */
static void prepare(void)
{
	for (int i = 0; i < 90; i++) {
		char name[40];

		snprintf(name, sizeof(name), "SETTING_%d", i);
		setenv(name, "some value of it", 1);
	}
}

int main(void)
{
	long sum = 0;
	char text[200];

	prepare();
	for (int i = 0; i < SIGNS; i++) {
		snprintf(text, sizeof(text), "sign %d: mind the gap between the platform and the train, please %d", i, i * 7);
		sum += lay_out(text, 100 + i % 300);
	}
	printf("%ld\n", sum);
	return 0;
}
