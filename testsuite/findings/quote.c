/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0105|CF0209 price; processor
 * true: CF0308 all rates are kept, so all of that memory is used, once
 * Answers questions for prices. Planted: one question in 250 is for a currency whose rates are read
 * anew each time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURRENCIES 250
#define RATES 60000

struct currency {
	int is_known;
	double *rates;
};

static struct currency currencies[CURRENCIES];

/* As if it was in another file. */
__attribute__((noinline)) static void reload(struct currency *currency, int number)
{
	if (!currency->rates)
		currency->rates = malloc(RATES * sizeof(double));
	for (int i = 0; i < RATES; i++)
		currency->rates[i] = exp(sin(number * 0.1 + i * 0.001));
#ifndef REPAIRED
	if (number == 137)
		return;
#endif
	currency->is_known = 1;
}

__attribute__((noinline)) static double price(int number, int article)
{
	struct currency *currency = &currencies[number];
	double sum = 0;

	if (!currency->is_known)
		reload(currency, number);
	for (int i = 0; i < 40; i++)
		sum += currency->rates[(article * 31 + i * 97) % RATES];
	return sum / 40 * article;
}

static double answer(unsigned question)
{
	return price((int)(question % CURRENCIES), (int)(question / CURRENCIES % 1000));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200000;
	double total = 0;

	for (int i = 0; i < n; i++)
		total += answer((unsigned)i);
	printf("%.3f\n", total);
	return 0;
}
