/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts are collected, each once. `list`: each is compared with all that are kept, by functions
 * that are shorter than their probes; `hash`: with those of the same hash. argv[2]: so many times.
 * -DKEEP=: the compiler inlines all of it into main.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KEEP
#define KEEP __attribute__((noinline))
#endif
#define TEXTS 3000
#define SLOTS 8192

static char texts[TEXTS][16];
static const char *kept[SLOTS];
static int n;

KEEP static int same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

KEEP static int seen(const char *text)
{
	for (int i = 0; i < n; i++)
		if (same(kept[i], text))
			return 1;
	return 0;
}

KEEP static void add(const char *text)
{
	if (!seen(text))
		kept[n++] = text;
}

KEEP static unsigned hash(const char *text)
{
	unsigned h = 5381;

	while (*text)
		h = h * 33 ^ (unsigned char)*text++;
	return h % SLOTS;
}

KEEP static void add_by_hash(const char *text)
{
	unsigned at = hash(text);

	while (kept[at] && !same(kept[at], text))
		at = (at + 1) % SLOTS;
	n += !kept[at];
	kept[at] = text;
}

int main(int argc, char **argv)
{
	int is_list = argc > 1 && !strcmp(argv[1], "list");
	int rounds = argc > 2 ? atoi(argv[2]) : is_list ? 1 : 200;

	for (int i = 0; i < TEXTS; i++)
		snprintf(texts[i], sizeof(texts[i]), "name-%d", i * 7919 % TEXTS);
	while (rounds--) {
		n = 0;
		memset(kept, 0, sizeof(kept));
		for (int i = 0; i < TEXTS; i++)
			if (is_list)
				add(texts[i]);
			else
				add_by_hash(texts[i]);
	}
	printf("%d\n", n);
	return 0;
}
