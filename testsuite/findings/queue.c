/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0215 total; processor
 * true: CF0215|CF0308 it still goes from pointer to pointer, and fills the memory once
 * Adds up orders. Planted: orders are in a list whose parts lie all over the memory, so that each
 * step waits for it; in the repaired one they lie in a row. */
#include <stdio.h>
#include <stdlib.h>

#define ORDERS 1500000
#define ROUNDS 3

struct order {
	struct order *next;
	long customer, amount, day;
	char address[32];
};

static struct order *orders, *first;

static void make_orders(void)
{
	unsigned *order = malloc(ORDERS * sizeof(*order)), state = 9;

	orders = calloc(ORDERS, sizeof(*orders));
	for (unsigned i = 0; i < ORDERS; i++)
		order[i] = i;
	for (unsigned i = ORDERS - 1; i > 0; i--) {
		unsigned k, other;

		state = state * 1664525 + 1013904223;
		k = (unsigned)((unsigned long)state * i >> 32);
		other = order[k];
		order[k] = order[i];
		order[i] = other;
	}
	for (unsigned i = 0; i < ORDERS; i++) {
		orders[i].amount = i % 977;
		orders[i].day = i % 31;
#ifdef REPAIRED
		orders[i].next = i + 1 < ORDERS ? &orders[i + 1] : NULL;
#else
		orders[order[i]].next = i + 1 < ORDERS ? &orders[order[i + 1]] : NULL;
#endif
	}
#ifdef REPAIRED
	first = orders;
#else
	first = &orders[order[0]];
#endif
	free(order);
}

static long total(int day)
{
	long sum = 0;

	for (const struct order *order = first; order; order = order->next)
		if (order->day == day)
			sum += order->amount;
	return sum;
}

int main(void)
{
	long sum = 0;

	make_orders();
	for (int day = 0; day < ROUNDS; day++)
		sum += total(day);
	printf("%ld\n", sum);
	return 0;
}
