/* SPDX-License-Identifier: GPL-3.0-or-later */
/* true: CF0203 so often it calls itself, and has to, as no arguments come again
 * Solves a row of puzzles (the queens of a chess board), and prints a line for each. */
#include <stdio.h>

static unsigned long place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
	unsigned long solutions = 0;

	if (columns == all)
		return 1;
	for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
		unsigned one = free & -free;

		solutions += place(all, columns | one, (left | one) << 1, (right | one) >> 1);
	}
	return solutions;
}

int main(void)
{
	for (unsigned n = 4; n <= 14; n++)
		printf("%u queens: %lu solutions\n", n, place((1u << n) - 1, 0, 0, 0));
	return 0;
}
