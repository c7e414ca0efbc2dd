/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `make demo` profiles: a small shop with three planted problems, which cinstr summary names.
 *
 * 1. load_prices() reads the price list eight bytes at a time: a system call for each price.
 * 2. log_order() waits for its disk while it holds the lock of the log, so all others wait, too.
 * 3. find_customer() formats a text for each customer that it looks at, only to compare it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PRICES 200000
#define WORKERS 4
#define ORDERS 40 /* of each worker */
#define CUSTOMERS 15000

struct price {
	unsigned article, cents;
};

static struct price prices[PRICES];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *order_log;

/* ---- prices ---------------------------------------------------------------------------------- */

static void write_prices(const char *path)
{
	FILE *file = fopen(path, "w");

	for (unsigned i = 0; i < PRICES; i++)
		prices[i] = (struct price){ i, 100 + i % 900 };
	if (!file || fwrite(prices, sizeof(prices), 1, file) != 1 || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void load_prices(const char *path)
{
	int fd = open(path, O_RDONLY);
	unsigned n = 0;

	while (n < PRICES && read(fd, &prices[n], sizeof(prices[n])) == sizeof(prices[n]))
		n++;
	close(fd);
}

/* ---- orders, in several threads -------------------------------------------------------------- */

/* A disk that takes a millisecond. */
static void wait_for_disk(void)
{
	struct timespec t = { 0, 1000000 };

	nanosleep(&t, NULL);
}

static void log_order(unsigned order, unsigned cents)
{
	pthread_mutex_lock(&log_lock);
	fprintf(order_log, "order %u: %u cents\n", order, cents);
	wait_for_disk();
	pthread_mutex_unlock(&log_lock);
}

static void *worker_main(void *first)
{
	unsigned begin = (unsigned)(size_t)first;

	for (unsigned order = begin; order < begin + ORDERS; order++)
		log_order(order, prices[order * 17 % PRICES].cents);
	return NULL;
}

static void take_orders(void)
{
	pthread_t threads[WORKERS];

	for (size_t i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, worker_main, (void *)(i * ORDERS));
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- bills ----------------------------------------------------------------------------------- */

static unsigned find_customer(const char *wanted)
{
	char name[32];
	unsigned i;

	for (i = 0; i < CUSTOMERS; i++) {
		snprintf(name, sizeof(name), "customer-%06u", i);
		if (!strcmp(name, wanted))
			break;
	}
	return i;
}

static void write_bills(void)
{
	char name[32];

	for (unsigned i = 0; i < WORKERS * ORDERS; i++) {
		snprintf(name, sizeof(name), "customer-%06u", CUSTOMERS - 1 - i);
		fprintf(order_log, "bill for %s, number %u\n", name, find_customer(name));
	}
}

/* argv[1]: a folder to write into */
int main(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1])) {
		fprintf(stderr, "usage: shop FOLDER\n");
		return 2;
	}
	write_prices("prices");
	order_log = fopen("orders", "w");
	if (!order_log)
		return 1;
	load_prices("prices");
	take_orders();
	write_bills();
	return fclose(order_log) ? 1 : 0;
}
