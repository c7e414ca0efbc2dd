/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0203 ways; processor
 * In how many ways a sum can be paid. Planted: the recursion computes the same sums again and
 * again; the repaired one keeps them. */
#include <stdio.h>
#include <string.h>

#define MOST 700

static const int coins[] = { 1, 2, 5, 10, 20, 50 };
static long known[6][MOST + 1];

static long ways(int coin, int sum)
{
	long n = 0;

	if (sum == 0)
		return 1;
	if (coin < 0 || sum < 0)
		return 0;
#ifdef REPAIRED
	if (known[coin][sum])
		return known[coin][sum] - 1;
#endif
	n = ways(coin - 1, sum) + ways(coin, sum - coins[coin]);
	known[coin][sum] = n + 1;
	return n;
}

static long bill(int sum)
{
	memset(known, 0, sizeof(known));
	return ways(5, sum);
}

int main(void)
{
	long all = 0;

	for (int sum = 100; sum < 300; sum += 7)
		all += bill(sum);
	printf("%ld\n", all);
	return 0;
}
