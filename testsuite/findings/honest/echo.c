/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server and a client that talk by a socket: a request of 4 KB, its check sum as the answer. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#define REQUESTS 4000
#define SIZE 4096

static int read_all(int fd, void *data, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t one = read(fd, (char *)data + got, n - got);

		if (one <= 0)
			return -1;
		got += (size_t)one;
	}
	return 0;
}

static uint64_t check(const uint8_t *data)
{
	uint64_t sum = 14695981039346656037u;

	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < SIZE; i++)
			sum = (sum ^ data[i]) * 1099511628211u;
	return sum;
}

static void *server(void *arg)
{
	int fd = *(int *)arg;
	uint8_t data[SIZE];

	while (!read_all(fd, data, sizeof(data))) {
		uint64_t sum = check(data);

		if (write(fd, &sum, sizeof(sum)) != sizeof(sum))
			break;
	}
	return NULL;
}

int main(void)
{
	uint64_t all = 0, sum;
	uint8_t data[SIZE] = { 0 };
	pthread_t thread;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pthread_create(&thread, NULL, server, &ends[1]))
		return 1;
	for (int i = 0; i < REQUESTS; i++) {
		data[i % SIZE] = (uint8_t)i;
		if (write(ends[0], data, sizeof(data)) != sizeof(data) || read_all(ends[0], &sum, sizeof(sum)))
			return 1;
		all ^= sum;
	}
	shutdown(ends[0], SHUT_WR);
	pthread_join(thread, NULL);
	printf("%llx\n", (unsigned long long)all);
	return 0;
}
