/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.c - numbers by chance, the same ones in each run from a seed on. */
#include <math.h>

#include "tests.h"

uint64_t random_seed;

double random_uniform(void)
{
	random_seed = random_seed * 6364136223846793005ull + 1442695040888963407ull;
	return ((double)(random_seed >> 11) + 0.5) / 9007199254740992.0;
}

double random_normal(void)
{
	return sqrt(-2 * log(random_uniform())) * cos(2 * M_PI * random_uniform());
}

int is_within(double a, double b, double error)
{
	return fabs(a - b) <= error;
}
