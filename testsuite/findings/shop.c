/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0333 prices|total|receive|main; wall
 * Adds up carts by prices that another thread knows, over a connection. Planted: each price is
 * asked for by itself, and waited for, in place of all prices of a cart at once. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CARTS 500
#define ARTICLES 40

static void receive(int fd, void *data, size_t size)
{
	for (size_t n = 0; n < size;) {
		ssize_t got = read(fd, (char *)data + n, size - n);

		if (got <= 0)
			exit(1);
		n += (size_t)got;
	}
}

static void post(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		exit(1);
}

static unsigned price(unsigned article)
{
	for (int i = 0; i < 300; i++)
		article = article * 1664525u + 1013904223u;
	return article >> 20;
}

static void *catalogue(void *arg)
{
	int fd = accept(*(int *)arg, NULL, NULL), on = 1;
	unsigned n, articles[ARTICLES];

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	for (;;) {
		receive(fd, &n, sizeof(n));
		if (!n)
			break;
		receive(fd, articles, n * sizeof(articles[0]));
		for (unsigned i = 0; i < n; i++)
			articles[i] = price(articles[i]);
		post(fd, articles, n * sizeof(articles[0]));
	}
	close(fd);
	return NULL;
}

static void prices(int fd, unsigned *articles, unsigned n)
{
	unsigned message[ARTICLES + 1] = { n };

	memcpy(message + 1, articles, n * sizeof(articles[0]));
	post(fd, message, (n + 1) * sizeof(message[0]));
	receive(fd, articles, n * sizeof(articles[0]));
}

static unsigned long total(int fd, unsigned cart)
{
	unsigned articles[ARTICLES];
	unsigned long sum = 0;

	for (unsigned i = 0; i < ARTICLES; i++)
		articles[i] = cart * 31 + i * 7;
#ifdef REPAIRED
	prices(fd, articles, ARTICLES);
#else
	for (unsigned i = 0; i < ARTICLES; i++)
		prices(fd, &articles[i], 1);
#endif
	for (unsigned i = 0; i < ARTICLES; i++)
		sum += articles[i];
	return sum;
}

int main(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int listening = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	unsigned long sum = 0;
	pthread_t thread;

	bind(listening, (struct sockaddr *)&at, size);
	listen(listening, 1);
	getsockname(listening, (struct sockaddr *)&at, &size);
	pthread_create(&thread, NULL, catalogue, &listening);
	if (connect(fd, (struct sockaddr *)&at, size))
		return 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	for (unsigned i = 0; i < CARTS; i++)
		sum += total(fd, i);
	post(fd, &(unsigned){ 0 }, sizeof(unsigned));
	pthread_join(thread, NULL);
	printf("%lu\n", sum);
	return 0;
}
