/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nothing is wrong: a server that waits for requests by poll(), and answers each by a read and a
 * write; and clients that wait for the answer. Many small calls, as they come. "many": a poll() has
 * requests of many clients.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUESTS 10000

static int ends[2];

__attribute__((noinline)) static int answer(int fd)
{
	char request[16];
	long got = read(fd, request, sizeof(request));

	return got > 0 && write(fd, request, (size_t)got) == got;
}

static void *serve(void *arg)
{
	struct pollfd waiting = { .fd = ends[0], .events = POLLIN };

	while (poll(&waiting, 1, -1) > 0 && answer(ends[0]))
		;
	return arg;
}

__attribute__((noinline)) static void ask(int fd)
{
	char text[16] = "how late is it?";

	if (write(fd, text, sizeof(text)) < 0 || read(fd, text, sizeof(text)) <= 0)
		exit(1);
}

#define CLIENTS 50

static struct pollfd clients[CLIENTS];

static void *serve_many(void *arg)
{
	for (int left = REQUESTS; left > 0;) {
		poll(clients, CLIENTS, -1);
		for (int i = 0; i < CLIENTS; i++)
			if (clients[i].revents & POLLIN)
				left -= answer(clients[i].fd);
	}
	return arg;
}

__attribute__((noinline)) static void ask_all(const int *fds)
{
	char text[16] = "how late is it?";

	for (int i = 0; i < CLIENTS; i++)
		if (write(fds[i], text, sizeof(text)) < 0)
			exit(1);
	for (int i = 0; i < CLIENTS; i++)
		if (read(fds[i], text, sizeof(text)) <= 0)
			exit(1);
}

static int many(void)
{
	int fds[CLIENTS], pair[2];
	pthread_t server;

	for (int i = 0; i < CLIENTS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 1;
		clients[i] = (struct pollfd){ .fd = pair[0], .events = POLLIN };
		fds[i] = pair[1];
	}
	pthread_create(&server, NULL, serve_many, NULL);
	for (int i = 0; i < REQUESTS / CLIENTS; i++)
		ask_all(fds);
	pthread_join(server, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t server;

	if (argc > 1 && !strcmp(argv[1], "many"))
		return many();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	pthread_create(&server, NULL, serve, NULL);
	for (int i = 0; i < REQUESTS; i++)
		ask(ends[1]);
	shutdown(ends[1], SHUT_RDWR);
	pthread_join(server, NULL);
	return 0;
}
