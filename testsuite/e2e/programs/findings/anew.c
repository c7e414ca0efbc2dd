/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is made again and again. `threads`: a thread for each little piece of work; `thread`: one
 * for all pieces. `connections`: one for each question to a server; `connection`: one for all.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECES 3000

static unsigned long sums[PIECES];

static void *work(void *arg)
{
	size_t n = (size_t)arg;

	for (size_t i = n ? n - 1 : 0; i < (n ? n : PIECES); i++)
		for (unsigned k = 0; k < 1000; k++)
			sums[i] = sums[i] * 31 + k;
	return NULL;
}

__attribute__((noinline)) static void share_out(int threads)
{
	pthread_t thread;

	for (size_t i = 0; i < (threads > 1 ? PIECES : 1); i++) {
		void *piece = (void *)(threads > 1 ? i + 1 : 0);

		pthread_create(&thread, NULL, work, piece); /* starts */
		pthread_join(thread, NULL);
	}
}

static struct sockaddr_in address = { .sin_family = AF_INET };

static void *serve(void *arg)
{
	int listener = *(int *)arg, fd;
	ssize_t n;
	char c = 1;

	while (c && (fd = accept(listener, NULL, NULL)) >= 0) {
		while ((n = read(fd, &c, 1)) == 1 && c && write(fd, &c, 1) == 1)
			;
		close(fd);
	}
	return NULL;
}

__attribute__((noinline)) static void ask(int *fd, char question)
{
	if (*fd < 0) {
		*fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(*fd, (struct sockaddr *)&address, sizeof(address))) /* connects */
			return;
	}
	if (write(*fd, &question, 1) != 1 || (question && read(*fd, &question, 1) != 1))
		printf("no answer\n");
}

static void talk(int is_kept)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = -1;
	socklen_t size = sizeof(address);
	pthread_t thread;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 10) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return;
	pthread_create(&thread, NULL, serve, &listener);
	for (int i = 0; i < PIECES; i++) {
		ask(&fd, 1);
		if (!is_kept) {
			close(fd);
			fd = -1;
		}
	}
	ask(&fd, 0);
	pthread_join(thread, NULL);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strncmp(what, "thread", 6))
		share_out(strcmp(what, "threads") ? 1 : 2);
	else
		talk(strcmp(what, "connections") != 0);
	printf("%lu\n", sums[PIECES - 1]);
	return 0;
}
