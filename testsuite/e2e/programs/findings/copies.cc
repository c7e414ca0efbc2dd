// SPDX-License-Identifier: GPL-3.0-or-later
//
// Settings are looked up in a map of maps. `values`: a copy of the inner map is made for each look;
// `references`: none is.
#include <cstdio>
#include <cstring>
#include <map>

#define KEEP __attribute__((noinline))

struct section {
	std::map<int, int> values;
	KEEP section() {}
	KEEP section(const section &other) : values(other.values) {}
};

static std::map<int, section> sections;

KEEP static section find(int number) { return sections[number]; }
KEEP static const section &see(int number) { return sections[number]; }

KEEP static long copies(int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += (long)find(i % 8).values.size();
	return sum;
}

KEEP static long references(int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += (long)see(i % 8).values.size();
	return sum;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 100; k++)
			sections[i].values[k] = k;
	printf("%ld\n", argc > 1 && !strcmp(argv[1], "values") ? copies(20000) : references(2000000));
	return 0;
}
