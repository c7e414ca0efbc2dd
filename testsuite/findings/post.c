/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0401 sort_letters; wall
 * Two post offices sort letters, each those of its streets. Planted: letters are given to an office
 * by their street's number modulo two, and most streets have even numbers. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OFFICES 2
#define LETTERS 90000
#define ROOM 256

struct letter {
	uint32_t street, weight;
};

struct office {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct letter box[ROOM];
	int n, first, closed;
	uint64_t stamped;
	pthread_t thread;
};

static struct office offices[OFFICES];

static void put(struct office *office, struct letter letter)
{
	pthread_mutex_lock(&office->lock);
	while (office->n == ROOM)
		pthread_cond_wait(&office->emptied, &office->lock);
	office->box[(office->first + office->n++) % ROOM] = letter;
	if (office->n == 1)
		pthread_cond_signal(&office->filled);
	pthread_mutex_unlock(&office->lock);
}

static int take(struct office *office, struct letter *letters)
{
	int n = 0;

	pthread_mutex_lock(&office->lock);
	while (office->n == 0 && !office->closed)
		pthread_cond_wait(&office->filled, &office->lock);
	while (office->n > 0) {
		letters[n++] = office->box[office->first];
		office->first = (office->first + 1) % ROOM;
		office->n--;
	}
	pthread_cond_signal(&office->emptied);
	pthread_mutex_unlock(&office->lock);
	return n;
}

static uint64_t stamp(struct letter letter)
{
	uint64_t hash = letter.street;

	for (int i = 0; i < 4000; i++)
		hash = (hash ^ hash >> 13) * 0x9e3779b97f4a7c15ull + letter.weight;
	return hash;
}

static void *sort_letters(void *arg)
{
	struct office *office = arg;
	struct letter letters[ROOM];
	int n;

	while ((n = take(office, letters)) > 0)
		for (int i = 0; i < n; i++)
			office->stamped += stamp(letters[i]);
	return NULL;
}

static int office_of(struct letter letter)
{
#ifdef REPAIRED
	return (int)((letter.street * 2654435761u) >> 31) % OFFICES;
#else
	return (int)letter.street % OFFICES;
#endif
}

int main(void)
{
	uint64_t sum = 0;
	unsigned state = 3;

	for (int i = 0; i < OFFICES; i++) {
		pthread_mutex_init(&offices[i].lock, NULL);
		pthread_cond_init(&offices[i].filled, NULL);
		pthread_cond_init(&offices[i].emptied, NULL);
		pthread_create(&offices[i].thread, NULL, sort_letters, &offices[i]);
	}
	for (int i = 0; i < LETTERS; i++) {
		struct letter letter;

		state = state * 1664525 + 1013904223;
		letter.street = (state >> 12) % 5000 * 2 + (i % 20 == 0);
		letter.weight = state >> 24;
		put(&offices[office_of(letter)], letter);
	}
	for (int i = 0; i < OFFICES; i++) {
		pthread_mutex_lock(&offices[i].lock);
		offices[i].closed = 1;
		pthread_cond_signal(&offices[i].filled);
		pthread_mutex_unlock(&offices[i].lock);
		pthread_join(offices[i].thread, NULL);
		sum += offices[i].stamped;
	}
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
