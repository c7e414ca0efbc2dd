/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0101|CF0103|CF0211 total_of|locked_add|account; wall
 * Threads book into accounts. Planted: one lock for all of them, held by a function of one line. */
#include <pthread.h>
#include <stdio.h>

#define ACCOUNTS 64

struct bank {
	pthread_mutex_t locks[ACCOUNTS];
	unsigned long cents[ACCOUNTS];
};

static struct bank bank;

static unsigned long interest(unsigned long cents)
{
	for (int i = 0; i < 3000; i++)
		cents = cents * 6364136223846793005ul + 1442695040888963407ul;
	return cents >> 50;
}

static pthread_mutex_t *lock_of(int account)
{
#ifdef REPAIRED
	return &bank.locks[account];
#else
	(void)account;
	return &bank.locks[0];
#endif
}

static void locked_add(int account, unsigned long cents) { pthread_mutex_t *lock = lock_of(account); pthread_mutex_lock(lock); bank.cents[account] += interest(cents); pthread_mutex_unlock(lock); }

static void *clerk(void *arg)
{
	unsigned number = (unsigned)(unsigned long)arg;

	for (unsigned i = 0; i < 100000; i++)
		locked_add((int)((i * 4 + number) % ACCOUNTS), i);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	unsigned long sum = 0;

	for (int i = 0; i < ACCOUNTS; i++)
		pthread_mutex_init(&bank.locks[i], NULL);
	for (unsigned long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, clerk, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ACCOUNTS; i++)
		sum += bank.cents[i];
	printf("%lu\n", sum);
	return 0;
}
