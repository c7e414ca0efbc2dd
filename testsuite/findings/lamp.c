/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0306|CF0307|CF0104 wait_for|switcher|follow|main; wall
 * A lamp follows a switch. Planted: the lamp's thread asks by poll() for its descriptor with a
 * limit of 1 ms whether a variable has changed, in place of waiting for what changes it. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define TURNS 700

static atomic_int wanted, shown;
static sem_t is_wanted, is_shown;

static void wait_for(atomic_int *value, sem_t *sign, int least)
{
#ifdef REPAIRED
	while (atomic_load(value) < least)
		sem_wait(sign);
#else
	(void)sign;
	while (atomic_load(value) < least)
		poll(NULL, 0, 1);
#endif
}

static unsigned work(unsigned seed)
{
	for (int i = 0; i < 60000; i++)
		seed = seed * 1664525u + 1013904223u;
	return seed;
}

static void *lamp(void *arg)
{
	unsigned seed = 1;

	for (int i = 1; i <= TURNS; i++) {
		wait_for(&wanted, &is_wanted, i);
		seed = work(seed);
		atomic_store(&shown, i);
		sem_post(&is_shown);
	}
	*(unsigned *)arg = seed;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	unsigned seed;

	sem_init(&is_wanted, 0, 0);
	sem_init(&is_shown, 0, 0);
	pthread_create(&thread, NULL, lamp, &seed);
	for (int i = 1; i <= TURNS; i++) {
		atomic_store(&wanted, i);
		sem_post(&is_wanted);
		wait_for(&shown, &is_shown, i);
	}
	pthread_join(thread, NULL);
	printf("%u\n", seed);
	return 0;
}
