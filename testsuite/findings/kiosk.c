/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0201|CF0215 store_find; processor
 * true: CF0205 the keys of sessions are made of numbers
 * Keeps sessions by their names in a table with chains. Planted: the table has 64 chains and never
 * grows, so that each search compares hundreds of names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next;
	char *key;
	long value;
};

struct store {
	struct entry **chains;
	size_t n_chains, n_entries;
};

static uint64_t hash_of(const char *key)
{
	uint64_t hash = 14695981039346656037ull;

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 1099511628211ull;
	return hash ^ hash >> 29;
}

static void store_init(struct store *store)
{
	store->n_chains = 64;
	store->chains = calloc(store->n_chains, sizeof(*store->chains));
	store->n_entries = 0;
}

static struct entry *store_find(const struct store *store, const char *key)
{
	struct entry *entry = store->chains[hash_of(key) % store->n_chains];

	while (entry && strcmp(entry->key, key) != 0)
		entry = entry->next;
	return entry;
}

#ifdef REPAIRED
static void store_grow(struct store *store)
{
	size_t n = store->n_chains * 4;
	struct entry **chains = calloc(n, sizeof(*chains));

	for (size_t i = 0; i < store->n_chains; i++) {
		for (struct entry *entry = store->chains[i], *next; entry; entry = next) {
			struct entry **chain = &chains[hash_of(entry->key) % n];

			next = entry->next;
			entry->next = *chain;
			*chain = entry;
		}
	}
	free(store->chains);
	store->chains = chains;
	store->n_chains = n;
}
#endif

static void store_put(struct store *store, const char *key, long value)
{
	struct entry *entry = store_find(store, key);

	if (!entry) {
		struct entry **chain;

#ifdef REPAIRED
		if (store->n_entries > store->n_chains)
			store_grow(store);
#endif
		chain = &store->chains[hash_of(key) % store->n_chains];
		entry = malloc(sizeof(*entry));
		entry->key = strdup(key);
		entry->next = *chain;
		*chain = entry;
		store->n_entries++;
	}
	entry->value = value;
}

static long request(struct store *store, unsigned number)
{
	char key[64];
	struct entry *entry;

	snprintf(key, sizeof(key), "session-%08x", number * 2654435761u);
	if (number % 3 == 0) {
		store_put(store, key, number);
		return 1;
	}
	entry = store_find(store, key);
	return entry ? entry->value : 0;
}

int main(void)
{
	struct store store;
	unsigned state = 7;
	long sum = 0;

	store_init(&store);
	for (int i = 0; i < 700000; i++) {
		state = state * 1664525 + 1013904223;
		sum += request(&store, (state >> 8) % 36000);
	}
	printf("%ld %zu\n", sum, store.n_entries);
	return 0;
}
