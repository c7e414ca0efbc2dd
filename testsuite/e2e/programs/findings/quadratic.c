/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names are collected, each once. `list`: a list is searched from its begin; `hash`: a table by
 * hashes. `image`: rows of an image, of points: as many calls of calls, each of which is needed.
 * `requests`: some fields each, of whose number a request has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 2000
#define SLOTS 4096

struct name {
	unsigned key[4];
};
static struct name names[NAMES];
static struct name *slots[SLOTS];
static int n_names;
static unsigned sum;

__attribute__((noinline)) static int same(const struct name *a, const struct name *b)
{
	int equal = 1;

	for (int i = 3; i >= 0; i--)
		equal &= a->key[i] == b->key[i];
	return equal;
}

__attribute__((noinline)) static struct name *find(const struct name *wanted)
{
	for (int i = 0; i < n_names; i++)
		if (same(&names[i], wanted))
			return &names[i];
	return NULL;
}

__attribute__((noinline)) static struct name **find_slot(const struct name *wanted)
{
	unsigned at = (wanted->key[0] * 2654435761u) % SLOTS;

	while (slots[at] && !same(slots[at], wanted))
		at = (at + 1) % SLOTS;
	return &slots[at];
}

static struct name name_of(int i)
{
	unsigned n = (unsigned)i;

	return (struct name){ { n, n * 3, n * 5, n * 7 } };
}

__attribute__((noinline)) static void collect_list(void)
{
	for (int i = 0; i < NAMES; i++) {
		struct name name = name_of(i);

		if (!find(&name))
			names[n_names++] = name;
	}
}

__attribute__((noinline)) static void collect_hash(void)
{
	for (int round = 0; round < 250; round++)
		for (int i = 0; i < NAMES; i++) {
			struct name name = name_of(i), **slot = find_slot(&name);

			if (!*slot)
				*slot = &names[n_names], names[n_names++] = name;
		}
}

__attribute__((noinline)) static void paint_point(int x, int y)
{
	for (int i = 0; i < 6; i++)
		sum = sum * 31 + (unsigned)(x * i ^ y);
}

__attribute__((noinline)) static void paint_row(int y, int width)
{
	for (int x = 0; x < width; x++)
		paint_point(x, y);
}

__attribute__((noinline)) static void paint(int height, int width)
{
	for (int y = 0; y < height; y++)
		paint_row(y, width);
}

__attribute__((noinline)) static void field(int of, int number)
{
	for (int i = 0; i < 6; i++)
		sum = sum * 31 + (unsigned)(of * i ^ number);
}

__attribute__((noinline)) static void request(int number)
{
	int fields = 1 + (int)((unsigned)number * 2654435761u % 250);

	for (int i = 0; i < fields; i++)
		field(number, i);
}

__attribute__((noinline)) static void serve(void)
{
	for (int i = 0; i < 9000; i++)
		request(i);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "hash";

	if (!strcmp(what, "list"))
		collect_list();
	else if (!strcmp(what, "image"))
		paint(1000, 1000);
	else if (!strcmp(what, "requests"))
		serve();
	else
		collect_hash();
	printf("%d %u\n", n_names, sum);
	return 0;
}
