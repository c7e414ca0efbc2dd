/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0106 sell|wait_for_turn|customer; processor
 * Customers at a baker's with numbers: each is served in turn. Planted: all wait at one condition,
 * and are all woken for each number. */
#include <pthread.h>
#include <stdio.h>

#define CUSTOMERS 32
#define ROUNDS 150

struct shop {
	pthread_mutex_t lock;
	pthread_cond_t turn[CUSTOMERS];
	unsigned next, done;
	unsigned long bread;
};

static struct shop shop = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned long bake(unsigned number)
{
	unsigned long sum = number;

	for (int i = 0; i < 8000; i++)
		sum = sum * 6364136223846793005ul + 1442695040888963407ul;
	return sum >> 40;
}

static void wait_for_turn(unsigned number)
{
	while (shop.next != number)
#ifdef REPAIRED
		pthread_cond_wait(&shop.turn[number], &shop.lock);
#else
		pthread_cond_wait(&shop.turn[0], &shop.lock);
#endif
}

static void call_next(void)
{
	shop.next = (shop.next + 1) % CUSTOMERS;
#ifdef REPAIRED
	pthread_cond_signal(&shop.turn[shop.next]);
#else
	pthread_cond_broadcast(&shop.turn[0]);
#endif
}

static void *customer(void *arg)
{
	unsigned number = (unsigned)(unsigned long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&shop.lock);
		wait_for_turn(number);
		shop.bread += bake(number + i);
		shop.done++;
		call_next();
		pthread_mutex_unlock(&shop.lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[CUSTOMERS];

	for (int i = 0; i < CUSTOMERS; i++)
		pthread_cond_init(&shop.turn[i], NULL);
	for (unsigned long i = 0; i < CUSTOMERS; i++)
		pthread_create(&threads[i], NULL, customer, (void *)i);
	for (int i = 0; i < CUSTOMERS; i++)
		pthread_join(threads[i], NULL);
	printf("%u served, %lx\n", shop.done, shop.bread);
	return 0;
}
