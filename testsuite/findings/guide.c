/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0334 query|resolve; wall
 * Finds hosts by asking servers of names. Planted: the first server of the list does not answer,
 * and is asked first for each name, with a limit of 30 ms. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAMES 30
#define SERVERS 2

struct server {
	struct sockaddr_in address;
	int fd;
	int failures;
};

static struct server servers[SERVERS];

static void *answer(void *arg)
{
	int fd = *(int *)arg;
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	char question[64];
	ssize_t n;

	while ((n = recvfrom(fd, question, sizeof(question) - 1, 0, (struct sockaddr *)&from, &size)) > 0) {
		uint32_t number = 0;

		if (question[0] == '.')
			break;
		question[n] = 0;
		for (int turn = 0; turn < 20000; turn++)
			for (char *c = question; *c; c++)
				number = number * 31 + (unsigned char)*c;
		sendto(fd, &number, sizeof(number), 0, (struct sockaddr *)&from, size);
	}
	return NULL;
}

static int bound(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t size = sizeof(*address);

	memset(address, 0, sizeof(*address));
	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)address, size) != 0)
		return -1;
	getsockname(fd, (struct sockaddr *)address, &size);
	return fd;
}

static int query(struct server *server, const char *name, uint32_t *number)
{
	struct pollfd fd = { .fd = server->fd, .events = POLLIN };

	sendto(server->fd, name, strlen(name), 0, (struct sockaddr *)&server->address, sizeof(server->address));
	if (poll(&fd, 1, 30) <= 0)
		return -1;
	return recv(server->fd, number, sizeof(*number), 0) == sizeof(*number) ? 0 : -1;
}

static uint32_t resolve(const char *name)
{
	uint32_t number = 0;

	for (int i = 0; i < SERVERS; i++) {
#ifdef REPAIRED
		if (servers[i].failures > 2)
			continue;
#endif
		if (query(&servers[i], name, &number) == 0)
			return number;
		servers[i].failures++;
	}
	return 0;
}

int main(void)
{
	pthread_t thread;
	int fds[SERVERS];
	uint32_t sum = 0;
	char name[32];

	for (int i = 0; i < SERVERS; i++) {
		fds[i] = bound(&servers[i].address);
		servers[i].fd = socket(AF_INET, SOCK_DGRAM, 0);
	}
	pthread_create(&thread, NULL, answer, &fds[1]);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "host%d.example", i);
		sum += resolve(name);
	}
	sendto(servers[1].fd, ".", 1, 0, (struct sockaddr *)&servers[1].address, sizeof(servers[1].address));
	pthread_join(thread, NULL);
	printf("%08x\n", sum);
	return 0;
}
