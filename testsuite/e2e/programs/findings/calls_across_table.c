/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of calls_across.c: a look-up with a check, more than the ten instructions that are left out as
 * small. */
#ifndef WORK
#define WORK 1
#endif

unsigned table_at(const unsigned *table, unsigned i)
{
	unsigned at = i & 1023, found = table[at];

	for (int round = 1; round < WORK; round++)
		found = found * 1664525u + table[(found ^ at) & 1023];
	if (found & 1)
		found ^= table[(at * 7 + 3) & 1023] >> 3;
	else
		found += table[(at * 5 + 1) & 1023] << 2;
	return found ^ (found >> 15);
}
