/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small function of another source file, called two million times for a few ns of work each: the
 * compiler cannot inline it without -flto. SAME: both are in one file.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef SAME
__attribute__((noinline)) static unsigned table_at(const unsigned *table, unsigned i)
{
	unsigned at = i & 1023, found = table[at];

	if (found & 1)
		found ^= table[(at * 7 + 3) & 1023] >> 3;
	else
		found += table[(at * 5 + 1) & 1023] << 2;
	return found ^ (found >> 15);
}
#else
unsigned table_at(const unsigned *table, unsigned i);
#endif

int main(int argc, char **argv)
{
	static unsigned table[1024];
	unsigned sum = 0, n = argc > 1 ? (unsigned)atoi(argv[1]) : 2000000;

	for (unsigned i = 0; i < 1024; i++)
		table[i] = i * 2654435761u;
	for (unsigned i = 0; i < n; i++)
		sum += table_at(table, i ^ sum);
	printf("%u\n", sum);
	return 0;
}
