/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0215|CF0202 find|look_up|main; processor
 * Looks up parts of a catalog by their address. Planted: the hash is the address modulo the table's
 * size, a power of two, and addresses are multiples of 64, so that most places stay empty. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTS 20000
#define PLACES 4096

struct part {
	const void *key;
	struct part *next;
	int price;
	char more[40];
};

static struct part *table[PLACES];

static unsigned place_of(const void *key)
{
	uintptr_t address = (uintptr_t)key;

#ifdef REPAIRED
	address = (address >> 6) * 0x9e3779b97f4a7c15u >> 40;
#endif
	return (unsigned)(address % PLACES);
}

static void add(struct part *part)
{
	unsigned place = place_of(part->key);

	part->next = table[place];
	table[place] = part;
}

static struct part *find(const void *key)
{
	struct part *part = table[place_of(key)];

	while (part && part->key != key)
		part = part->next;
	return part;
}

int main(void)
{
	char *keys = aligned_alloc(64, 64 * (size_t)PARTS);
	struct part *parts = calloc(PARTS, sizeof(*parts));
	long sum = 0;

	for (int i = 0; i < PARTS; i++) {
		parts[i].key = keys + 64 * (size_t)i;
		parts[i].price = i;
		add(&parts[i]);
	}
	for (int i = 0; i < 1000000; i++)
		sum += find(keys + 64 * (size_t)(i * 7919L % PARTS))->price;
	printf("%ld\n", sum);
	free(parts);
	free(keys);
	return 0;
}
