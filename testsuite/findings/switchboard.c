/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0314 serve; processor
 * Connects callers: messages come over many connections, of which few speak. Planted: poll() of all
 * connections for each message, in place of epoll. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 450
#define MESSAGES 25000

static int here[CONNECTIONS], there[CONNECTIONS];

struct message {
	int from, to, text;
};

static void *callers(void *arg)
{
	unsigned state = 1;

	(void)arg;
	for (int i = 0; i < MESSAGES; i++) {
		struct message message = { .text = i };

		state = state * 1664525 + 1013904223;
		message.from = (int)((state >> 16) % 20);
		message.to = (int)((state >> 8) % 20);
		if (write(there[message.from], &message, sizeof(message)) != sizeof(message))
			break;
		if (read(there[message.to], &message, sizeof(message)) != sizeof(message))
			break;
	}
	return NULL;
}

static int pass_on(int fd)
{
	struct message message;

	if (read(fd, &message, sizeof(message)) != sizeof(message))
		return -1;
	return write(here[message.to], &message, sizeof(message)) == sizeof(message) ? 1 : -1;
}

#ifdef REPAIRED
static int serve(void)
{
	struct epoll_event events[16];
	int epoll = epoll_create1(0), done = 0;

	for (int i = 0; i < CONNECTIONS; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = here[i] };

		epoll_ctl(epoll, EPOLL_CTL_ADD, here[i], &event);
	}
	while (done < MESSAGES) {
		int n = epoll_wait(epoll, events, 16, -1);

		for (int i = 0; i < n; i++)
			done += pass_on(events[i].data.fd);
	}
	close(epoll);
	return done;
}
#else
static int serve(void)
{
	struct pollfd *fds = calloc(CONNECTIONS, sizeof(*fds));
	int done = 0;

	for (int i = 0; i < CONNECTIONS; i++)
		fds[i] = (struct pollfd){ .fd = here[i], .events = POLLIN };
	while (done < MESSAGES) {
		int n = poll(fds, CONNECTIONS, -1);

		for (int i = 0; i < CONNECTIONS && n > 0; i++) {
			if (fds[i].revents & POLLIN) {
				done += pass_on(fds[i].fd);
				n--;
			}
		}
	}
	free(fds);
	return done;
}
#endif

int main(void)
{
	struct rlimit limit = { 1024, 1024 };
	pthread_t thread;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < CONNECTIONS; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
			return 1;
		here[i] = pair[0];
		there[i] = pair[1];
	}
	pthread_create(&thread, NULL, callers, NULL);
	printf("%d\n", serve());
	pthread_join(thread, NULL);
	return 0;
}
