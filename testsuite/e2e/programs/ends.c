/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs of threads, one after another: one waits at an end of a pipe, a socket or an eventfd, by
 * itself or with poll() or epoll_wait(), and the other ends that, once the kernel says that the
 * first one sleeps. So it is known who waited for what, and who ended it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noipa)) static
#define PLAIN __attribute__((no_instrument_function)) static
static volatile int waiter;
static int pair[2], same[2], copy, room[2], ended[2], event, full, tcp[2], fresh[2], passed, moved, again[2],
	named[2], shut[2];
static char much[1 << 16];

PLAIN void here(void)
{
	waiter = (int)syscall(SYS_gettid);
}
PLAIN void until_asleep(void)
{
	char path[64], line[256] = "";
	while (!waiter)
		usleep(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter);
	while (!strstr(line, ") S")) {
		FILE *file = fopen(path, "r");
		usleep(100);
		if (!file || !fgets(line, sizeof(line), file))
			_exit(1);
		fclose(file);
	}
	usleep(2000);
	waiter = 0;
}
PLAIN void check(int ok)
{
	if (!ok)
		_exit(2);
}

KEEP void reads_pair(void)
{
	char c;
	here();
	check(recv(pair[0], &c, 1, 0) == 1);
}
KEEP void writes_pair(void)
{
	until_asleep();
	check(send(pair[1], "x", 1, 0) == 1);
}
KEEP void answers(void)
{
	char c;
	until_asleep();
	check(write(same[1], "x", 1) == 1);
	check(read(same[1], &c, 1) == 1);
}
KEEP void asks(void)
{
	char c;
	here();
	check(read(same[0], &c, 1) == 1);
	usleep(3000);
	check(write(same[0], "x", 1) == 1);
}
KEEP void reads_copy(void)
{
	char c;
	here();
	check(read(copy, &c, 1) == 1);
}
KEEP void writes_copied(void)
{
	until_asleep();
	check(write(pair[1], "x", 1) == 1);
}
KEEP void wants_room(void)
{
	int n = 0;
	while (send(room[0], much, sizeof(much), MSG_DONTWAIT) > 0)
		n++;
	here();
	check(send(room[0], much, sizeof(much), 0) > 0);
}
KEEP void gives_room(void)
{
	until_asleep();
	while (recv(room[1], much, sizeof(much), MSG_DONTWAIT) > 0)
		;
}
KEEP void wants_last(void)
{
	char c;
	here();
	check(read(ended[0], &c, 1) == 0);
}
KEEP void gives_last(void)
{
	until_asleep();
	close(ended[1]);
}
KEEP void wants_end(void)
{
	char c;
	here();
	check(recv(shut[0], &c, 1, 0) == 0);
}
KEEP void gives_end(void)
{
	until_asleep();
	check(!shutdown(shut[1], SHUT_WR));
}
KEEP void wants_event(void)
{
	uint64_t n;
	here();
	check(read(event, &n, 8) == 8);
}
KEEP void gives_event(void)
{
	uint64_t n = 1;
	until_asleep();
	check(write(event, &n, 8) == 8);
}
KEEP void wants_less(void)
{
	uint64_t n = UINT64_MAX - 1;
	check(write(full, &n, 8) == 8);
	n = 1;
	here();
	check(write(full, &n, 8) == 8);
}
KEEP void takes_event(void)
{
	uint64_t n;
	until_asleep();
	check(read(full, &n, 8) == 8);
}
KEEP void reads_tcp(void)
{
	char c;
	here();
	check(read(tcp[0], &c, 1) == 1);
}
KEEP void writes_tcp(void)
{
	until_asleep();
	check(write(tcp[1], "x", 1) == 1);
}
KEEP void reads_fresh(void)
{
	char c;
	here();
	check(read(fresh[0], &c, 1) == 1);
}
KEEP void writes_fresh(void)
{
	until_asleep();
	check(write(fresh[1], "x", 1) == 1);
}

KEEP void reads_passed(void)
{
	char c;
	here();
	check(read(passed, &c, 1) == 1);
}
KEEP void writes_passed(void)
{
	until_asleep();
	check(write(pair[1], "x", 1) == 1);
}
KEEP void reads_moved(void)
{
	char c;
	here();
	check(read(moved, &c, 1) == 1);
}
KEEP void writes_moved(void)
{
	until_asleep();
	check(write(fresh[1], "x", 1) == 1);
}
KEEP void reads_again(void)
{
	char c;
	here();
	check(read(again[0], &c, 1) == 1);
}
KEEP void writes_again(void)
{
	until_asleep();
	check(write(again[1], "x", 1) == 1);
}
KEEP void reads_named(void)
{
	char c;
	here();
	check(read(named[0], &c, 1) == 1);
}
KEEP void writes_named(void)
{
	until_asleep();
	check(write(named[1], "x", 1) == 1);
}
KEEP void reads_from_child(void)
{
	char c;
	check(read(again[0], &c, 1) == 1);
}

/* Sends the descriptor through a pair of sockets. */
KEEP int pass(int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} rights = { .head.cmsg_len = CMSG_LEN(sizeof(int)) };
	char c = 0;
	struct iovec data = { &c, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof(rights)
	};

	rights.head.cmsg_level = SOL_SOCKET;
	rights.head.cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(&rights.head), &fd, sizeof(fd));
	check(sendmsg(same[0], &message, 0) == 1 && recvmsg(same[1], &message, 0) == 1);
	memcpy(&fd, CMSG_DATA(&rights.head), sizeof(fd));
	return fd;
}

/* Each descriptor here was another end before. */
KEEP void reuses(void)
{
	close(room[0]);
	passed = pass(pair[0]);
	check(passed == room[0]);
	moved = dup2(fresh[0], room[1]);
	check(moved == room[1]);
	close(event);
	close(full);
	check(!pipe(again) && again[0] + again[1] == event + full);
}

/* Whose ends the kernel does not tell. */
KEEP void by_name(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int listening = socket(AF_UNIX, SOCK_STREAM, 0);
	char c;

	snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "ends of %d", (int)getpid());
	check(!bind(listening, (void *)&at, sizeof(at)) && !listen(listening, 1));
	named[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	check(!connect(named[1], (void *)&at, sizeof(at)));
	named[0] = accept(listening, NULL, NULL);
	check(write(named[1], "x", 1) == 1 && read(named[0], &c, 1) == 1);
}
KEEP void polls(void)
{
	struct pollfd fds[2] = { { pair[0], POLLIN, 0 }, { fresh[0], POLLIN, 0 } };
	here();
	check(poll(fds, 2, -1) == 1 && fds[1].revents);
}
KEEP void pokes(void)
{
	until_asleep();
	check(write(fresh[1], "x", 1) == 1);
}
KEEP void polls_both(void)
{
	struct pollfd fds[2] = { { pair[0], POLLIN, 0 }, { fresh[0], POLLIN, 0 } };
	here();
	check(poll(fds, 2, -1) > 0);
}
KEEP void pokes_first(void)
{
	check(write(fresh[1], "x", 1) == 1);
}
KEEP void pokes_second(void)
{
	check(write(pair[1], "x", 1) == 1);
}
KEEP void pokes_both(void)
{
	until_asleep();
	pokes_first();
	pokes_second();
}
KEEP void drains(void)
{
	char c;
	check(read(fresh[0], &c, 1) == 1);
}
KEEP void awaits(void)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = &event };
	int set = epoll_create1(0);
	check(!epoll_ctl(set, EPOLL_CTL_ADD, event, &e));
	e.data.fd = tcp[0];
	check(!epoll_ctl(set, EPOLL_CTL_ADD, tcp[0], &e));
	here();
	check(epoll_wait(set, &e, 1, -1) == 1 && e.data.fd == tcp[0]);
	check(read(tcp[0], &e, 1) == 1);
	here();
	check(epoll_wait(set, &e, 1, 5000) == 1 && e.data.ptr == &event);
}
KEEP void feeds(void)
{
	check(write(tcp[1], "x", 1) == 1);
}
KEEP void tells(void)
{
	uint64_t n = 1;
	check(write(event, &n, 8) == 8);
}
KEEP void feeds_and_tells(void)
{
	until_asleep();
	feeds();
	until_asleep();
	tells();
}

KEEP void connects(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	char c;
	check(!bind(listening, (void *)&at, n) && !listen(listening, 1) &&
	      !getsockname(listening, (void *)&at, &n));
	tcp[1] = socket(AF_INET, SOCK_STREAM, 0);
	check(!connect(tcp[1], (void *)&at, n));
	tcp[0] = accept(listening, NULL, NULL);
	check(write(tcp[1], "x", 1) == 1 && read(tcp[0], &c, 1) == 1);
}
PLAIN void *run(void *f)
{
	((void (*)(void))f)();
	return NULL;
}
PLAIN void one(void (*waits)(void), void (*gives)(void))
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, (void *)waits);
	gives();
	pthread_join(thread, NULL);
}
int main(void)
{
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && !socketpair(AF_UNIX, SOCK_STREAM, 0, same));
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, room) && !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ended));
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, shut) && !pipe(fresh));
	event = eventfd(0, 0);
	full = eventfd(0, 0);
	connects();
	one(reads_pair, writes_pair);
	one(asks, answers);
	copy = dup(pair[0]);
	one(reads_copy, writes_copied);
	one(wants_room, gives_room);
	one(wants_last, gives_last);
	one(wants_end, gives_end);
	one(wants_event, gives_event);
	one(wants_less, takes_event);
	one(reads_tcp, writes_tcp);
	one(reads_fresh, writes_fresh);
	one(polls, pokes);
	drains();
	one(polls_both, pokes_both);
	one(awaits, feeds_and_tells);
	drains();
	check(read(pair[0], much, 1) == 1);
	reuses();
	one(reads_passed, writes_passed);
	one(reads_moved, writes_moved);
	one(reads_again, writes_again);
	by_name();
	one(reads_named, writes_named);
	if (!fork()) {
		usleep(20000);
		_exit(write(again[1], "x", 1) != 1);
	}
	reads_from_child();
	wait(NULL);
	return 0;
}
