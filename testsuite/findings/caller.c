/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0332 ask|connected; wall
 * true: CF0333 each question still waits for its answer
 * Asks a server of its own. Planted: a new connection for each question. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUESTIONS 12000

static struct sockaddr_in address = { .sin_family = AF_INET };

static void *server(void *arg)
{
	int listener = *(int *)arg, fd;
	char c;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		ssize_t n;

		while ((n = read(fd, &c, 1)) == 1 && c && write(fd, &c, 1) == 1)
			;
		close(fd);
		if (n == 1)
			return NULL;
	}
	return NULL;
}

static int connected(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? fd : -1;
}

static int ask(int *fd, char question)
{
	char answer = 0;

#ifdef REPAIRED
	if (*fd < 0)
#endif
		*fd = connected();
	if (write(*fd, &question, 1) != 1 || (question && read(*fd, &answer, 1) != 1))
		return -1;
#ifndef REPAIRED
	close(*fd);
#endif
	return answer;
}

int main(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = -1;
	socklen_t size = sizeof(address);
	pthread_t thread;
	long sum = 0;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 100) != 0)
		return 1;
	getsockname(listener, (struct sockaddr *)&address, &size);
	pthread_create(&thread, NULL, server, &listener);
	for (int i = 0; i < QUESTIONS; i++)
		sum += ask(&fd, (char)(1 + i % 100));
	ask(&fd, 0);
	pthread_join(thread, NULL);
	printf("%ld\n", sum);
	return 0;
}
