/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nothing is wrong: a server that waits for requests by poll(), and answers each by a read and a
 * write; and clients that wait for the answer. Many small calls, as they come.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
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

int main(void)
{
	pthread_t server;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	pthread_create(&server, NULL, serve, NULL);
	for (int i = 0; i < REQUESTS; i++)
		ask(ends[1]);
	shutdown(ends[1], SHUT_RDWR);
	pthread_join(server, NULL);
	return 0;
}
