/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table is made before main, which takes most of the run; with "exit" another one behind it. With
 * "fine" main works far longer.
 */
#include <cstdio>
#include <cstring>
#include <vector>

__attribute__((noinline)) static unsigned step(unsigned x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

struct table {
	std::vector<unsigned> numbers;
	unsigned n_at_exit = 0, sum = 0;

	__attribute__((noinline)) explicit table(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			numbers.push_back(step(i));
	}

	__attribute__((noinline)) ~table()
	{
		for (unsigned i = 0; i < n_at_exit; i++)
			sum += step(i);
		if (sum == 1)
			std::puts("one");
	}
};

static table all_numbers(60);

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned sum = all_numbers.numbers[7];
	unsigned n = !strcmp(what, "bad") ? 20 : 900;

	for (unsigned i = 0; i < n; i++)
		sum += step(sum);
	if (!strcmp(what, "exit"))
		all_numbers.n_at_exit = 900;
	std::printf("%u\n", sum);
	return 0;
}
