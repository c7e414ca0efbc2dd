/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0209 count|counter; wall
 * true: CF0403 the votes are made by one thread
 * Two threads count votes by party. Planted: false sharing by plain writes, both threads' numbers
 * lie side by side. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N 20000000
#define ROUNDS 8

#ifdef REPAIRED
struct tally {
	unsigned long of[4], pad[12];
};
#else
struct tally {
	unsigned long of[4];
};
#endif

static struct tally tallies[2] __attribute__((aligned(256)));
static unsigned char *votes;

static __attribute__((noinline)) void count(struct tally *tally, const unsigned char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tally->of[from[i]]++;
}

static void *counter(void *arg)
{
	size_t number = (size_t)arg;

	for (int i = 0; i < ROUNDS; i++)
		count(&tallies[number], votes + number * (N / 2), N / 2);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	votes = malloc(N);
	for (unsigned i = 0, seed = 1; i < N; i++) {
		seed = seed * 1664525u + 1013904223u;
		votes[i] = (unsigned char)(seed >> 30);
	}
	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, counter, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%lu %lu\n", tallies[0].of[0] + tallies[1].of[0], tallies[0].of[3] + tallies[1].of[3]);
	free(votes);
	return 0;
}
